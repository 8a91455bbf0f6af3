// One command that sends any request of the interface, with the credentials of an app.
import { randomUUID } from 'node:crypto'
import { isTossupError } from '../../../../sdk/src/errors.ts'
import { Tokens } from '../../../../sdk/src/tokens.ts'
import { type Endpoint, Http } from '../../../../sdk/src/wire/http.ts'
import { openAnswer } from '../../../../sdk/src/wire/open-answer.ts'
import { PlainFailure } from '../../base/errors.ts'
import { printable, printableJson } from '../../base/text.ts'
import { type ApiAccess, readApiAccess } from '../../config/config.ts'
import { type Arguments, type Command, optionalText, type Result, UsageError } from '../command.ts'

const PREFIX = '/api/rest/v1'
/** The client library waits 10 s for a page of a site; a person at a terminal can wait longer. */
const TIMEOUT_MS = 30_000

export interface ApiRequest {
  readonly method: string
  /** Below `/api/rest/v1`; may have a query. */
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly body: string | null
  readonly accept: string | null
  readonly idempotencyKey: string | null
  readonly ifMatch?: string | null
}

/** Requests with the tokens and the retries of the client library, to paths that it has no method for. */
export class ApiClient {
  readonly #http: Http
  readonly #tokens: Tokens | null

  constructor({ url, key }: ApiAccess, externalDeviceId: string) {
    this.#http = new Http({ url, timeoutMs: TIMEOUT_MS })
    this.#tokens = key && new Tokens(this.#http, { apiKeyId: key.id, apiKeySecret: key.secret, externalDeviceId })
  }

  async send(request: ApiRequest): Promise<Response> {
    try {
      return await this.request(request)
    } catch (error) {
      throw this.#explained(error)
    }
  }

