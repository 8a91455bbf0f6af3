// Renders the docs as static files: guides, reference, search index, scripts, styles and pictures. Prints them as JSON for
// server/src/features/pages/docs/built-files.ts, which runs this at the first request, or once for a build.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import MiniSearch from 'minisearch'
import { html } from '../../../embed/src/render/html.ts'
import { compactCss } from '../../../embed/src/theme/compact-css.ts'
import { SERVICE } from '../../src/features/pages/docs/page-parts.ts'
import { pluginFiles } from '../wordpress/plugin.ts'
import { zipOf } from '../wordpress/zip.ts'
import { DOC_GROUPS, DOCS } from './catalogue.ts'
import { renderMarkdown, textForPrograms } from './markdown.ts'
import { docsPage, type NavGroup, type Page, withDemoNote } from './page.ts'
import { REFERENCE_PAGES, REFERENCE_ROWS } from './reference/pages.ts'
import { REFERENCE_TEXTS } from './reference/texts.ts'
import { SEARCH_OPTIONS, type SearchRow } from './search-options.ts'

const ROOT = new URL('../../../', import.meta.url)
const PICTURES = new URL('docs/guides/images/', ROOT)

const docs = DOCS.map(({ name, file }) => {
  const source = readFileSync(new URL(file, ROOT), 'utf8')
  const text = renderMarkdown(file, source)
  const body = file.startsWith('docs/guides/') ? withDemoNote(text.body) : text.body
  const label = name === 'start' ? 'Get started' : text.title
  return { ...text, body, label, address: `/docs/${name}`, forPrograms: textForPrograms(file, source) }
})

const groups = DOC_GROUPS.map((group) => ({
  title: group.title,
  links: group.docs.flatMap(({ name }) => docs.filter(({ address }) => address === `/docs/${name}`)),
}))

/** The page with all texts: what each is about, in one sentence. */
function overview(): Page {
  const lists = groups.map(({ title, links }) => {
    const cards = links.map(
      ({ address, label, lead }) => html`<li><a href="${address}">${label}</a><p>${lead}</p></li>`,
    )
    return html`<h2>${title}</h2><ul class="cards">${cards}</ul>`
  })
  const reference = html`<li><a href="/docs/api">Reference</a><p>Every operation of the interface with its fields, answers, errors and examples, and a form to try it.</p></li>`
  const body = html`<h1>Docs</h1><p>How to ask, show and count polls with this service, and how to run it. Everything here is served by the service itself.</p>${lists}<h2>Look up</h2><ul class="cards">${reference}</ul>`
  const description = 'How to ask, show and count polls with this service, and how to run it.'
  return { address: '/docs', title: 'Docs', description, body: body.toString(), toc: [] }
}

function pages(): [address: string, page: string][] {
  const guides = docs.map(
    ({ address, title, body, sections, lead }): Page => ({
      ...{ address, title, body, description: lead },
      toc: sections.filter(({ depth }) => depth === 2),
    }),
  )
  const nav: NavGroup[] = [
    ...groups.map(({ title, links }) => ({
      title,
      links: links.map(({ address, label }) => ({ address, title: label })),
    })),
    {
      title: 'Reference',
      links: REFERENCE_PAGES.map(({ address, title }, i) => ({ address, title: i === 0 ? 'All operations' : title })),
    },
  ]
  return [overview(), ...guides, ...REFERENCE_PAGES].map((page) => [page.address, docsPage(page, nav)])
}

const SUMMARY =
  'A service for polls with two options: anonymous visitors vote once a device, brands own polls, campaigns, webhooks and numbers.'

/** The list of all pages for programs, in the form of llmstxt.org. */
function directory(): string {
  const listOf = (title: string, lines: readonly string[]) => `## ${title}\n\n${lines.join('\n')}\n`
  const guides = groups.map(({ title, links }) =>
    listOf(
      title,
      links.map(({ address, label, lead }) => `- [${label}](${SERVICE}${address}.md): ${lead}`),
    ),
  )
  const reference = listOf('Reference', [
    `- [openapi.json](${SERVICE}/openapi.json): The whole interface, as an OpenAPI document.`,
    ...REFERENCE_PAGES.map(
      ({ address, title, description }) => `- [${title}](${SERVICE}${address}.md): ${description.split('\n')[0]}`,
    ),
  ])
  return `# Tossup\n\n> ${SUMMARY}\n\n${[...guides, reference].join('\n')}`
}

function searchIndex(): string {
  const rows = docs.flatMap(({ address, label, sections }) =>
    sections.map(({ id, depth, text, words }): SearchRow => {
      return { id: depth === 1 ? address : `${address}#${id}`, page: label, heading: text, words }
    }),
  )
  const index = new MiniSearch(SEARCH_OPTIONS)
  index.addAll([...rows, ...REFERENCE_ROWS])
  return JSON.stringify(index)
}

const styles = ['text', 'frame', 'reference', 'home'].map((name) =>
  readFileSync(new URL(`styles/${name}.css`, import.meta.url), 'utf8'),
)

async function script(name: string): Promise<string> {
  const entry = fileURLToPath(new URL(`browser/${name}.js`, import.meta.url))
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm', minify: true })
  return outputs.map((output) => output.text())[0] ?? ''
}

const pictures = readdirSync(PICTURES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:webp|jpg|png)$/.test(file))
  .sort()
  .map((file) => [`/docs/images/${basename(file)}`, readFileSync(new URL(file, PICTURES), 'base64')] as const)

const files = {
  ...Object.fromEntries([...pages(), ...pictures, ...REFERENCE_TEXTS]),
  ...Object.fromEntries(docs.map(({ address, forPrograms }) => [`${address}.md`, forPrograms])),
  '/llms.txt': directory(),
  '/docs/files/docs.css': compactCss(styles.join('')),
  '/docs/files/docs.js': await script('docs'),
  '/docs/files/search.js': await script('search'),
  '/docs/files/reference.js': await script('reference'),
  '/docs/files/search.json': searchIndex(),
  '/docs/files/tossup-polls.zip': Buffer.from(zipOf('tossup-polls', pluginFiles())).toString('base64'),
}
const hash = createHash('sha256').update(Object.values(files).join('\n')).digest('base64url')
await Bun.write(Bun.stdout, JSON.stringify({ hash, files }))
