import { tokenize, tokenTypes } from 'css-tree/tokenizer'
import { type CssRule, type Problems, ReadEnough } from './problems.ts'
import { ADDRESS_FUNCTIONS, AT_RULES, FUNCTIONS } from './vocabulary.ts'

export const MOST_BYTES = 48 * 1024
const DEEPEST = 12
/** Far above the limit of rules, which is reported with its place. This limit bounds the work of the parser. */
const MOST_BLOCKS = 4_000

const { AtKeyword, BadString, BadUrl, Comment, Function: FunctionToken, String: StringToken, Url } = tokenTypes
const OPENING = new Map<number, number>([
  [FunctionToken, tokenTypes.RightParenthesis],
  [tokenTypes.LeftParenthesis, tokenTypes.RightParenthesis],
  [tokenTypes.LeftSquareBracket, tokenTypes.RightSquareBracket],
  [tokenTypes.LeftCurlyBracket, tokenTypes.RightCurlyBracket],
])
const CLOSING = new Set(OPENING.values())

/**
 * Checks that need only characters and tokens, before a parser runs. A parser would silently close open blocks, and recurse
 * as deep as the nesting goes; both are refused here.
 */
export function checkText(text: string, problems: Problems): void {
  if (Buffer.byteLength(text) > MOST_BYTES) {
    problems.addAtOffset(0, 'css_size', `Must have at most ${MOST_BYTES / 1024} KiB.`)
    return
  }
  checkCharacters(text, problems)
  checkTokens(text, problems)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
const UNWANTED = /[<>]|[\x00-\x08\x0b\x0e-\x1f\x7f\ufeff]/g

function checkCharacters(text: string, problems: Problems): void {
  for (const { 0: character, index } of text.matchAll(UNWANTED)) {
    if (/[<>]/.test(character))
      problems.addAtOffset(index, 'css_angle_bracket', `${character} is not allowed, not even in comments and strings.`)
    else problems.addAtOffset(index, 'css_character', 'Control characters are not allowed.')
  }
}

interface Open {
  readonly closing: number
  readonly offset: number
}

function checkTokens(text: string, problems: Problems): void {
  const open: Open[] = []
  let blocks = 0
  tokenize(text, (type, start, end) => {
    if (type === tokenTypes.LeftCurlyBracket && ++blocks > MOST_BLOCKS) {
      problems.addAtOffset(start, 'css_size', `Must have at most ${MOST_BLOCKS} blocks.`)
      throw new ReadEnough()
    }
    const token = text.slice(start, end)
    checkToken(type, token, (rule, message) => problems.addAtOffset(start, rule, message))
    const closing = OPENING.get(type)
    if (closing !== undefined) {
      open.push({ closing, offset: start })
      if (open.length <= DEEPEST) return
      problems.addAtOffset(start, 'css_depth', `Brackets must not be nested deeper than ${DEEPEST}.`)
      throw new ReadEnough()
    }
    if (!CLOSING.has(type)) return
    const partner = open.findLastIndex((opened) => opened.closing === type)
    if (partner < 0) problems.addAtOffset(start, 'css_syntax', `Syntax error: ${token} without an opening bracket.`)
    else reportUnclosed(open.splice(partner).slice(1), problems)
  })
  reportUnclosed(open, problems)
}

function reportUnclosed(open: readonly Open[], problems: Problems): void {
  for (const { offset } of open)
    problems.addAtOffset(offset, 'css_syntax', 'Syntax error: this bracket is never closed.')
}

type Report = (rule: CssRule, message: string) => void

function checkToken(type: number, token: string, report: Report): void {
  if (type === Comment) {
    if (!token.endsWith('*/') || token === '/*/') report('css_syntax', 'Syntax error: this comment is never closed.')
    return
  }
  if (token.includes('\\')) report('css_escape', 'Escapes are not allowed: write the character itself.')
  if (type === BadString || (type === StringToken && !isClosed(token))) {
    report('css_syntax', 'Syntax error: this string is never closed.')
  }
  if (type === Url || type === BadUrl) report('css_address', 'url() is not allowed: a stylesheet cannot load anything.')
  if (type === AtKeyword) checkAtKeyword(token, report)
  if (type === FunctionToken) checkFunction(token.slice(0, -1).toLowerCase(), report)
}

const isClosed = (token: string): boolean => token.length > 1 && token.at(-1) === token[0]

function checkAtKeyword(token: string, report: Report): void {
  if (AT_RULES.has(token.slice(1).toLowerCase())) return
  report('css_at_rule', `${token} is not allowed. Allowed at-rules: @${[...AT_RULES].join(', @')}.`)
}

function checkFunction(name: string, report: Report): void {
  if (ADDRESS_FUNCTIONS.has(name))
    report('css_address', `${name}() is not allowed: a stylesheet cannot load or read anything.`)
  else if (!FUNCTIONS.has(name)) report('css_function', `${name}() is not on the list of functions.`)
}
