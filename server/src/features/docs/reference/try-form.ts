import { type Html, html } from '../../../../../embed/src/html.ts'
import { leastBody } from './least-body.ts'
import type { Operation, Parameter, ReferenceDocument } from './reference-document.ts'

/** Sends no cookies, so an operation that needs a session cannot be tried, nor one that takes a file. */
const isTryable = ({ security = [], requestBody }: Operation): boolean => {
  const isJson = !requestBody || 'application/json' in (requestBody.content ?? {})
  const needsSession = security.length > 0 && security.every((schemes) => 'session' in schemes)
  return isJson && !needsSession
}

/** A form that sends the request to this server; `reference-script.js` shows it and reads it. */
export function tryForm(
  document: ReferenceDocument,
  operation: Operation,
  parameters: readonly Parameter[],
): Html | null {
  if (!isTryable(operation)) return null
  const { operationId, method, path, requestBody, security = [] } = operation
  const schemes = new Set(security.flatMap((each) => Object.keys(each)))
  const credentials = [
    ...(schemes.has('bearer')
      ? [field(operationId, { name: 'Authorization', place: 'token', label: 'Access token' })]
      : []),
    ...(schemes.has('deviceId') ? [field(operationId, { name: 'X-Device-Id', place: 'device', label: 'Device' })] : []),
    ...(schemes.has('apiKeyId')
      ? [field(operationId, { name: 'X-API-Key-ID', place: 'header', label: 'Key id' })]
      : []),
    ...(schemes.has('apiKeySecret')
      ? [field(operationId, { name: 'X-API-Key-Secret', place: 'header', label: 'Key secret', type: 'password' })]
      : []),
  ]
  const inputs = parameters
    .filter(({ name }) => name !== 'If-None-Match')
    .map(({ name, in: place, required, schema }) => {
      const value = place === 'path' ? String(schema?.examples?.[0] ?? schema?.enum?.[0] ?? '') : ''
      return field(operationId, {
        name,
        place,
        label: name,
        value,
        isRequired: required === true && place !== 'header',
      })
    })
  const id = `${operationId}-body`
  const body =
    requestBody &&
    html`<label for="${id}">Body</label><textarea id="${id}" name="body" rows="6" spellcheck="false">${JSON.stringify(leastBody(document, operation) ?? {}, null, 2)}</textarea>`
  return html`<details class="try" hidden><summary>Try it</summary><form data-method="${method}" data-path="${path}">${credentials}${inputs}${body}<button type="submit">Send ${method}</button>${method !== 'GET' && html`<p>This changes data of this server.</p>`}</form><div class="outcome" role="status"></div></details>`
}

interface Field {
  readonly name: string
  readonly place: string
  readonly label: string
  readonly value?: string
  readonly type?: string
  readonly isRequired?: boolean
}

function field(
  operationId: string,
  { name, place, label, value = '', type = 'text', isRequired = false }: Field,
): Html {
  const id = `${operationId}-${name}`
  return html`<label for="${id}">${label}</label><input id="${id}" name="${name}" data-place="${place}" type="${type}" value="${value}" autocomplete="off" spellcheck="false"${isRequired && html` required`}>`
}
