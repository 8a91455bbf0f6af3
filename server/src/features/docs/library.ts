import { html } from '../../../../embed/src/html.ts'
import { DOC_GROUPS } from './catalogue.ts'
import { DEMO_BRAND } from './demo-brand.ts'
import { type RenderedText, renderMarkdown } from './markdown.ts'
import { docTexts } from './own-files.ts'
import type { NavGroup } from './page-shell.ts'

export interface Doc extends RenderedText {
  readonly name: string
}

/** All texts of the docs, rendered. Some hundredths of a second of work: done at the first request that needs it. */
export async function readDocs(publicUrl: string): Promise<ReadonlyMap<string, Doc>> {
  const entries = DOC_GROUPS.flatMap(({ docs }) => docs)
  const texts = docTexts()
  const docs = new Map<string, Doc>()
  for (const { name, file } of entries) {
    docs.set(name, { name, ...withDemoNote(file, renderMarkdown({ file, text: texts[file] ?? '' }, publicUrl)) })
    // Each text takes up to 10 ms: other requests are answered in between.
    await new Promise(setImmediate)
  }
  return docs
}

const DEMO_POLL = 'tea-or-coffee'

export const DEMO_NOTE =
  html`<p class="note">Examples name the brand <code>${DEMO_BRAND.slug}</code> and its polls, such as <code>${DEMO_POLL}</code>. Only the demo of <code>npm start</code> has them: on another service, put the names of your own brand and polls in their place.</p>`.toString()

/** A guide whose examples name the demo says so below its title: a service that is in use has none. */
function withDemoNote(file: string, text: RenderedText): RenderedText {
  const namesDemo = text.body.includes(DEMO_BRAND.slug) || text.body.includes(DEMO_POLL)
  if (!file.startsWith('docs/guides/') || !namesDemo) return text
  return { ...text, body: text.body.replace('</h1>', () => `</h1>${DEMO_NOTE}`) }
}

export const navigationOf = (docs: ReadonlyMap<string, Doc>): NavGroup[] =>
  DOC_GROUPS.map(({ title, docs: entries }) => ({
    title,
    links: entries.map(({ name }) => ({ address: `/docs/${name}`, title: titleOf(docs, name) })),
  }))

const titleOf = (docs: ReadonlyMap<string, Doc>, name: string): string =>
  name === 'start' ? 'Get started' : (docs.get(name)?.title ?? name)

/** The page with all texts: what each is about, in one sentence. */
export function overviewOf(docs: ReadonlyMap<string, Doc>): string {
  const groups = DOC_GROUPS.map(({ title, docs: entries }) => {
    const cards = entries.map(
      ({ name }) => html`<li><a href="/docs/${name}">${titleOf(docs, name)}</a><p>${docs.get(name)?.lead}</p></li>`,
    )
    return html`<h2>${title}</h2><ul class="cards">${cards}</ul>`
  })
  const reference = html`<li><a href="/docs/api">Reference</a><p>Every operation of the interface with its fields, answers, errors and examples, and a form to try it.</p></li>`
  return html`<h1>Docs</h1><p>How to ask, show and count polls with this service, and how to run it. Everything here is served by the service itself.</p>${groups}<h2>Look up</h2><ul class="cards">${reference}</ul>`.toString()
}

/** A row of the search: the address, the title of its page, the heading and the text below it. */
export type SearchRow = readonly [address: string, page: string, heading: string, words: string]

export const searchRowsOf = (docs: ReadonlyMap<string, Doc>): SearchRow[] =>
  [...docs.values()].flatMap(({ name, sections }) =>
    sections.map(
      ({ id, depth, text, words }): SearchRow => [
        depth === 1 ? `/docs/${name}` : `/docs/${name}#${id}`,
        titleOf(docs, name),
        text,
        words,
      ],
    ),
  )
