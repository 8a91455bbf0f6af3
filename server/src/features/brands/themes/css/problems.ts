import type { CssNode } from 'css-tree'

/** The reasons for refusing a stylesheet. Each is explained in docs/guides/theming.md. */
export type CssRule =
  | 'css_angle_bracket'
  | 'css_at_rule'
  | 'css_character'
  | 'css_cost'
  | 'css_depth'
  | 'css_escape'
  | 'css_nesting'
  | 'css_property'
  | 'css_reserved'
  | 'css_selector'
  | 'css_size'
  | 'css_syntax'
  | 'css_value'

export interface TextPosition {
  readonly line: number
  readonly column: number
}

export interface CssProblem extends TextPosition {
  readonly rule: CssRule
  readonly message: string
}

/** Enough to fix a stylesheet. */
const MOST_PROBLEMS = 50

/** Thrown where reading on would cost too much. */
export class TooMuch extends Error {}

export class Problems {
  readonly #text: string
  readonly #found: CssProblem[] = []

  constructor(text: string) {
    this.#text = text
  }

  get isEmpty(): boolean {
    return this.#found.length === 0
  }

  inOrder(): readonly CssProblem[] {
    return this.#found.toSorted((left, right) => left.line - right.line || left.column - right.column)
  }

  add(rule: CssRule, message: string, { line, column }: TextPosition): void {
    if (this.#found.length < MOST_PROBLEMS) this.#found.push({ rule, message: shortened(message), line, column })
  }

  addAt(node: CssNode, rule: CssRule, message: string): void {
    this.add(rule, message, node.loc?.start ?? { line: 1, column: 1 })
  }

  /** Ends the reading, because going on would cost too much. */
  refuse(offset: number, rule: CssRule, message: string): never {
    this.addAtOffset(offset, rule, message)
    throw new TooMuch()
  }

  addAtOffset(offset: number, rule: CssRule, message: string): void {
    if (this.#found.length < MOST_PROBLEMS) this.add(rule, message, positionAt(this.#text, offset))
  }
}

const LONGEST_MESSAGE = 300

/** A message quotes a refused name, and a name can be as long as the stylesheet. */
const shortened = (message: string): string =>
  message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE).toWellFormed()}….` : message

const LF = 0x0a
const FF = 0x0c
const CR = 0x0d

/** Reads only what stands before: a list of all line breaks would cost the most for a text that is refused at its beginning. */
function positionAt(text: string, offset: number): TextPosition {
  let line = 1
  let lineStart = 0
  for (let i = 0; i < offset; i++) {
    const code = text.charCodeAt(i)
    if (code === LF || code === FF || (code === CR && text.charCodeAt(i + 1) !== LF)) {
      line++
      lineStart = i + 1
    }
  }
  return { line, column: offset - lineStart + 1 }
}
