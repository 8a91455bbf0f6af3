import { PictureRefused } from '../pictures/picture-refused.ts'

export interface Attribute {
  /** Empty where the name has no prefix. */
  readonly space: string
  readonly prefix: string
  readonly name: string
  readonly value: string
}

export interface Element {
  readonly space: string
  readonly name: string
  readonly attributes: readonly Attribute[]
  readonly children: (Element | string)[]
}

const DEEPEST = 100
const MOST_ELEMENTS = 20_000
const XML_SPACE = 'http://www.w3.org/XML/1998/namespace'

const DECLARATION =
  /<\?xml\s+version=["']1\.\d["'](?:\s+encoding=["']utf-8["'])?(?:\s+standalone=["'](?:yes|no)["'])?\s*\?>/iy
const START_TAG = /<((?:[\w-]+:)?[\w.-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y
const END_TAG = /<\/((?:[\w-]+:)?[\w.-]+)\s*>/y
const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const NAME = /^(?:([A-Za-z_][\w-]*):)?([A-Za-z_][\w.-]*)$/
const COMMENT = /<!--[\s\S]*?-->/y
const CDATA = /<!\[CDATA\[([\s\S]*?)\]\]>/y
const TEXT = /[^<]+/y
const ENTITIES = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }))
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/

type Scope = Readonly<Record<string, string>>

const broken = () => new PictureRefused('unsafe_svg', 'The file is not well-formed XML in UTF-8.')

/** As little of XML as a picture needs. What this does not know, no later step has to think of. */
export function parseXml(bytes: Uint8Array): Element {
  return new Parser(decodeUtf8(bytes)).document()
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!CONTROL.test(text)) return text
  } catch {
    throw broken()
  }
  throw broken()
}

class Parser {
  readonly #text: string
  #at = 0
  #elements = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): Element {
    this.#take(DECLARATION)
    this.#skipAround()
    const root = this.#element({ xml: XML_SPACE, '': '' }, 0)
    this.#skipAround()
    if (this.#at < this.#text.length) throw broken()
    return root
  }

  /** A sticky expression, at this very place. */
  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match) this.#at = pattern.lastIndex
    return match
  }

  #skipAround(): void {
    while (this.#take(COMMENT) || this.#take(/\s+/y));
    if (/^<!DOCTYPE/i.test(this.#text.slice(this.#at, this.#at + 9))) {
      throw new PictureRefused('unsafe_svg', 'A DOCTYPE is refused: export the file without it.')
    }
    if (this.#text.startsWith('<?', this.#at)) {
      throw new PictureRefused('unsafe_svg', 'Processing instructions are refused.')
    }
  }

  #element(outer: Scope, depth: number): Element {
    const tag = this.#take(START_TAG)
    this.#elements++
    if (!tag) throw broken()
    if (depth > DEEPEST || this.#elements > MOST_ELEMENTS) {
      throw new PictureRefused('unsafe_svg', 'The picture has too many elements.')
    }
    const raw = readAttributes(tag[2] ?? '')
    const scope = { ...outer, ...declarations(raw) }
    const [prefix, name] = splitName(tag[1] ?? '')
    const element = { space: resolve(scope, prefix), name, attributes: resolveAll(raw, scope), children: [] }
    if (tag[3] === '/') return element
    this.#content(element, scope, depth)
    if (this.#take(END_TAG)?.[1] !== tag[1]) throw broken()
    return element
  }

  #content({ children }: Element, scope: Scope, depth: number): void {
    while (!this.#text.startsWith('</', this.#at)) {
      const text = this.#take(TEXT)
      const cdata = text ? null : this.#take(CDATA)
      if (text) children.push(decodeEntities(text[0]))
      else if (cdata) children.push(cdata[1] ?? '')
      else if (!this.#take(COMMENT)) children.push(this.#element(scope, depth + 1))
    }
  }
}

function splitName(text: string): [prefix: string, name: string] {
  const match = NAME.exec(text)
  if (!match) throw broken()
  return [match[1] ?? '', match[2] ?? '']
}

function resolve(scope: Scope, prefix: string): string {
  const space = Object.hasOwn(scope, prefix) ? scope[prefix] : undefined
  if (space === undefined) throw broken()
  return space
}

type Raw = ReadonlyMap<string, string>

function readAttributes(text: string): Raw {
  const found = new Map<string, string>()
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE)) {
    if (found.has(name)) throw broken()
    found.set(name, decodeEntities(double ?? single ?? ''))
  }
  return found
}

function declarations(raw: Raw): Scope {
  const scope: Record<string, string> = {}
  for (const [name, value] of raw) {
    if (name === 'xmlns') scope[''] = value
    else if (name.startsWith('xmlns:')) scope[splitName(name)[1]] = value
  }
  return scope
}

const resolveAll = (raw: Raw, scope: Scope): Attribute[] =>
  [...raw]
    .filter(([name]) => name !== 'xmlns' && !name.startsWith('xmlns:'))
    .map(([text, value]) => {
      const [prefix, name] = splitName(text)
      return { space: prefix === '' ? '' : resolve(scope, prefix), prefix, name, value }
    })

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(x[0-9a-f]{1,6}|\d{1,7})|(\w+));|&/gi, (_, number?: string, name = '') => {
    const plain = number ? characterOf(Number(number.replace('x', '0x'))) : ENTITIES.get(name)
    if (plain === undefined || CONTROL.test(plain)) throw broken()
    return plain
  })

const characterOf = (code: number): string | undefined =>
  code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined
