import { posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { html } from '../../../embed/src/html.ts'
import { codeBlock, PUBLISHED, SERVICE } from '../../src/features/docs/page-parts.ts'
import { DOCS } from './catalogue.ts'

export interface Section {
  readonly id: string
  readonly text: string
  readonly depth: number
  /** The plain text up to the next heading: for the search. */
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
  if (/^https?:|^#/.test(href)) return href
  const [path = '', anchor] = href.split('#', 2)
  const target = posix.join(posix.dirname(file), path)
  if (target === 'server/openapi.json') return '/docs/api'
  const doc = DOCS.find((each) => each.file === target)
  return doc ? `/docs/${doc.name}${anchor ? `#${anchor}` : ''}` : null
}

/** Blocks that start or set up a server: another one than the server that shows the text. */
const STARTS_A_SERVER = /\bnpm start\b|\bserve\b|\bdocker run\b/

/** Has the examples of a text name the running service, so that they work as they are copied. */
function nameService(token: Token): void {
  if ((token.type !== 'code' && token.type !== 'codespan') || STARTS_A_SERVER.test(token.text)) return
  token.text = token.text
    .replaceAll('http://127.0.0.1:3000', SERVICE)
    .replaceAll('https://polls.example.com', PUBLISHED)
}

/** Renders a text of ours; `file` is its path in the repository. Its comments are left out, and so is all raw HTML. */
export function renderMarkdown(file: string, source: string): RenderedText {
  const marked = new Marked({ gfm: true })
  const tokens = marked.lexer(source)
  void marked.walkTokens(tokens, nameService)
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
        html`<img src="/docs/images/${posix.basename(href)}" alt="${text}" loading="lazy" decoding="async">`.toString(),
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
