import { type FieldProblem, invalidInput, malformedJson } from '../base/errors.ts'
import { textProblem } from '../base/text.ts'
import { shortened } from './validate.ts'

const DEEPEST = 32
/** Far more than any request needs; each costs the schemas some microseconds. */
const MOST_VALUES = 2_000

/** The text as JSON that no two parsers can read differently. */
export function parseJson(text: string): unknown {
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

/** Looks for what JSON.parse hides: a key given twice, nesting, and numbers of values. The text is known to be valid JSON. */
function structureProblem(text: string): FieldProblem | null {
  // The keys of each object that is open; an array has none.
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
        if (isRepeated(open.at(-1), key)) return problem(key, 'duplicate_key', 'This key is given twice.')
        break
      }
      case '{':
      case '[':
        open.push(text[at] === '{' ? new Set() : null)
        values++
        if (open.length > DEEPEST) return problem('', 'too_deep', `Nesting deeper than ${DEEPEST} is refused.`)
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        values++
    }
    if (values > MOST_VALUES) return problem('', 'too_many_values', `More than ${MOST_VALUES} values are refused.`)
  }
  return null
}

/** A loop and no expression: one with a repeated group runs out of its stack in a long string, and then takes seconds. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function isRepeated(keys: Set<string> | null | undefined, key: string): boolean {
  if (keys?.has(key)) return true
  keys?.add(key)
  return false
}

/**
 * The first one is told, and no more: an answer that names each of thousands under a path of kilobytes would be far
 * larger than the body that asked for it.
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
