import { UsageError } from '../command.ts'

export type Field = readonly [name: string, text: string]

/** The words `name=text`. */
export function readFields(words: readonly string[]): Field[] {
  return words.map((word): Field => {
    const end = word.indexOf('=')
    if (end < 1) throw new UsageError(`"${word}" is not a field. Write name=value, or @FILE for a whole body.`)
    return [word.slice(0, end), word.slice(end + 1)]
  })
}

/** The body that the fields make: `optionA.label=Tea` is `{ "optionA": { "label": "Tea" } }`. */
export function bodyFrom(fields: readonly Field[]): Record<string, unknown> {
  const body = newObject()
  for (const [name, text] of fields) {
    const path = name.split('.')
    const last = path.pop() ?? ''
    if (last === '' || path.includes('')) throw new UsageError(`"${name}" has an empty part between its dots.`)
    const parent = path.reduce((object, part) => {
      object[part] ??= newObject()
      const child = object[part]
      if (!isObject(child)) throw new UsageError(`"${part}" in "${name}" already has a value that is not an object.`)
      return child
    }, body)
    if (last in parent) throw new UsageError(`"${name}" is given twice.`)
    parent[last] = readValue(name, text)
  }
  return body
}

/** Without a prototype, so that `__proto__` is a name like any other. */
const newObject = (): Record<string, unknown> => Object.create(null)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const JSON_WORD = /^(?:true|false|null|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?)$/
const JSON_OPENING = /^\s*["[{]/

/** Parses a value that looks like JSON; any other value is text. To pass text that looks like JSON, put it in quotes. */
function readValue(name: string, text: string): unknown {
  if (!JSON_WORD.test(text) && !JSON_OPENING.test(text)) return text
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UsageError(`The value of "${name}" begins like JSON and is not. For a text, write JSON in quotes.`, {
      cause,
    })
  }
}
