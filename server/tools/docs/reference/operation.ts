import { type Html, html } from '../../../../embed/src/render/html.ts'
import { ERRORS } from '../../../src/base/errors.ts'
import { codeBlock, SERVICE } from '../../../src/features/pages/docs/page-parts.ts'
import { API, type Content, type Described, type Operation } from './document.ts'
import { described, fieldList, rulesOf, typeOf, withCode } from './fields.ts'
import { leastBody, tryForm } from './try-form.ts'

/** One operation: who may send it, what goes in, what comes out, and a form that sends it. */
export function operationView(operation: Operation): Html {
  const { operationId, method, path, summary, description } = operation
  const isRequest = method !== 'EVENT'
  return html`<section class="operation"><h2 id="${operationId}">${summary}<a class="anchor" href="#${operationId}" aria-label="Link to this operation">#</a></h2><p class="line"><span class="method">${method}</span> <code>${path}</code></p>${described(description)}${isRequest && access(operation)}${parameterList(operation)}${bodyView(operation)}${isRequest && requestExample(operation)}${answersView(operation)}${isRequest && tryForm(operation)}</section>`
}

const SCHEMES: Readonly<Record<string, string>> = {
  bearer: 'an access token, in `Authorization: Bearer …`',
  session: 'the session of a person, on a page of the service',
  deviceId: 'a device, in `X-Device-Id`',
  apiKeyId: 'an API key, in `X-API-Key-ID`',
  apiKeySecret: '`X-API-Key-Secret`',
}

const access = (operation: Operation): Html => html`<p class="access"><b>Needs</b> ${withCode(needsOf(operation))}.</p>`

/** Who may send it, in words. */
export function needsOf({ security = [] }: Operation): string {
  const ways = security.map((schemes) => {
    const names = Object.keys(schemes)
    return names.length === 0
      ? 'nothing'
      : names.map((name) => SCHEMES[name] ?? API.components.securitySchemes[name]?.description ?? name).join(' and ')
  })
  return ways.length === 0 ? 'nothing: everybody may send it' : ways.join('; or ')
}

function parameterList({ parameters = [] }: Operation): Html | null {
  if (parameters.length === 0) return null
  const rows = parameters.map(
    ({ name, in: place, required, description, schema = {} }) =>
      html`<dt><code>${name}</code> <span class="type">${typeOf(schema)}, ${place}</span>${required && html` <span class="required">required</span>`}</dt><dd>${described(description)}${rulesOf(schema)}</dd>`,
  )
  return html`<h3>Parameters</h3><dl class="fields">${rows}</dl>`
}

function bodyView({ requestBody, method }: Operation): Html | null {
  if (!requestBody) return null
  const [type = '', content = {}] = Object.entries(requestBody.content ?? {})[0] ?? []
  return html`<h3>Body</h3>${described(requestBody.description)}${type !== 'application/json' && html`<p>Content type <code>${type}</code>.</p>`}${content.schema && fieldList(content.schema)}${method === 'EVENT' && exampleOf(content)}`
}

const exampleOf = ({ example }: Content): Html | null =>
  example === undefined ? null : codeBlock(JSON.stringify(example, null, 2), 'json')

/** A path with the examples of its parameters. */
const examplePath = ({ path, parameters = [] }: Operation): string =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const example = parameters.find((each) => each.name === name)?.schema
    return String(example?.examples?.[0] ?? example?.enum?.[0] ?? whole)
  })

function requestExample(operation: Operation): Html {
  const { method, parameters = [], security = [] } = operation
  const scheme = Object.keys(security[0] ?? {})
  const headers = [
    ...(scheme.includes('bearer') ? ['Authorization: Bearer $TOKEN'] : []),
    ...(scheme.includes('deviceId') ? ['X-Device-Id: $DEVICE'] : []),
    ...(scheme.includes('apiKeyId') ? ['X-API-Key-ID: $KEY_ID', 'X-API-Key-Secret: $KEY_SECRET'] : []),
    ...parameters.filter((one) => one.in === 'header' && one.required).map(({ name }) => `${name}: $(uuidgen)`),
  ]
  const body = leastBody(operation)
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${SERVICE}${examplePath(operation)}"`,
    ...headers.map((header) => `-H "${header}"`),
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ]
  return html`<h3>Request</h3>${codeBlock(lines.join(' \\\n  '), 'sh')}`
}

function answersView({ responses, method }: Operation): Html {
  const isRefusal = ([status]: Answer) => method !== 'EVENT' && Number(status) >= 400
  const all = Object.entries(responses)
  const refusals = all.filter(isRefusal)
  return html`<h3>Answers</h3>${all.filter((answer) => !isRefusal(answer)).map(successView)}${refusals.length > 0 && html`<h3>Errors</h3>${refusalTable(refusals)}`}`
}

type Answer = readonly [status: string, answer: Described]

function successView([status, { description = '', content = {} }]: Answer): Html {
  const [type, first] = Object.entries(content)[0] ?? []
  const fields = first?.schema && fieldList(first.schema)
  return html`<p><span class="status">${status}</span> ${withCode(description)}${type && type !== 'application/json' && html` <code>${type}</code>`}</p>${first && exampleOf(first)}${fields && html`<details><summary>Fields of the answer</summary>${fields}</details>`}`
}

/** The codes of each status, with what they mean from the catalogue of errors. */
function refusalTable(refusals: readonly Answer[]): Html {
  const rows = refusals.flatMap(([status, answer]) => {
    const codes = codesOf(answer)
    if (codes.length === 0)
      return html`<tr><td>${status}</td><td></td><td>${withCode(answer.description ?? '')}</td></tr>`
    return codes.map(
      (code) =>
        html`<tr><td>${status}</td><td><a href="/docs/errors#${code.toLowerCase()}"><code>${code}</code></a></td><td>${withCode(meaningOf(code))}</td></tr>`,
    )
  })
  return html`<div class="table" tabindex="0"><table><thead><tr><th>status</th><th>code</th><th>when</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

export function codesOf({ content = {} }: Described): string[] {
  const { example, examples } = content['application/json'] ?? {}
  if (examples) return Object.keys(examples)
  const code = (example as { error?: { code?: string } } | undefined)?.error?.code
  return code === undefined ? [] : [code]
}

export const meaningOf = (code: string): string => (code in ERRORS ? ERRORS[code as keyof typeof ERRORS].when : '')
