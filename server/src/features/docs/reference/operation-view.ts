import { type Html, html } from '../../../../../embed/src/html.ts'
import { ERRORS } from '../../../base/errors.ts'
import { codeBlock } from '../markdown.ts'
import { inline, withCode } from './inline.ts'
import { leastBody } from './least-body.ts'
import {
  type Content,
  type Described,
  type Operation,
  type Parameter,
  type ReferenceDocument,
  resolved,
} from './reference-document.ts'
import { fieldList, rulesOf, typeOf } from './schema-view.ts'
import { tryForm } from './try-form.ts'

/** One operation: who may send it, what goes in, what comes out, and a form that sends it. */
export function operationView(document: ReferenceDocument, operation: Operation): Html {
  const { operationId, method, path, summary, description, isEvent } = operation
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(document, parameter))
  const line = isEvent
    ? html`<span class="method">EVENT</span> <code>${path}</code>`
    : html`<span class="method" data-method="${method}">${method}</span> <code>${path}</code>`
  return html`<section class="operation"><h2 id="${operationId}">${summary}<a class="anchor" href="#${operationId}" aria-label="Link to this operation">#</a></h2><p class="line">${line}</p>${inline(description)}${access(document, operation)}${parameterList(document, parameters)}${bodyView(document, operation)}${!isEvent && requestExample(document, operation, parameters)}${answersView(document, operation)}${!isEvent && tryForm(document, operation, parameters)}</section>`
}

const SCHEMES: Readonly<Record<string, string>> = {
  bearer: 'an access token, in `Authorization: Bearer …`',
  session: 'the session of a person, on a page of the service',
  deviceId: 'a device, in `X-Device-Id`',
  apiKeyId: 'an API key, in `X-API-Key-ID`',
  apiKeySecret: '`X-API-Key-Secret`',
}

function access({ components }: ReferenceDocument, { security = [], isEvent }: Operation): Html | null {
  if (isEvent) return null
  const ways = security.map((schemes) => {
    const names = Object.keys(schemes)
    return names.length === 0
      ? 'nothing'
      : names.map((name) => SCHEMES[name] ?? components.securitySchemes[name]?.description ?? name).join(' and ')
  })
  const needs = ways.length === 0 ? 'nothing: everybody may send it' : ways.join('; or ')
  return html`<p class="access"><b>Needs</b> ${withCode(needs)}.</p>`
}

function parameterList(document: ReferenceDocument, parameters: readonly Parameter[]): Html | null {
  if (parameters.length === 0) return null
  const rows = parameters.map(
    ({ name, in: place, required, description, schema = {} }) =>
      html`<dt><code>${name}</code> <span class="type">${typeOf(document, schema)}, ${place}</span>${required && html` <span class="required">required</span>`}</dt><dd>${inline(description ?? '')}${rulesOf(resolved(document, schema))}</dd>`,
  )
  return html`<h3>Parameters</h3><dl class="fields">${rows}</dl>`
}

function bodyView(document: ReferenceDocument, { requestBody, isEvent }: Operation): Html | null {
  if (!requestBody) return null
  const [type = '', content = {}] = Object.entries(resolved(document, requestBody).content ?? {})[0] ?? []
  const fields = content.schema && fieldList(document, content.schema)
  return html`<h3>Body</h3>${inline(requestBody.description ?? '')}${type !== 'application/json' && html`<p>Content type <code>${type}</code>.</p>`}${fields}${isEvent && exampleOf(content)}`
}

const exampleOf = ({ example }: Content): Html | null =>
  example === undefined ? null : codeBlock(JSON.stringify(example, null, 2), 'json')

/** A path with the examples of its parameters. */
const examplePath = (path: string, parameters: readonly Parameter[]): string =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const example = parameters.find((each) => each.name === name)?.schema
    return String(example?.examples?.[0] ?? example?.enum?.[0] ?? whole)
  })

function requestExample(document: ReferenceDocument, operation: Operation, parameters: readonly Parameter[]): Html {
  const { method, path, security = [] } = operation
  const scheme = Object.keys(security[0] ?? {})
  const headers = [
    ...(scheme.includes('bearer') ? ['Authorization: Bearer $TOKEN'] : []),
    ...(scheme.includes('deviceId') ? ['X-Device-Id: $DEVICE'] : []),
    ...(scheme.includes('apiKeyId') ? ['X-API-Key-ID: $KEY_ID', 'X-API-Key-Secret: $KEY_SECRET'] : []),
    ...parameters.filter((one) => one.in === 'header' && one.required).map(({ name }) => `${name}: $(uuidgen)`),
  ]
  const body = leastBody(document, operation)
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${document.publicUrl}${examplePath(path, parameters)}"`,
    ...headers.map((header) => `-H "${header}"`),
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ]
  return html`<h3>Request</h3>${codeBlock(lines.join(' \\\n  '), 'sh')}`
}

function answersView(document: ReferenceDocument, { responses, isEvent }: Operation): Html {
  const all = Object.entries(responses)
  const successes = all.filter(([status]) => isEvent || Number(status) < 400)
  const refusals = all.filter(([status]) => !isEvent && Number(status) >= 400)
  return html`<h3>Answers</h3>${successes.map(([status, answer]) => successView(document, status, resolved(document, answer)))}${refusals.length > 0 && html`<h3>Errors</h3>${refusalTable(document, refusals)}`}`
}

function successView(document: ReferenceDocument, status: string, { description, content = {} }: Described): Html {
  const [type, first] = Object.entries(content)[0] ?? []
  const told = html`<p><span class="status">${status}</span> ${withCode(description ?? '')}${type && type !== 'application/json' && html` <code>${type}</code>`}</p>`
  const fields = first?.schema && fieldList(document, first.schema)
  return html`${told}${first && exampleOf(first)}${fields && html`<details><summary>Fields of the answer</summary>${fields}</details>`}`
}

type Named = readonly [status: string, answer: Described]

/** The codes of each status, with what they mean from the catalogue of errors. */
function refusalTable(document: ReferenceDocument, refusals: readonly Named[]): Html {
  const rows = refusals.flatMap(([status, answer]) =>
    codesOf(resolved(document, answer)).map(
      (code) =>
        html`<tr><td>${status}</td><td><a href="/docs/errors#${code.toLowerCase()}"><code>${code}</code></a></td><td>${withCode(meaningOf(code))}</td></tr>`,
    ),
  )
  const pages = refusals.filter(([, answer]) => codesOf(resolved(document, answer)).length === 0)
  const others = pages.map(
    ([status, answer]) =>
      html`<tr><td>${status}</td><td></td><td>${withCode(resolved(document, answer).description ?? '')}</td></tr>`,
  )
  return html`<div class="table" tabindex="0"><table><thead><tr><th>status</th><th>code</th><th>when</th></tr></thead><tbody>${rows}${others}</tbody></table></div>`
}

function codesOf({ content = {} }: Described): string[] {
  const { example, examples } = content['application/json'] ?? {}
  if (examples) return Object.keys(examples)
  const code = (example as { error?: { code?: string } } | undefined)?.error?.code
  return code === undefined ? [] : [code]
}

const meaningOf = (code: string): string => (code in ERRORS ? ERRORS[code as keyof typeof ERRORS].when : '')
