import type { CssNode } from 'css-tree'

/** What a stylesheet is refused for. Each is explained in docs/guides/theming.md. */
export type CssRule =
  | 'css_address'
  | 'css_angle_bracket'
  | 'css_at_rule'
  | 'css_attribute'
  | 'css_character'
  | 'css_depth'
  | 'css_escape'
  | 'css_font'
  | 'css_function'
  | 'css_nesting'
  | 'css_outside'
  | 'css_property'
  | 'css_pseudo'
  | 'css_reserved'
  | 'css_selector'
  | 'css_size'
  | 'css_syntax'
  | 'css_value'

export const NESTING = 'Rules inside of rules are refused: write each with its whole selector.'

export interface Place {
  readonly line: number
  readonly column: number
}

export interface CssProblem extends Place {
  readonly rule: CssRule
  readonly message: string
}

/** Enough to fix a stylesheet by. */
const MOST_PROBLEMS = 50

/** Thrown when nothing more is to be told: what remains of a stylesheet is not worth reading. */
export class ReadEnough extends Error {}

export class Problems {
  readonly #text: string
  readonly #found: CssProblem[] = []
  #lineStarts: readonly number[] | null = null

  constructor(text: string) {
    this.#text = text
  }

  get isEmpty(): boolean {
    return this.#found.length === 0
  }

  inOrder(): readonly CssProblem[] {
    return this.#found.toSorted((left, right) => left.line - right.line || left.column - right.column)
  }

  add(rule: CssRule, message: string, { line, column }: Place): void {
    this.#found.push({ rule, message: shortened(message), line, column })
    if (this.#found.length >= MOST_PROBLEMS) throw new ReadEnough()
  }

  addAt(node: CssNode, rule: CssRule, message: string): void {
    this.add(rule, message, node.loc?.start ?? { line: 1, column: 1 })
  }

  addAtOffset(offset: number, rule: CssRule, message: string): void {
    this.#lineStarts ??= lineStartsOf(this.#text)
    const line = this.#lineStarts.findLastIndex((start) => start <= offset)
    this.add(rule, message, { line: line + 1, column: offset - (this.#lineStarts[line] ?? 0) + 1 })
  }
}

const LONGEST_MESSAGE = 200

/** A message names what was refused, and a name can be as long as the stylesheet. */
const shortened = (message: string): string =>
  message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE).toWellFormed()}….` : message

const lineStartsOf = (text: string): number[] => [
  0,
  ...Array.from(text.matchAll(/\r\n|[\n\r\f]/g), ({ 0: end, index }) => index + end.length),
]
