import { expect } from 'bun:test'
import { randomInt } from 'node:crypto'
import { type Ask, keyHeaders, type PairData, type Reply, type TestApp, type TestService } from './service.ts'

/** An address of its own, because failures are counted by network and no test may use up another's limit. */
export const newNetwork = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`

export interface AuthAsk extends Ask {
  readonly app?: TestApp
  readonly network?: string
}

/** Calls the token endpoints of a service that was started with `TRUSTED_PROXIES=127.0.0.1`. */
export class AuthClient {
  readonly #service: TestService

  constructor(service: TestService) {
    this.#service = service
  }

  ask<Data = PairData>(path: string, { app, network = newNetwork(), headers, ...ask }: AuthAsk): Promise<Reply<Data>> {
    const sent = { 'X-Forwarded-For': network, ...(app ? keyHeaders(app) : {}), ...headers }
    return this.#service.post<Data>(`auth/${path}`, { ...ask, headers: sent })
  }

  exchange = (app: TestApp, json: unknown = { externalDeviceId: 'kiosk 7' }) => this.ask('token', { app, json })

  async pair(app: TestApp, json?: unknown): Promise<PairData> {
    return expectPair(await this.exchange(app, json))
  }

  refresh = (refreshToken: string, ask: AuthAsk = {}) => this.ask('token/refresh', { json: { refreshToken }, ...ask })

  async rotate({ refreshToken }: PairData): Promise<PairData> {
    return expectPair(await this.refresh(refreshToken))
  }

  revoke = (token: string, ask: AuthAsk = {}) =>
    this.ask<{ revoked: boolean }>('token/revoke', { json: { token }, ...ask })

  /** True if the access token still authenticates its brand. */
  async isAlive(token: string): Promise<boolean> {
    const { status } = await this.#service.get('brands/me/polls', { token })
    if (status !== 200 && status !== 401) throw new Error(`a token was answered ${status}`)
    return status === 200
  }

  /** Fails if a token of these pairs still works. */
  async expectDead(...pairs: readonly PairData[]): Promise<void> {
    for (const { accessToken, refreshToken } of pairs) {
      expect(await this.isAlive(accessToken)).toBe(false)
      expect((await this.refresh(refreshToken)).status).toBe(401)
    }
  }
}

function expectPair(reply: Reply<PairData>): PairData {
  if (reply.status !== 200) throw new Error(`no pair of tokens: ${reply.text}`)
  return reply.body.data
}
