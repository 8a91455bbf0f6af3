import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { AuthClient } from './auth-client.ts'
import { engines } from './engines.ts'
import { startTestService, type TestBrand, type TestService, WIDE_POOL } from './service.ts'

describe.each([...engines])('%s: a refresh token is used once', (engine) => {
  let service: TestService
  let auth: AuthClient
  let brand: TestBrand

  beforeAll(async () => {
    service = await startTestService(engine, { settings: { ...WIDE_POOL, TRUSTED_PROXIES: '127.0.0.1' } })
    service.clock.freeze()
    auth = new AuthClient(service)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  // spec: 5-7
  test('200 refreshes of one token at once give one successor', async () => {
    const first = await auth.pair(brand)
    // On a slow machine some wait too long for the row and are answered 503, after which a client asks again.
    const untilAnswered = async () => {
      let reply = await auth.refresh(first.refreshToken)
      for (let again = 0; again < 3 && reply.status === 503; again++) reply = await auth.refresh(first.refreshToken)
      return reply
    }
    const replies = await Promise.all(Array.from({ length: 200 }, untilAnswered))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const pairs = replies.map(({ body }) => body.data)
    expect(new Set(pairs.map(({ refreshToken }) => refreshToken)).size).toBe(1)
    expect(new Set(pairs.map(({ accessToken }) => accessToken)).size).toBe(1)
    expect(await successorsOfNewest(service)).toBe(1)
  })

  test('refreshes and a revoke at once leave nothing of the family', async () => {
    for (let round = 0; round < 10; round++) {
      const first = await auth.pair(brand)
      const refreshes = Array.from({ length: 4 }, () => auth.refresh(first.refreshToken))
      const revoke = auth.revoke(round % 2 ? first.accessToken : first.refreshToken)
      expect((await revoke).status).toBe(200)
      for (const { status, body } of await Promise.all(refreshes)) {
        expect([200, 401]).toContain(status)
        if (status === 200) await auth.expectDead(body.data)
      }
      await auth.expectDead(first)
    }
  })

  test('a token and its successor at once never give two live successors', async () => {
    for (let round = 0; round < 20; round++) {
      const first = await auth.pair(brand)
      const second = await auth.rotate(first)
      const [old, next] = await Promise.all([auth.refresh(first.refreshToken), auth.refresh(second.refreshToken)])
      expect(next.status).toBe(200)
      // Either the old token was answered first, within its grace period, with the same pair; or second, which is reuse.
      const isGrace = old.status === 200
      if (isGrace) expect(old.body.data.refreshToken).toBe(second.refreshToken)
      else expect(old.status).toBe(401)
      expect(await auth.isAlive(next.body.data.accessToken)).toBe(isGrace)
      expect((await auth.refresh(next.body.data.refreshToken)).status).toBe(isGrace ? 200 : 401)
    }
  })

  test('an app that is revoked during refreshes keeps no live token', async () => {
    const app = await service.createApp(brand.brandKey, ['manage'])
    const pairs = await Promise.all(Array.from({ length: 8 }, () => auth.pair(app)))
    const refreshes = pairs.map(({ refreshToken }) => auth.refresh(refreshToken))
    await service.db.updateTable('apps').set({ revoked_at: 1 }).where('id', '=', app.appId).execute()
    const answered = (await Promise.all(refreshes)).filter(({ status }) => status === 200)
    await auth.expectDead(...pairs, ...answered.map(({ body }) => body.data))
  })
})

/** The number of refresh tokens in the newest family, besides its first. */
async function successorsOfNewest({ db }: TestService): Promise<number> {
  const newest = db.selectFrom('token_families').select((each) => each.fn.max('key').as('key'))
  const tokens = await db.selectFrom('refresh_tokens').select('hash').where('family_key', '=', newest).execute()
  return tokens.length - 1
}
