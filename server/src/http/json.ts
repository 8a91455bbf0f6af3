import { type FieldProblem, invalidInput, malformedJson } from '../base/errors.ts'
import { shortened } from './validate.ts'

const DEEPEST = 32

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

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g

/** Looks for what JSON.parse hides: a key given twice, and nesting. The text is known to be valid JSON. */
function structureProblem(text: string): FieldProblem | null {
  const open: Set<string>[] = []
  let lastString = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (token !== ':') lastString = token
    else if (isRepeated(open.at(-1), JSON.parse(lastString) as string)) {
      return problem(JSON.parse(lastString) as string, 'duplicate_key', 'This key is given twice.')
    }
    if (open.length > DEEPEST) return problem('', 'too_deep', `Nesting deeper than ${DEEPEST} is refused.`)
  }
  return null
}

function isRepeated(keys: Set<string> | undefined, key: string): boolean {
  if (keys?.has(key)) return true
  keys?.add(key)
  return false
}

/**
 * PostgreSQL refuses U+0000 and would change a lone surrogate. The first one is told, and no more: an answer that names
 * each of thousands under a path of kilobytes would be far larger than the body that asked for it.
 */
export function stringProblem(value: unknown, path = ''): FieldProblem | null {
  if (typeof value === 'string') {
    if (value.includes('\0')) return problem(path, 'nul_character', 'U+0000 is refused.')
    return value.isWellFormed() ? null : problem(path, 'lone_surrogate', 'A lone surrogate is refused.')
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
