// cli/api: one command that sends any request of the interface, with the credentials of an app.

import { PlainFailure } from '../../base/errors.ts'
import { readApiAccess } from '../../config/config.ts'
import { type Arguments, type Command, optionalText, type Result, UsageError } from '../command.ts'
import { ApiClient, type ApiRequest } from './api-client.ts'
import { asTable } from './as-table.ts'
import { bodyFrom, readFields } from './read-fields.ts'

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
  takesFiles: true,
  options: {
    all: { type: 'boolean', about: 'Read all pages of a list' },
    table: { type: 'boolean', about: 'Print columns instead of JSON' },
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
    return given.values['all'] === true ? allPages(client, request, given) : onePage(client, request, given)
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
    await Bun.write(Bun.stdout, answer)
    return null
  }
  const body = await readJson(answer)
  return { json: body, text: printed(body, given) }
}

async function allPages(client: ApiClient, request: ApiRequest, given: Arguments): Promise<Result> {
  const data: unknown[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor ? [...request.query, ['cursor', cursor] as const] : request.query
    const page = await readJson(await client.send({ ...request, query }))
    if (!Array.isArray(page.data)) throw new PlainFailure(`${request.path} is no list, so it has no pages.`)
    data.push(...page.data)
    cursor = page.nextCursor ?? null
  }
  const body = { data }
  return { json: body, text: printed(body, given) }
}

async function readJson(answer: Response): Promise<Page> {
  try {
    return (await answer.json()) as Page
  } catch (cause) {
    throw new PlainFailure(`The answer has status ${answer.status} and is not JSON.`, { cause })
  }
}

function printed(body: Page, given: Arguments): string {
  const table = given.values['table'] === true ? asTable(body.data) : null
  return table ?? JSON.stringify(body, null, 2)
}
