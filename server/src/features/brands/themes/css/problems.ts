import type { CssNode } from 'css-tree'
import { tokenize, tokenTypes } from 'css-tree/tokenizer'

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

export const MOST_BYTES = 48 * 1024
const DEEPEST = 12

const { BadString, BadUrl, Comment, String: StringToken } = tokenTypes
const OPENING = new Map([
  [tokenTypes.Function, tokenTypes.RightParenthesis],
  [tokenTypes.LeftParenthesis, tokenTypes.RightParenthesis],
  [tokenTypes.LeftSquareBracket, tokenTypes.RightSquareBracket],
  [tokenTypes.LeftCurlyBracket, tokenTypes.RightCurlyBracket],
])
const CLOSING = new Set(OPENING.values())

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
const UNWANTED = /[<>]|[\x00-\x08\x0b\x0e-\x1f\x7f\ufeff]/g

/**
 * Checks that need only characters and tokens, before a parser runs. A parser would silently close open blocks, and recurse
 * as deep as the nesting goes; both are refused here.
 */
export function checkText(text: string, problems: Problems): void {
  if (Buffer.byteLength(text) > MOST_BYTES)
    problems.refuse(0, 'css_size', `Must have at most ${MOST_BYTES / 1024} KiB.`)
  for (const { 0: character, index } of text.matchAll(UNWANTED)) {
    if (/[<>]/.test(character))
      problems.addAtOffset(index, 'css_angle_bracket', `${character} is not allowed, not even in comments and strings.`)
    else problems.addAtOffset(index, 'css_character', 'Control characters are not allowed.')
  }
  checkBrackets(text, problems)
}

function checkBrackets(text: string, problems: Problems): void {
  const open: { readonly closing: number; readonly offset: number }[] = []
  const isUnclosed = (offset: number) =>
    problems.addAtOffset(offset, 'css_syntax', 'Syntax error: this is never closed.')
  const close = (type: number, offset: number) => {
    const partner = open.findLastIndex((opened) => opened.closing === type)
    if (partner < 0) problems.addAtOffset(offset, 'css_syntax', 'Syntax error: this closes no bracket.')
    else for (const unclosed of open.splice(partner).slice(1)) isUnclosed(unclosed.offset)
  }
  tokenize(text, (type, start, end) => {
    const token = text.slice(start, end)
    if (!isClosed(type, token)) isUnclosed(start)
    if (type !== Comment && token.includes('\\'))
      problems.addAtOffset(start, 'css_escape', 'Escapes are not allowed: write the character itself.')
    const closing = OPENING.get(type)
    if (closing !== undefined) open.push({ closing, offset: start })
    if (open.length > DEEPEST)
      problems.refuse(start, 'css_depth', `Brackets must not be nested deeper than ${DEEPEST}.`)
    if (CLOSING.has(type)) close(type, start)
  })
  for (const { offset } of open) isUnclosed(offset)
}

function isClosed(type: number, token: string): boolean {
  if (type === Comment) return token.length > 3 && token.endsWith('*/')
  if (type === StringToken) return token.length > 1 && token.at(-1) === token[0]
  return type !== BadString && type !== BadUrl
}
