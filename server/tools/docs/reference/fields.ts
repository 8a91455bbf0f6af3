import { type Html, html } from '../../../../embed/src/render/html.ts'
import type { Schema } from './document.ts'

/** A description of the interface: paragraphs, and code between backticks. Everything else in it is text. */
export function described(text = ''): Html {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '')
  return html`${paragraphs.map((paragraph) => html`<p>${withCode(paragraph)}</p>`)}`
}

/** Every second part stands between backticks. */
export const withCode = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`

/** Deeper fields are told by the example. */
const DEEPEST = 4

/** The fields of a body, with the fields inside of them folded up. */
export function fieldList(given: Schema, depth = 0): Html | null {
  const schema = fieldsOf(given)
  const properties = Object.entries(schema?.properties ?? {})
  if (properties.length === 0 || depth > DEEPEST) return null
  const fields = properties.map(([name, field]) => {
    const inner = fieldList(field, depth + 1)
    return html`<dt><code>${name}</code> <span class="type">${typeOf(field)}</span>${schema?.required?.includes(name) && html` <span class="required">required</span>`}</dt><dd>${described(field.description)}${rulesOf(field)}${inner && html`<details><summary>Fields of <code>${name}</code></summary>${inner}</details>`}</dd>`
  })
  return html`<dl class="fields">${fields}</dl>`
}

/** The object that a schema describes: itself, an element of its list, or its only alternative to null. */
export function fieldsOf(schema: Schema): Schema | null {
  if (schema.properties) return schema
  if (schema.items) return fieldsOf(schema.items)
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []).map(fieldsOf)
  return alternatives.find((each) => each !== null) ?? null
}

/** A type in words: `string`, `list of objects`, `integer or null`. */
export function typeOf(schema: Schema): string {
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map(typeOf))].join(' or ')
  if (schema.items) return `list of ${typeOf(schema.items)}`
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return schema.format ?? String(schema.type ?? (schema.enum ? 'string' : 'any'))
}

/** The rules of a value that its type does not tell. */
export function rulesOf(schema: Schema): Html | null {
  const rules = ruleTexts(schema)
  return rules.length === 0 ? null : html`<p class="rules">${withCode(rules.join(' · '))}</p>`
}

/** The rules one by one, with code between backticks. */
export function ruleTexts(schema: Schema): string[] {
  const code = (value: unknown) => `\`${JSON.stringify(value)}\``
  const alternatives = [schema, ...(schema.anyOf ?? [])]
  const values = [...alternatives, ...(schema.items ? [schema.items] : [])].flatMap(
    (part) => part.enum ?? (part.const === undefined ? [] : [part.const]),
  )
  return [
    ...(values.length > 0 ? [`one of ${values.map(code).join(', ')}`] : []),
    ...alternatives.flatMap(boundsOf),
    ...(schema.pattern ? [`pattern \`${schema.pattern}\``] : []),
    ...(schema.default === undefined ? [] : [`default ${code(schema.default)}`]),
  ]
}

/** Integers without a bound have the largest and the smallest safe one in `openapi.json`. */
const isBound = (value = Number.MAX_SAFE_INTEGER): boolean => Math.abs(value) < Number.MAX_SAFE_INTEGER

const boundsOf = (part: Schema): string[] =>
  (
    [
      [part.minLength, part.maxLength, ' characters'],
      [part.minItems, part.maxItems, ' elements'],
      [part.minimum, part.maximum, ''],
    ] as const
  ).flatMap(([least, most, unit]) => {
    if (isBound(most)) return isBound(least) ? `${least} to ${most}${unit}` : `at most ${most}${unit}`
    return isBound(least) && least !== 0 ? `at least ${least}${unit}` : []
  })
