import { posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { type Html, html } from '../../../../embed/src/html.ts'
import { docOfFile } from './catalogue.ts'
import { withOwnAddress } from './own-addresses.ts'

export interface Heading {
  readonly id: string
  readonly text: string
  readonly depth: number
}

/** What follows a heading up to the next one, as plain text: for the search. */
export interface Section extends Heading {
  readonly words: string
}

export interface RenderedText {
  readonly title: string
  readonly lead: string
  readonly body: string
  readonly sections: readonly Section[]
}

/** As GitHub makes them, so that a link works in both places. */
function anchorOf(text: string): string {
  const kept = text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
  return kept.trim().replaceAll(' ', '-')
}

/** Ids of the headings of one text: a repeated one gets a number. */
export function anchorsOf(): (text: string) => string {
  const seen = new Map<string, number>()
  return (text) => {
    const anchor = anchorOf(text)
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  }
}

/** The text of tokens without their markup. */
export function plainText(tokens: readonly Token[]): string {
  return tokens.map(plainTextOf).join('')
}

function plainTextOf(token: Token): string {
  if (token.type === 'space' || token.type === 'html') return ' '
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ')
  }
  if (token.type === 'list') return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ')
  if ('tokens' in token && token.tokens) return plainText(token.tokens)
  return 'text' in token ? String(token.text) : ' '
}

/** Where a link of a text leads on the pages; null for a file of the repository that no page shows. */
function addressIn(file: string, href: string): string | null {
  if (/^https?:\/\//.test(href)) return href
  if (href.startsWith('#')) return href
  const [path = '', anchor] = href.split('#', 2)
  const target = posix.join(posix.dirname(file), path)
  if (target === 'server/openapi.json') return '/docs/api'
  const name = docOfFile(target)
  if (name === undefined) return null
  return `/docs/${name}${anchor ? `#${anchor}` : ''}`
}

const pictureAddress = (href: string): string => `/docs/images/${posix.basename(href)}`

const COPY_WORDS = { copy: 'Copy', copied: 'Copied' }

interface Source {
  /** Its path in the repository. */
  readonly file: string
  readonly text: string
}

/** Renders a text of ours. Its comments are left out, and so is all raw HTML. */
export function renderMarkdown({ file, text: source }: Source, publicUrl: string): RenderedText {
  const marked = new Marked({ gfm: true })
  const tokens = marked.lexer(source)
  void marked.walkTokens(tokens, (token) => withOwnAddress(token, publicUrl))
  const sections = sectionsOf(tokens)
  const ids = sections.map(({ id }) => id)
  let reached = 0
  marked.use({
    renderer: {
      html: () => '',
      heading({ tokens: inside, depth }) {
        const id = ids[reached++] ?? ''
        const inner = this.parser.parseInline(inside)
        if (depth === 1) return `<h1${html` id="${id}"`}>${inner}</h1>`
        return `<h${depth}${html` id="${id}"`}>${inner}${html`<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`}</h${depth}>`
      },
      code: ({ text, lang }) => codeBlock(text, lang ?? '').toString(),
      link({ href, tokens: inside }) {
        const address = addressIn(file, href)
        const inner = this.parser.parseInline(inside)
        return address === null ? inner : `<a${html` href="${address}"`}>${inner}</a>`
      },
      image: ({ href, text }) =>
        html`<img src="${pictureAddress(href)}" alt="${text}" loading="lazy" decoding="async">`.toString(),
    },
  })
  const body = marked
    .parser(tokens)
    // Only the renderer writes this tag: in a text it is escaped.
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    // A corner without words heads nothing.
    .replaceAll(/<th( [^>]*)?><\/th>/g, '<td$1></td>')
  return { title: sections[0]?.text ?? '', lead: leadOf(tokens), body, sections }
}

/** Code is written from the left, also on a page that is not. The script of the docs shows the button. */
export const codeBlock = (text: string, language: string, { copy, copied } = COPY_WORDS): Html =>
  html`<div class="code" dir="ltr"><pre tabindex="0"><code data-language="${language}">${text}</code></pre><button type="button" class="copy" data-copied="${copied}" hidden>${copy}</button></div>`

/** A sentence or two from the interface's reference. */
export const renderInline = (text: string): string => {
  const marked = new Marked({ gfm: true })
  marked.use({ renderer: { html: ({ text: raw }) => html`${raw}`.toString() } })
  return marked.parse(text, { async: false })
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const idOf = anchorsOf()
  const sections: Section[] = []
  let inside: Token[] = []
  const close = () => {
    const open = sections.pop()
    if (open) sections.push({ ...open, words: plainText(inside).replace(/\s+/g, ' ').trim() })
    inside = []
  }
  for (const token of tokens) {
    if (token.type !== 'heading') {
      inside.push(token)
      continue
    }
    close()
    const text = plainText(token.tokens ?? [])
    sections.push({ id: idOf(text), text, depth: (token as Tokens.Heading).depth, words: '' })
  }
  close()
  return sections
}

/** The first sentence below the title. */
function leadOf(tokens: readonly Token[]): string {
  const paragraph = tokens.find(({ type }) => type === 'paragraph')
  const text = plainText(paragraph && 'tokens' in paragraph ? (paragraph.tokens ?? []) : [])
  return /^[\s\S]+?[.:](?=\s|$)/.exec(text)?.[0].replaceAll(/\s+/g, ' ').replace(/:$/, '.') ?? text
}
