import { type FieldProblem, invalidInput, malformedJson } from '../base/errors.ts'
import { textProblem } from '../base/text.ts'
import { shortened } from './validate.ts'

export const DEEPEST = 32
/** Far more than any request needs; a limit, because each value costs the schemas some microseconds. */
export const MOST_VALUES = 2_000

/** JSON.parse is slow where a text is much deeper, as 64 KiB of brackets. */
const DEEPEST_PARSED = 1_000

/** Parses JSON strictly: no two parsers can read the accepted text differently. */
export function parseJson(text: string): unknown {
  if (text.length > DEEPEST_PARSED) refuseDeep(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformedJson('The body is not valid JSON.')
  }
  const found = structureProblem(text) ?? stringProblem(value)
  if (found) throw invalidInput([found])
  return value
}

/** Refuses without parsing what is far too deep. */
function refuseDeep(text: string): void {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  if (deepest <= DEEPEST_PARSED) return
  if (depth !== 0) throw malformedJson('The body is not valid JSON.')
  throw invalidInput([tooDeep])
}

const [QUOTE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d]

/** Finds what JSON.parse accepts silently: repeated keys, deep nesting and too many values. The text is valid JSON. */
function structureProblem(text: string): FieldProblem | null {
  // The keys of each open object; null for an array.
  const open: (Set<string> | null)[] = []
  let string = ''
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at)
        string = text.slice(at, end)
        at = end - 1
        break
      }
      case ':': {
        const key = JSON.parse(string) as string
        if (isRepeated(open.at(-1), key)) return problem(key, 'duplicate_key', 'Duplicate key.')
        break
      }
      case '{':
      case '[':
        open.push(text[at] === '{' ? new Set() : null)
        values++
        if (open.length > DEEPEST) return tooDeep
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        values++
    }
    if (values > MOST_VALUES) return problem('', 'too_many_values', `Must not have more than ${MOST_VALUES} values.`)
  }
  return null
}

/**
 * The position after the closing quote, or beyond the end of a text that has none. A loop instead of a regular expression: a
 * repeated group overflows its stack on a long string and then takes seconds.
 */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function isRepeated(keys: Set<string> | null | undefined, key: string): boolean {
  if (keys?.has(key)) return true
  keys?.add(key)
  return false
}

/**
 * Reports only the first problem: an answer that lists thousands, each under a long path, would be far larger than the
 * request body.
 */
export function stringProblem(value: unknown, path = ''): FieldProblem | null {
  if (typeof value === 'string') {
    const found = textProblem(value)
    return found && { path: shortened(path), ...found }
  }
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = shortened(path === '' ? key : `${path}.${key}`)
    const found = stringProblem(key, innerPath) ?? stringProblem(inner, innerPath)
    if (found) return found
  }
  return null
}

const problem = (path: string, code: string, message: string): FieldProblem => ({
  path: shortened(path),
  code,
  message,
})

const tooDeep = problem('', 'too_deep', `Must not be nested deeper than ${DEEPEST} levels.`)
