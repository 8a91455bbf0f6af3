import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SECOND } from '../src/base/clock.ts'
import { AuthClient } from './auth-client.ts'
import { engines } from './engines.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: a refresh token is used once', (engine) => {
  let service: TestService
  let auth: AuthClient
  let brand: TestBrand

  beforeAll(async () => {
    service = await startTestService(engine, { settings: { TRUSTED_PROXIES: '127.0.0.1' } })
    service.clock.freeze()
    auth = new AuthClient(service)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  // spec: 5-7
  test.each([0, 1, 29_001, 30_000])('%i ms after its use the same pair is answered again', async (elapsed) => {
    const first = await auth.pair(brand)
    const second = await auth.rotate(first)
    service.clock.advance(elapsed)
    const again = await auth.rotate(first)
    expect(again).toEqual({ ...second, expiresIn: 900 - Math.ceil(elapsed / SECOND) })
    await auth.rotate(again)
  })

  test('expiresIn of a repeated pair is right to the second', async () => {
    const first = await auth.pair(brand)
    await auth.rotate(first)
    service.clock.advance(12_345)
    const again = await auth.rotate(first)
    service.clock.advance(again.expiresIn * SECOND - 1)
    expect(await auth.isAlive(again.accessToken)).toBe(true)
    service.clock.advance(SECOND)
    expect(await auth.isAlive(again.accessToken)).toBe(false)
  })

  // spec: 5-7
  test('reuse 30,001 ms later revokes the whole family', async () => {
    const bystander = await auth.pair(brand)
    const first = await auth.pair(brand)
    const second = await auth.rotate(first)
    service.clock.advance(30_001)
    const reply = await auth.refresh(first.refreshToken)
    expect(reply.status).toBe(401)
    expect(reply.body.error.code).toBe('INVALID_REFRESH_TOKEN')
    await auth.expectDead(first, second)
    expect(await auth.isAlive(bystander.accessToken)).toBe(true)
  })

  test('reuse after its successor was used revokes the whole family, however soon', async () => {
    const first = await auth.pair(brand)
    const second = await auth.rotate(first)
    const third = await auth.rotate(second)
    expect((await auth.refresh(first.refreshToken)).status).toBe(401)
    await auth.expectDead(first, second, third)
  })

  test('reuse with the key of another app revokes nothing', async () => {
    const other = await service.createApp(brand.brandKey, ['view'])
    const first = await auth.pair(brand)
    const second = await auth.rotate(first)
    service.clock.advance(60 * SECOND)
    expect((await auth.refresh(first.refreshToken, { app: other })).status).toBe(401)
    expect(await auth.isAlive(second.accessToken)).toBe(true)
    await auth.rotate(second)
  })
})

describe.each([...engines])('%s: ACCESS_TOKEN_SECONDS', (engine) => {
  let service: TestService
  let auth: AuthClient

  beforeAll(async () => {
    service = await startTestService(engine, {
      settings: { TRUSTED_PROXIES: '127.0.0.1', ACCESS_TOKEN_SECONDS: '5' },
    })
    service.clock.freeze()
    auth = new AuthClient(service)
  })
  afterAll(() => service.stop())

  // spec: 5-6, 8-7
  test('is the lifetime of an access token, and expiresIn says so, also for a repeated pair', async () => {
    const brand = await service.createBrand()
    const first = await auth.pair(brand)
    expect(first.expiresIn).toBe(5)
    service.clock.advance(4_999)
    expect(await auth.isAlive(first.accessToken)).toBe(true)
    service.clock.advance(1)
    expect(await auth.isAlive(first.accessToken)).toBe(false)
    const second = await auth.rotate(first)
    service.clock.advance(20 * SECOND)
    const again = await auth.rotate(first)
    expect(again).toEqual({ ...second, expiresIn: 0 })
    expect(await auth.isAlive(again.accessToken)).toBe(false)
    expect(await auth.isAlive((await auth.rotate(again)).accessToken)).toBe(true)
  })
})
