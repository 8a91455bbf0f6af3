import { type Html, html } from '../../../../embed/src/render/html.ts'
import type { Operation } from './document.ts'

/**
 * The least that an operation takes, from its example: what is required or, where nothing is, the first field. The whole
 * example names pictures and categories that the reader's service does not have.
 */
export function leastBody({ requestBody }: Operation): object | undefined {
  const { schema, example } = requestBody?.content?.['application/json'] ?? {}
  if (!schema || typeof example !== 'object' || example === null) return undefined
  const { required = [], anyOf = [] } = schema
  const needed = new Set([...required, ...(anyOf[0]?.required ?? [])])
  const fields = Object.entries(example)
  const least = needed.size === 0 ? fields.slice(0, 1) : fields.filter(([name]) => needed.has(name))
  return Object.fromEntries(least)
}

/** Sends no cookies, so an operation that needs a session cannot be tried, nor one that takes a file. */
const isTryable = ({ security = [], requestBody }: Operation): boolean => {
  const isJson = !requestBody || 'application/json' in (requestBody.content ?? {})
  const needsSession = security.length > 0 && security.every((schemes) => 'session' in schemes)
  return isJson && !needsSession
}

interface Field {
  readonly name: string
  readonly place: string
  readonly label?: string
  readonly value?: string
  readonly type?: string
  readonly isRequired?: boolean
}

const CREDENTIALS: Readonly<Record<string, Field>> = {
  bearer: { name: 'Authorization', place: 'token', label: 'Access token' },
  deviceId: { name: 'X-Device-Id', place: 'device', label: 'Device' },
  apiKeyId: { name: 'X-API-Key-ID', place: 'header', label: 'Key id' },
  apiKeySecret: { name: 'X-API-Key-Secret', place: 'header', label: 'Key secret', type: 'password' },
}

/** A form that sends the request to this server; `browser/reference.js` shows it and reads it. */
export function tryForm(operation: Operation): Html | null {
  if (!isTryable(operation)) return null
  const { operationId, method, path, requestBody, parameters = [], security = [] } = operation
  const schemes = new Set(security.flatMap((each) => Object.keys(each)))
  const credentials = Object.entries(CREDENTIALS).flatMap(([scheme, field]) => (schemes.has(scheme) ? [field] : []))
  const inputs = parameters
    .filter(({ name }) => name !== 'If-None-Match')
    .map(({ name, in: place, required = false, schema }): Field => {
      const value = place === 'path' ? String(schema?.examples?.[0] ?? schema?.enum?.[0] ?? '') : ''
      return { name, place, value, isRequired: required && place !== 'header' }
    })
  const fields = [...credentials, ...inputs].map((field) => fieldView(operationId, field))
  const id = `${operationId}-body`
  const body =
    requestBody &&
    html`<label for="${id}">Body</label><textarea id="${id}" name="body" rows="6" spellcheck="false">${JSON.stringify(leastBody(operation) ?? {}, null, 2)}</textarea>`
  return html`<details class="try" hidden><summary>Try it</summary><form data-method="${method}" data-path="${path}">${fields}${body}<button type="submit">Send ${method}</button>${method !== 'GET' && html`<p>This changes data of this server.</p>`}</form><div class="outcome" role="status"></div></details>`
}

function fieldView(operationId: string, field: Field): Html {
  const { name, place, label = name, value = '', type = 'text', isRequired = false } = field
  const id = `${operationId}-${name}`
  return html`<label for="${id}">${label}</label><input id="${id}" name="${name}" data-place="${place}" type="${type}" value="${value}" autocomplete="off" spellcheck="false"${isRequired && html` required`}>`
}
