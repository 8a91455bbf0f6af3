import { tokenize, tokenTypes } from 'css-tree/tokenizer'
import type { Problems } from './problems.ts'

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
