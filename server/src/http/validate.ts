import type { z } from 'zod'
import type { FieldProblem } from '../base/errors.ts'
import { counted } from '../base/text.ts'

/** Enough to fix a request; with more, an answer would be larger than its request. */
const MOST_PROBLEMS = 50
const LONGEST_PATH = 200

export const shortened = (path: string): string =>
  path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH).toWellFormed()}…` : path

export interface Checked<T> {
  readonly value: T | undefined
  readonly problems: readonly FieldProblem[]
}

/** Checks one part of a request. The problems of all parts are answered together. */
export function check<T>(schema: z.ZodType<T>, input: unknown, prefix = ''): Checked<T> {
  const result = schema.safeParse(input, { error: messageOf })
  if (result.success) return { value: result.data, problems: [] }
  return { value: undefined, problems: firstProblems(result.error.issues, input, prefix) }
}

/** If several rules fail at one path, line and column, only the first is reported. */
function firstProblems(issues: readonly z.core.$ZodIssue[], input: unknown, prefix: string): FieldProblem[] {
  const found = new Map<string, FieldProblem>()
  for (const issue of issues.slice(0, MOST_PROBLEMS)) {
    for (const problem of describe(issue, input, prefix)) {
      const place = JSON.stringify([problem.path, problem.line, problem.column])
      if (!found.has(place)) found.set(place, problem)
    }
    if (found.size >= MOST_PROBLEMS) break
  }
  return [...found.values()].slice(0, MOST_PROBLEMS)
}

/** Frozen, because many requests may share the result. */
export function checkForAll<T>(schema: z.ZodType<T>, input: unknown): Checked<T> {
  return deepFreeze(check(schema, input))
}

export const isAccepted = ({ problems }: Checked<unknown>): boolean => problems.length === 0

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(Object.freeze(value))) deepFreeze(inner)
  }
  return value
}

function describe(issue: z.core.$ZodIssue, input: unknown, prefix: string): FieldProblem[] {
  const path = [...(prefix ? [prefix] : []), ...issue.path.map(String)]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MOST_PROBLEMS).map((key) => ({
      path: shortened([...path, key].join('.')),
      code: 'unknown_field',
      message: 'Unknown field.',
    }))
  }
  const isMissing = /^invalid_(type|value)$/.test(issue.code) && valueAt(input, issue.path) === undefined
  if (isMissing) return [{ path: shortened(path.join('.')), code: 'required', message: 'Required.' }]
  return [{ path: shortened(path.join('.')), code: codeOf(issue), message: issue.message, ...placeOf(issue) }]
}

/** Our own rules carry their error code. A length has the code that `text` of `base/fields` gives it. */
function codeOf(issue: z.core.$ZodIssue): string {
  const own = issue.code === 'custom' ? issue.params?.['code'] : undefined
  if (typeof own === 'string') return own
  if (issue.code === 'too_big' && issue.origin === 'string') return 'too_long'
  return issue.code === 'too_small' && issue.origin === 'string' ? 'too_short' : issue.code
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/** The message of a rule that has none of its own. */
function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `Must be ${TYPES[issue.expected] ?? issue.expected}.`
    case 'invalid_value':
      return `Must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}.`
    case 'too_small':
      return sizeRule('at least', issue.origin, Number(issue.minimum))
    case 'too_big':
      return sizeRule('at most', issue.origin, Number(issue.maximum))
    case 'invalid_format':
      return issue.pattern ? `Must match ${issue.pattern}.` : `Must have the format ${issue.format}.`
    default:
      return 'Must have an allowed form.'
  }
}

const SIZED: Readonly<Record<string, string>> = { string: 'character', array: 'value' }

function sizeRule(bound: string, origin: string, size: number): string {
  const noun = SIZED[origin]
  return noun ? `Must have ${bound} ${counted(size, noun)}.` : `Must be ${bound} ${size}.`
}

/** Our own rules may give a line and column within a long text. */
function placeOf(issue: z.core.$ZodIssue): Pick<FieldProblem, 'line' | 'column'> {
  const { line, column } = (issue.code === 'custom' && issue.params) || {}
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : {}
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[step]
  }
  return value
}
