import { PictureRefused } from './container.ts'

const SVG = 'http://www.w3.org/2000/svg'
const MOST_BYTES = 2 * 1024 * 1024
const DEEPEST = 100
const MOST_ATTRIBUTES = 200
/** Elements that a browser draws, with those that `<use>` repeats. */
const MOST_SHOWN = 100_000
const LARGEST = 1_000_000
/** The size that browsers use if none is given. */
const DEFAULT_SIZE = [300, 150] as const

// Sticky: each character is read once, or once more before the file is refused.
const TOKEN = /<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<\/([\w.:-]+)\s*>|<([A-Za-z_][\w.:-]*)|[^<]+/sy
const ATTRIBUTE = /\s+([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y
const TAG_END = /\s*(\/?)>/y
const DECLARATION = /^<\?xml\s[^>]*\?>$/
const OTHER_ENCODING = /\sencoding\s*=\s*["'](?!utf-8["'])/i
const UNKNOWN_ENTITY = /&(?!(?:lt|gt|amp|quot|apos|#\d+|#x[\da-f]+);)/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/

interface Size {
  readonly width: number
  readonly height: number
}

type Attributes = ReadonlyMap<string, string>

const refused = (message: string) => new PictureRefused('unsafe_svg', message)
const broken = () => refused('The file is not well-formed XML in UTF-8.')
/** Compared with others as they are written. */
const PLAIN = new Set(['id', 'attributeName'])
const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/**
 * The size of a drawing of which the root is `svg`, without DOCTYPE, entities and foreign style sheets. An SVG is stored as it
 * came: pages show it by <img>, where nothing of it runs or loads.
 */
export function checkSvg(bytes: Uint8Array): Size {
  if (!/<(?:\w+:)?svg[\s>/]/.test(Buffer.from(bytes).toString('latin1'))) throw new PictureRefused('wrong_type')
  if (bytes.length > MOST_BYTES) throw refused(`An SVG has at most ${MOST_BYTES / 1024 ** 2} MiB.`)
  const text = decoded(bytes)
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw refused('An SVG may not have a DOCTYPE or ENTITY.')
  return sizeOf(new Scan(text).root())
}

function decoded(bytes: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw broken()
  }
  if (CONTROL.test(text)) throw broken()
  return text
}

/** Reads the tags of a file once, from its begin to its end. */
class Scan {
  readonly #text: string
  #at = 0
  #root: Attributes | null = null
  #elements = 0
  readonly #open: {
    readonly name: string
    readonly id: string | undefined
    /** How many elements came before. */
    readonly before: number
  }[] = []
  /** How many elements are in each element that has an id. */
  readonly #sizes = new Map<string, number>()
  readonly #used: string[] = []
  /** The ids of elements that hold a `<use>`. */
  readonly #holders = new Set<string>()

  constructor(text: string) {
    this.#text = text
  }

  root(): Attributes {
    while (this.#at < this.#text.length) this.#next()
    if (!this.#root || this.#open.length > 0) throw broken()
    this.#checkUses()
    return this.#root
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #next(): void {
    const isFirst = this.#at === 0
    const [token = '', closed, opened] = this.#match(TOKEN) ?? []
    if (token === '') throw broken()
    if (opened !== undefined) this.#begin(opened)
    else if (closed !== undefined) this.#end(closed)
    else if (token.startsWith('<?xml')) checkInstruction(token, isFirst)
    else if (!token.startsWith('<!--') && !token.startsWith('<?')) this.#checkText(token)
  }

  #begin(name: string): void {
    const attributes = this.#attributes()
    if (!this.#root) this.#root = checkRoot(name, attributes)
    else if (this.#open.length === 0) throw broken()
    const id = [...attributes].find(([attribute]) => localName(attribute) === 'id')?.[1]
    this.#open.push({ name, id, before: this.#elements })
    if (++this.#elements > MOST_SHOWN || this.#open.length > DEEPEST)
      throw refused('The picture has too many elements.')
    if (localName(name) === 'use') this.#use(attributes)
    if (localName(attributes.get('attributeName')?.trim() ?? '') === 'href') {
      throw refused('An animation may not change a link.')
    }
    if (this.#match(TAG_END)?.[1] === '/') this.#end(name)
  }

  /** Ends before the end of the tag. */
  #attributes(): Attributes {
    const attributes = new Map<string, string>()
    for (let found = this.#match(ATTRIBUTE); found; found = this.#match(ATTRIBUTE)) {
      const [, name = '', quoted, plain = ''] = found
      const value = quoted ?? plain
      // A browser knows neither an attribute twice nor an entity that nobody declared.
      if (attributes.has(name) || UNKNOWN_ENTITY.test(value) || attributes.size >= MOST_ATTRIBUTES) throw broken()
      if (PLAIN.has(localName(name)) && value.includes('&')) throw refused(`Write ${name} without entities.`)
      attributes.set(name, value)
    }
    return attributes
  }

  #end(name: string): void {
    const last = this.#open.pop()
    if (last?.name !== name) throw broken()
    const size = this.#elements - last.before
    if (last.id !== undefined) this.#sizes.set(last.id, Math.max(size, this.#sizes.get(last.id) ?? 0))
  }

  #checkText(text: string): void {
    const isData = text.startsWith('<![CDATA[')
    if (!isData && UNKNOWN_ENTITY.test(text)) throw broken()
    if (this.#open.length === 0 && (isData || text.trim() !== '')) throw broken()
  }

  #use(attributes: Attributes): void {
    for (const [name, value] of attributes) {
      if (localName(name) !== 'href') continue
      if (value.includes('&')) throw refused('Write the href of <use> without entities.')
      this.#used.push(value.trim().slice(1))
    }
    for (const { id } of this.#open) if (id !== undefined) this.#holders.add(id)
  }

  /** A used element may not contain `use`: a few nested ones draw a thousand million elements. */
  #checkUses(): void {
    let shown = this.#elements
    for (const id of this.#used) {
      shown += this.#holders.has(id) ? Number.POSITIVE_INFINITY : (this.#sizes.get(id) ?? 0)
    }
    if (shown > MOST_SHOWN) throw refused('The <use> elements repeat too much, or refer to each other.')
  }
}

function checkRoot(name: string, attributes: Attributes): Attributes {
  const prefix = name.includes(':') ? `:${name.slice(0, name.indexOf(':'))}` : ''
  if (localName(name) !== 'svg' || attributes.get(`xmlns${prefix}`) !== SVG) throw new PictureRefused('wrong_type')
  return attributes
}

function checkInstruction(token: string, isFirst: boolean): void {
  if (token.startsWith('<?xml-stylesheet')) throw refused('An SVG may not have a style sheet beside it.')
  if (!isFirst || !DECLARATION.test(token) || OTHER_ENCODING.test(token)) throw broken()
}

function sizeOf(root: Attributes): Size {
  const [, , ...box] = (root.get('viewBox') ?? '').split(/[\s,]+/, 4).map(Number)
  const length = (name: 'width' | 'height', fallback: number | undefined, last: number) => {
    const said = Number(/^\s*([\d.]+)(?:px)?\s*$/.exec(root.get(name) ?? '')?.[1])
    const value = [said, fallback, last].find((candidate) => candidate !== undefined && candidate > 0) ?? last
    return Math.min(LARGEST, Math.max(1, Math.round(value)))
  }
  return { width: length('width', box[0], DEFAULT_SIZE[0]), height: length('height', box[1], DEFAULT_SIZE[1]) }
}
