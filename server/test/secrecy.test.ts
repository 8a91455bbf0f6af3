import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { hideVotes, showVotes } from './ballot-box.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { keyHeaders, startTestService } from './service.ts'

const SECRET_KEY = 'the secret of this test is long enough too'
const ADDRESS = '203.0.113.77'

describe.each([...engines])('%s', (engine) => {
  // spec: 2.6-4, 4.2-2, 5-10
  test('no secret, token, device id or address is logged, stored or answered to anybody else', async () => {
    const service = await startTestService(engine, {
      settings: { LOG_LEVEL: 'trace', SECRET_KEY, TRUSTED_PROXIES: '127.0.0.1' },
    })
    const headers = { 'X-Forwarded-For': ADDRESS }
    const brand = await service.createBrand()
    const app = await service.createApp(brand.brandKey, ['view', 'vote', 'manage'])
    const [device, namedDevice, uuidDevice] = [randomUUID(), `phone-${randomUUID()}`, randomUUID()]
    const pair = await service.exchange(app, namedDevice)
    const asDevice = await service.exchange(app, uuidDevice)
    const next = (
      await service.post<typeof pair>('auth/token/refresh', { headers, json: { refreshToken: pair.refreshToken } })
    ).body.data
    const poll = await service.createPoll(brand)
    const bodies: string[] = []
    const ask = async (method: string, path: string, more: Parameters<typeof service.request>[2] = {}) => {
      const reply = await service.request(method, path, { ...more, headers: { ...headers, ...more.headers } })
      bodies.push(reply.text, ...reply.headers.values())
      return reply
    }
    const json = { option: 'A' }
    const votes = `polls/${poll.slug}/votes`
    for (const caller of [{ device }, { token: next.accessToken }, { token: asDevice.accessToken }]) {
      expect((await ask('POST', votes, { json, ...caller })).status).toBe(201)
      expect((await ask('POST', votes, { json, ...caller })).status).toBe(409)
      expect((await ask('GET', `${votes}/me`, caller)).status).toBe(200)
    }
    await ask('POST', votes, { json, device: `${device}x` })
    await ask('POST', 'auth/token', {
      headers: { ...keyHeaders(app), 'X-API-Key-Secret': `${app.apiKeySecret}0` },
      json: {},
    })
    await ask('POST', 'auth/token', {
      headers: keyHeaders(app),
      json: { externalDeviceId: namedDevice, nonsense: pair.accessToken },
    })
    await ask('POST', 'auth/token/refresh', { json: { refreshToken: pair.refreshToken, more: 1 } })
    await ask('GET', `brands/me/polls?q=${next.accessToken}&cursor=${next.refreshToken}`, { token: brand.token })
    await ask('GET', 'brands/me/polls', { token: `${brand.token}x` })
    await ask('GET', `brands/me/polls?access_token=${brand.token}`)
    await ask('GET', `/nothing/${next.accessToken}`)
    await ask('GET', `polls/${next.accessToken}`)
    await ask('POST', 'auth/token/revoke', { json: { token: asDevice.accessToken } })
    // Internal failures are logged, and must not log the data that they were about.
    await hideVotes(service)
    expect((await ask('POST', votes, { json, device: randomUUID() })).status).toBe(500)
    expect((await ask('GET', `${votes}/me`, { device })).status).toBe(500)
    await showVotes(service)
    const stored = JSON.stringify(await dumpTables(service.db))
    await service.stop()

    const log = service.logLines.join('')
    expect(log).toContain('"path":"/api/rest/v1/auth/token/refresh"')
    expect(log).toContain('"path":"/api/rest/v1/polls/{slug}"')
    expect(log).toContain('"status":500')
    const secrets = [SECRET_KEY, app.apiKeySecret, brand.apiKeySecret, brand.token]
    const tokens = [pair, asDevice, next].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken])
    for (const secret of [...secrets, ...tokens, device, namedDevice, uuidDevice, ADDRESS]) {
      expect(log).not.toContain(secret)
      expect(stored).not.toContain(secret)
      for (const body of bodies) expect(body).not.toContain(secret)
    }
    expect(log).not.toContain('127.0.0.1')
    expect(log).not.toMatch(/tsa_|tsr_/)
  })
})
