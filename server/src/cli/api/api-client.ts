import { randomUUID } from 'node:crypto'
import { isTossupError } from '../../../../sdk/src/errors.ts'
import { Tokens } from '../../../../sdk/src/tokens.ts'
import { type Endpoint, Http } from '../../../../sdk/src/wire/http.ts'
import { openAnswer } from '../../../../sdk/src/wire/open-answer.ts'
import { PlainFailure } from '../../base/errors.ts'
import type { ApiAccess } from '../../config/config.ts'

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
}

/** Requests with the tokens and the retries of the client library, to paths that it has no method for. */
export class ApiClient {
  readonly #http: Http
  readonly #tokens: Tokens | null

  constructor({ url, key }: ApiAccess, externalDeviceId: string) {
    this.#http = new Http({ url, timeoutMs: TIMEOUT_MS })
    this.#tokens = key && new Tokens(this.#http, { apiKeyId: key.id, apiKeySecret: key.secret, externalDeviceId })
  }

  async send({ method, path, query, body, accept, idempotencyKey }: ApiRequest): Promise<Response> {
    const outgoing = {
      address: this.#addressOf(path, query),
      headers: {
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
        ...(accept === null ? {} : { Accept: accept }),
        ...(method === 'GET' ? {} : { 'X-Service-Idempotency-Key': idempotencyKey ?? randomUUID() }),
      },
      ...(body === null ? {} : { bytes: body }),
      ...(this.#tokens ? { caller: this.#tokens } : {}),
    }
    try {
      // `openAnswer` reads only the method of the endpoint here, because `outgoing` has the address.
      return await openAnswer(this.#http, `${method} ${path}` as Endpoint, { outgoing, options: undefined })
    } catch (error) {
      throw this.#explained(error)
    }
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
    const more = Object.keys(details).length > 0 ? `\n${JSON.stringify(details, null, 2)}` : ''
    return new PlainFailure(`${status} ${code}: ${message}${request}${more}`, { cause: error })
  }
}
