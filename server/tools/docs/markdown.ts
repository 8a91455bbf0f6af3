import { posix } from 'node:path'
import { Marked, type Token } from 'marked'
import { html } from '../../../embed/src/render/html.ts'
import { codeBlock, PUBLISHED, SERVICE } from '../../src/features/pages/docs/page-parts.ts'
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

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The text of markup that `renderMarkdown` wrote. */
const textOf = (markup: string): string =>
  markup
    .replaceAll(/<button.*?<\/button>/g, ' ')
    .replaceAll(/<img[^>]* alt="([^"]*)"[^>]*>/g, '$1 ')
    .replaceAll(/<\/(?:p|li|t[dh]|pre)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(\w+|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Ids of the headings of one text, as GitHub makes them, so that a link works in both places: a repeated one gets a number. */
function anchorsOf(): (text: string) => string {
  const seen = new Map<string, number>()
  return (text) => {
    const kept = text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    const anchor = kept.trim().replaceAll(' ', '-')
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  }
}

/** Where a link of a text leads on the pages; null for a file of the repository that no page shows. */
function addressIn(file: string, href: string): string | null {
  if (/^https?:|^#/.test(href)) return href
  const [path = '', anchor] = href.split('#', 2)
  const target = posix.join(posix.dirname(file), path)
  if (target === 'server/openapi.json') return '/docs/api'
  if (target === 'integrations/wordpress/tossup-polls') return '/docs/files/tossup-polls.zip'
  const doc = DOCS.find((each) => each.file === target)
  return doc ? `/docs/${doc.name}${anchor ? `#${anchor}` : ''}` : null
}

/** Blocks that start or set up a server: another one than the server that shows the text. */
const STARTS_A_SERVER = /\bnpm start\b|\bserve\b|\bdocker run\b/

/** Has an example name the running service, so that it works as it is copied. */
const withService = (example: string): string =>
  STARTS_A_SERVER.test(example)
    ? example
    : example.replaceAll('http://127.0.0.1:3000', SERVICE).replaceAll('https://polls.example.com', PUBLISHED)

function nameService(token: Token): void {
  if (token.type === 'code' || token.type === 'codespan') token.text = withService(token.text)
}

/** The text of a page for programs: its links lead to such texts, and its comments are left out. */
export function textForPrograms(file: string, source: string): string {
  const parts = source.split(/(```[\s\S]*?```|`[^`\n]+`)/)
  return parts.map((part, i) => (i % 2 === 1 ? withService(part) : withAddresses(file, part))).join('')
}

const withAddresses = (file: string, text: string): string =>
  text
    .replaceAll(/<!--[\s\S]*?-->\n*/g, '')
    .replaceAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_, label, href) => `![${label}](${pictureAddress(href)})`)
    .replaceAll(/(?<!!)(\[[^\]]*)\]\(([^)\s]+)\)/g, (_, label: string, href: string) => {
      const address = addressIn(file, href)
      return address === null ? label.slice(1) : `${label}](${addressForPrograms(address)})`
    })

const pictureAddress = (href: string): string => `/docs/images/${posix.basename(href)}`

const addressForPrograms = (address: string): string =>
  /^\/docs\/(?!files\/)/.test(address) ? address.replace(/(?=#|$)/, '.md') : address

/** Renders a text of ours; `file` is its path in the repository. Its comments are left out, and so is all raw HTML. */
export function renderMarkdown(file: string, source: string): RenderedText {
  const headings: Omit<Section, 'words'>[] = []
  const idOf = anchorsOf()
  const marked = new Marked({ gfm: true, walkTokens: nameService })
  marked.use({
    renderer: {
      html: () => '',
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens)
        const text = textOf(inner)
        const id = idOf(text)
        headings.push({ id, text, depth })
        if (depth === 1) return `<h1${html` id="${id}"`}>${inner}</h1>`
        return `<h${depth}${html` id="${id}"`}>${inner}${html`<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`}</h${depth}>`
      },
      code: ({ text, lang }) => codeBlock(text, lang ?? '').toString(),
      link({ href, tokens }) {
        const address = addressIn(file, href)
        const inner = this.parser.parseInline(tokens)
        return address === null ? inner : `<a${html` href="${address}"`}>${inner}</a>`
      },
      image: ({ href, text }) =>
        html`<img src="${pictureAddress(href)}" alt="${text}" loading="lazy" decoding="async">`.toString(),
    },
  })
  const body = marked
    .parse(source, { async: false })
    // Only the renderer writes this tag: in a text it is escaped.
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    // A corner without words heads nothing.
    .replaceAll(/<th( [^>]*)?><\/th>/g, '<td$1></td>')
  const parts = body.split(/<\/?h\d(?: id="[^"]*")?>/)
  const sections = headings.map((heading, i) => ({ ...heading, words: textOf(parts[2 * i + 2] ?? '') }))
  return { title: headings[0]?.text ?? '', lead: leadOf(body), body, sections }
}

/** The first sentence below the title. */
function leadOf(body: string): string {
  const text = textOf(/<p>([\s\S]*?)<\/p>/.exec(body)?.[1] ?? '')
  return /^.+?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
