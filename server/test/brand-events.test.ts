import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { Receiver } from './receiver.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { createWebhook } from './webhooks.ts'

const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }

interface BrandEvent {
  readonly type: string
  readonly timestamp: string
  readonly data: { brand?: Record<string, unknown>; theme?: Record<string, unknown> }
}

describe.each([...engines])('%s: events of brands', (engine) => {
  let service: TestService
  const receivers: Receiver[] = []
  beforeAll(async () => {
    service = await startTestService(engine, { settings, jobs: 'by hand' })
  })
  afterAll(async () => {
    await service.stop()
    await Promise.all(receivers.map((receiver) => receiver.stop()))
  })

  async function scene(events: readonly string[] = ['brand.updated', 'brand.theme_updated']) {
    const brand: TestBrand = await service.createBrand()
    const receiver = new Receiver()
    receivers.push(receiver)
    await createWebhook(service, brand, { url: receiver.url, events })
    return { brand, receiver, told: () => receiver.received.map(({ payload }) => payload as unknown as BrandEvent) }
  }

  const patch = (brand: TestBrand, path: string, json: unknown, key: string = randomUUID()) =>
    service.write<Record<string, unknown>>('PATCH', path, { token: brand.token, json, key })

  test("brand.updated holds the profile as its owner sees it, without the token's scopes", async () => {
    const { brand, told } = await scene()
    const { data } = (await patch(brand, 'brands/me', { displayName: 'Ours', locationCity: 'Graz' })).body
    await service.runDue()
    const { scopes: _, ...shown } = data
    expect(shown).toMatchObject({ displayName: 'Ours', locationCity: 'Graz', slug: brand.slug })
    expect(told()[0]).toEqual({ type: 'brand.updated', timestamp: expect.any(String), data: { brand: shown } })
  })

  test('brand.theme_updated holds the present theme, without the text of its stylesheet', async () => {
    const { brand, told } = await scene()
    const customCss = `/* ${'long '.repeat(8_000)} */ .title { color: #123456; }`
    const reply = await patch(brand, 'brands/me/theme', { radius: 'FULL', accent: '#aabbcc', customCss })
    expect(reply.status).toBe(200)
    await service.runDue()
    const { customCss: _, ...shown } = reply.body.data
    expect(shown).toMatchObject({ radius: 'FULL', version: 1, customCssUrl: expect.any(String) })
    expect(told()[0]).toEqual({ type: 'brand.theme_updated', timestamp: expect.any(String), data: { theme: shown } })
    await patch(brand, 'brands/me/theme', { radius: null })
    await service.runDue()
    expect(told()[1]?.data.theme).toMatchObject({ radius: 'MD', version: 2 })
  })

  test('a refused change, a replay and a change of another brand raise no event', async () => {
    const { brand, receiver } = await scene()
    const stranger = await service.createBrand()
    const [profileKey, themeKey] = [randomUUID(), randomUUID()]
    for (let i = 0; i < 3; i++) {
      expect((await patch(brand, 'brands/me', { name: 'Ours' }, profileKey)).status).toBe(200)
      expect((await patch(brand, 'brands/me/theme', { density: 'COMPACT' }, themeKey)).status).toBe(200)
    }
    expect((await patch(brand, 'brands/me', { name: '' })).status).toBe(422)
    expect((await patch(brand, 'brands/me/theme', { radius: 'XL' })).status).toBe(422)
    expect((await patch(brand, 'brands/me/theme', { logoLightUrl: 'https://files.example/x.png' })).status).toBe(422)
    expect((await patch(stranger, 'brands/me', { name: 'Theirs' })).status).toBe(200)
    await service.runDue()
    expect(receiver.types.sort()).toEqual(['brand.theme_updated', 'brand.updated'])
    expect(await service.db.selectFrom('outbox').select('type').execute()).toEqual([])
  })

  test('an event is written in the transaction of its change: a change that is rolled back raises none', async () => {
    const { brand, receiver } = await scene()
    const emit = service.deps.bus.emit.bind(service.deps.bus)
    service.deps.bus.emit = async (tx, event) => {
      await emit(tx, event)
      throw new Error('the disk is gone')
    }
    try {
      expect((await patch(brand, 'brands/me', { name: 'Never' })).status).toBe(500)
      expect((await patch(brand, 'brands/me/theme', { radius: 'LG' })).status).toBe(500)
    } finally {
      service.deps.bus.emit = emit
    }
    service.logLines.length = 0
    const shown = (await service.get<{ name: string; theme: object }>('brands/me', brand)).body.data
    expect([shown.name, shown.theme]).toEqual([
      expect.not.stringMatching('Never'),
      expect.objectContaining({ version: 0 }),
    ])
    await service.runDue()
    expect(receiver.received).toEqual([])
  })

  test('a webhook for other events receives none of them, and nothing is stored for it', async () => {
    const { brand, receiver } = await scene(['poll.created'])
    await patch(brand, 'brands/me', { name: 'Ours' })
    await patch(brand, 'brands/me/theme', { radius: 'SM' })
    await service.createPoll(brand)
    await service.runDue()
    expect(receiver.types).toEqual(['poll.created'])
  })
})
