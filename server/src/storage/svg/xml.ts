import { PictureRefused } from '../pictures/picture-refused.ts'

export interface Attribute {
  /** Empty if the name has no prefix. */
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
const MOST_ATTRIBUTES = 200_000
const MOST_ATTRIBUTES_OF_ELEMENT = 200
const MOST_PREFIXES = 50
const LONGEST_NAMESPACE = 1_000
const XML_SPACE = 'http://www.w3.org/XML/1998/namespace'

// Each pattern is sticky and a plain sequence of runs: it reads a character once and never backtracks.
const DECLARATION =
  /<\?xml\s+version=["']1\.\d["'](?:\s+encoding=["']utf-8["'])?(?:\s+standalone=["'](?:yes|no)["'])?\s*\?>/iy
const SPACE = /\s+/y
const WORD = /[\w.:-]+/y
const TEXT = /[^<]+/y
const EQUALS = /\s*=\s*/y
const DOUBLE_QUOTED = /"[^"<]*"/y
const SINGLE_QUOTED = /'[^'<]*'/y
const TAG_END = /\/?>/y

const NAME = /^(?:([A-Za-z_][\w-]*):)?([A-Za-z_][\w.-]*)$/
const ENTITIES = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }))
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/

/** The namespace of each prefix; the empty prefix has the default namespace. */
type Scope = ReadonlyMap<string, string>
type Raw = ReadonlyMap<string, string>

const broken = () => new PictureRefused('unsafe_svg', 'The file is not well-formed XML in UTF-8.')
const tooMany = (what: string) => new PictureRefused('unsafe_svg', `The picture has too many ${what}.`)

/** A one-pass parser for the subset of XML that pictures need. Later steps need not consider anything else. */
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
  #attributes = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): Element {
    this.#take(DECLARATION)
    this.#skipAround()
    const root = this.#element(
      new Map([
        ['xml', XML_SPACE],
        ['', ''],
      ]),
      0,
    )
    this.#skipAround()
    if (this.#at < this.#text.length) throw broken()
    return root
  }

  /** Matches a sticky pattern at the current position. */
  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? null
    if (found !== null) this.#at += found.length
    return found
  }

  #need(pattern: RegExp): string {
    const found = this.#take(pattern)
    if (found === null) throw broken()
    return found
  }

  #isAt(text: string): boolean {
    return this.#text.startsWith(text, this.#at)
  }

  /** The text between `open`, at the current position, and the first `close`. */
  #between(open: string, close: string): string | null {
    if (!this.#isAt(open)) return null
    const start = this.#at + open.length
    const end = this.#text.indexOf(close, start)
    if (end < 0) throw broken()
    this.#at = end + close.length
    return this.#text.slice(start, end)
  }

  #comment = (): string | null => this.#between('<!--', '-->')

  #skipAround(): void {
    while (this.#take(SPACE) !== null || this.#comment() !== null);
    if (/^<!DOCTYPE/i.test(this.#text.slice(this.#at, this.#at + 9))) {
      throw new PictureRefused('unsafe_svg', 'A DOCTYPE is not allowed: export the file without it.')
    }
    if (this.#isAt('<?')) throw new PictureRefused('unsafe_svg', 'Processing instructions are not allowed.')
  }

  #element(outer: Scope, depth: number): Element {
    if (!this.#isAt('<')) throw broken()
    this.#at++
    const tag = this.#need(WORD)
    this.#elements++
    if (depth > DEEPEST || this.#elements > MOST_ELEMENTS) throw tooMany('elements')
    const raw = this.#rawAttributes()
    const scope = innerScope(outer, raw)
    const [prefix, name] = splitName(tag)
    const element = { space: resolve(scope, prefix), name, attributes: resolveAll(raw, scope), children: [] }
    if (this.#need(TAG_END) === '/>') return element
    this.#content(element, scope, depth)
    this.#at += '</'.length
    if (this.#need(WORD) !== tag) throw broken()
    this.#take(SPACE)
    if (this.#need(TAG_END) !== '>') throw broken()
    return element
  }

  /** Reads attributes, each after white space, up to the end of the tag. */
  #rawAttributes(): Raw {
    const found = new Map<string, string>()
    while (this.#take(SPACE) !== null) {
      const name = this.#take(WORD)
      if (name === null) break
      this.#need(EQUALS)
      const quoted = this.#need(this.#isAt('"') ? DOUBLE_QUOTED : SINGLE_QUOTED)
      if (found.has(name)) throw broken()
      found.set(name, decodeEntities(quoted.slice(1, -1)))
      this.#attributes++
      if (found.size > MOST_ATTRIBUTES_OF_ELEMENT || this.#attributes > MOST_ATTRIBUTES) throw tooMany('attributes')
    }
    return found
  }

  /** Reads up to the end tag, which is not consumed. */
  #content({ children }: Element, scope: Scope, depth: number): void {
    while (!this.#isAt('</')) {
      const text = this.#take(TEXT)
      const cdata = text === null ? this.#between('<![CDATA[', ']]>') : null
      if (text !== null) children.push(decodeEntities(text))
      else if (cdata !== null) children.push(cdata)
      else if (this.#comment() === null) children.push(this.#element(scope, depth + 1))
    }
  }
}

function splitName(text: string): [prefix: string, name: string] {
  const match = NAME.exec(text)
  if (!match) throw broken()
  return [match[1] ?? '', match[2] ?? '']
}

function resolve(scope: Scope, prefix: string): string {
  const space = scope.get(prefix)
  if (space === undefined) throw broken()
  return space
}

/** A new scope only for an element that declares a prefix: a copy for every element would make nesting quadratic. */
function innerScope(outer: Scope, raw: Raw): Scope {
  let inner: Map<string, string> | null = null
  for (const [name, space] of raw) {
    if (!isDeclaration(name)) continue
    if (space.length > LONGEST_NAMESPACE) throw tooMany('characters in a namespace')
    inner ??= new Map(outer)
    inner.set(name === 'xmlns' ? '' : splitName(name)[1], space)
    if (inner.size > MOST_PREFIXES) throw tooMany('namespaces')
  }
  return inner ?? outer
}

const isDeclaration = (name: string): boolean => name === 'xmlns' || name.startsWith('xmlns:')

const resolveAll = (raw: Raw, scope: Scope): Attribute[] =>
  [...raw]
    .filter(([name]) => !isDeclaration(name))
    .map(([text, value]) => {
      const [prefix, name] = splitName(text)
      return { space: prefix === '' ? '' : resolve(scope, prefix), prefix, name, value }
    })

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(x[0-9a-f]{1,6}|\d{1,7})|(\w{1,4}));|&/gi, (_, number?: string, name = '') => {
    const plain = number ? characterOf(Number(number.replace('x', '0x'))) : ENTITIES.get(name)
    if (plain === undefined || CONTROL.test(plain)) throw broken()
    return plain
  })

const characterOf = (code: number): string | undefined =>
  code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined
