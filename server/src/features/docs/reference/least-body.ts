import { type Operation, type ReferenceDocument, resolved } from './reference-document.ts'

/**
 * The least that an operation takes, from its example: what is required or, where nothing is, the first field. The whole
 * example names pictures and categories that the reader's service does not have.
 */
export function leastBody(document: ReferenceDocument, { requestBody }: Operation): object | undefined {
  const { schema, example } = requestBody?.content?.['application/json'] ?? {}
  if (!schema || typeof example !== 'object' || example === null) return undefined
  const { required = [], anyOf = [] } = resolved(document, schema)
  const needed = new Set([...required, ...(anyOf[0]?.required ?? [])])
  const fields = Object.entries(example)
  const least = needed.size === 0 ? fields.slice(0, 1) : fields.filter(([name]) => needed.has(name))
  return Object.fromEntries(least)
}