  /** Throws the error of the client library for a refusal. */
  request({ method, path, query, body, accept, idempotencyKey, ifMatch = null }: ApiRequest): Promise<Response> {
    const outgoing = {
      address: this.#addressOf(path, query),
      headers: {
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
        ...(accept === null ? {} : { Accept: accept }),
        ...(ifMatch === null ? {} : { 'If-Match': ifMatch }),
        ...(method === 'GET' ? {} : { 'X-Service-Idempotency-Key': idempotencyKey ?? randomUUID() }),
      },
      ...(body === null ? {} : { bytes: body }),
      ...(this.#tokens ? { caller: this.#tokens } : {}),
    }
    // `openAnswer` reads only the method of the endpoint here, because `outgoing` has the address.
    return openAnswer(this.#http, `${method} ${path}` as Endpoint, { outgoing, options: undefined })
  }

  #addressOf(path: string, query: ApiRequest['query']): string {
    const url = new URL(this.#http.origin)
    const [name = '', ...rest] = path.split('?')
    url.pathname = name === PREFIX || name.startsWith(`${PREFIX}/`) ? name : PREFIX + name
    url.search = rest.join('?')
    for (const [field, value] of query) url.searchParams.append(field, value)
    return url.href
  }

  #explained(error: unknown): unknown {
    if (!isTossupError(error)) return error
    const { code, status, message, details, requestId } = error
    if (status === 0) {
      return new PlainFailure(`No answer from ${this.#http.origin}. Set TOSSUP_URL to the address of your server.`, {
        cause: error,
      })
    }
    const request = requestId === null ? '' : ` (request ${requestId})`
    const more = Object.keys(details).length > 0 ? `\n${printableJson(details, 2)}` : ''
    return new PlainFailure(`${status} ${code}: ${printable(message)}${request}${more}`, { cause: error })
  }
}

type Field = readonly [name: string, text: string]

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

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const
const MOST_FIELDS = 200

interface Page {
  readonly data: unknown
  readonly nextCursor?: string | null
  readonly hasMore?: boolean
}

export const apiCommand: Command = {
  words: 'api',
  usage: 'GET|POST|PATCH|DELETE /PATH [NAME=VALUE …|@FILE]',
  summary: 'Send a request to the interface of any server',
  positionals: MOST_FIELDS + 2,
  options: {
    all: { type: 'boolean', about: 'Read all pages of a list' },
    accept: { type: 'string', about: 'The media type of the answer, such as text/csv' },
    key: { type: 'string', about: 'The idempotency key of a write; a new one by default' },
    device: { type: 'string', about: 'The externalDeviceId of the token; tossup-api by default' },
  },
  details: [
    'Names are query parameters of a GET and fields of the body of a write; a.b=c nests. true, false, null, numbers and JSON in',
    'brackets keep their type, and everything else is text; write \'"2026"\' for a text that looks like a number. @FILE sends the JSON of',
    'a file, @- that of standard input.',
    '',
    'The environment says where and as whom: TOSSUP_URL (default http://127.0.0.1:3000), TOSSUP_API_KEY_ID and',
    'TOSSUP_API_KEY_SECRET. Without a key, only public paths answer. A write gets an idempotency key, so it is repeated after',
    'a failure without being made twice.',
  ].join('\n'),
  async run(given) {
    const request = await readRequest(given)
    const access = readApiAccess()
    if (!access.key && request.path.startsWith('/brands/me')) {
      throw new PlainFailure(
        'Set TOSSUP_API_KEY_ID and TOSSUP_API_KEY_SECRET to the keys of an app. `tossup app create` makes one.',
      )
    }
    const client = new ApiClient(access, optionalText(given, 'device') ?? 'tossup-api')
    return given.values['all'] === true ? allPages(client, request) : onePage(client, request, given)
  },
}

async function readRequest(given: Arguments): Promise<ApiRequest> {
  const [method = '', path = '', ...words] = given.positionals
  const known = METHODS.find((name) => name === method.toUpperCase())
  if (!known) throw new UsageError(`"${method}" is not a method. Use one of: ${METHODS.join(', ')}.`)
  if (!path.startsWith('/')) throw new UsageError(`"${path}" is not a path. Write one such as /brands/me/polls.`)
  if (given.values['all'] === true && known !== 'GET') throw new UsageError('--all is for GET only.')
  const file = words.find((word) => word.startsWith('@'))
  if (file !== undefined && words.length > 1)
    throw new UsageError('@FILE is the whole body: no field can stand beside it.')
  if (file !== undefined && known === 'GET') throw new UsageError('A GET has no body: write name=value.')
  const fields = file === undefined ? readFields(words) : []
  return {
    method: known,
    path,
    query: known === 'GET' ? fields : [],
    body: file === undefined ? writtenBody(known, fields) : await readBody(file.slice(1)),
    accept: optionalText(given, 'accept'),
    idempotencyKey: optionalText(given, 'key'),
  }
}

const writtenBody = (method: string, fields: ReturnType<typeof readFields>): string | null =>
  method === 'GET' || fields.length === 0 ? null : JSON.stringify(bodyFrom(fields))

async function readBody(name: string): Promise<string> {
  try {
    return name === '-' ? await Bun.stdin.text() : await Bun.file(name).text()
  } catch (cause) {
    throw new PlainFailure(`Cannot read ${name}.`, { cause })
  }
}

async function onePage(client: ApiClient, request: ApiRequest, given: Arguments): Promise<Result | null> {
  const answer = await client.send(request)
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false
  if (answer.status === 204) return given.values['json'] === true ? { json: { data: null }, text: '' } : null
  if (!isJson) {
    if (given.values['json'] === true) throw new UsageError('--json cannot be used with an answer that is not JSON.')
    if (process.stdout.isTTY) return { json: {}, text: (await answer.text()).split(/\r?\n/) }
    await Bun.write(Bun.stdout, answer)
    return null
  }
  const body = await readJson(answer)
  return { json: body, text: printableJson(body, 2).split('\n') }
}

async function allPages(client: ApiClient, request: ApiRequest): Promise<Result> {
  const data: unknown[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor ? [...request.query, ['cursor', cursor] as const] : request.query
    const page = await readJson(await client.send({ ...request, query }))
    if (!Array.isArray(page.data)) throw new PlainFailure(`${request.path} is no list, so it has no pages.`)
    data.push(...page.data)
    cursor = page.hasMore ? page.nextCursor : null
  }
  const body = { data }
  return { json: body, text: printableJson(body, 2).split('\n') }
}

async function readJson(answer: Response): Promise<Page> {
  try {
    return (await answer.json()) as Page
  } catch (cause) {
    throw new PlainFailure(`The answer has status ${answer.status} and is not JSON.`, { cause })
  }
}
