import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

const LISTED = 'https://news.example'

describe.each([...engines])('%s: where votes may come from', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { PUBLIC_URL: 'https://polls.example' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const setOrigins = (embedOrigins: string[] | null) =>
    service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { embedOrigins } })

  const voteFrom = (slug: string, origin: string | null, device: string = randomUUID()) =>
    service.post(`polls/${slug}/votes`, {
      device,
      json: { option: 'A' },
      headers: origin === null ? {} : { Origin: origin },
    })

  test('from anywhere, while the theme lists no origins', async () => {
    await setOrigins(null)
    const { slug } = await service.createPoll(brand)
    for (const origin of [LISTED, 'https://other.example', 'null', null])
      expect((await voteFrom(slug, origin)).status).toBe(201)
  })

  test('from listed origins, from our own pages, and from callers without an origin', async () => {
    await setOrigins([LISTED])
    const { slug } = await service.createPoll(brand)
    for (const origin of [LISTED, 'https://polls.example', null]) {
      expect([origin, (await voteFrom(slug, origin)).status]).toEqual([origin, 201])
    }
    for (const origin of ['https://other.example', 'http://news.example', 'https://news.example:8443', 'null', 'x']) {
      const refused = await voteFrom(slug, origin)
      expect([origin, refused.status, refused.body.error.code]).toEqual([origin, 403, 'ORIGIN_NOT_ALLOWED'])
      expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    }
    expect((await service.get<{ tallies: { total: number } }>(`polls/${slug}`)).body.data.tallies.total).toBe(3)
  })

  test('a change of the list holds from the next vote on, and reads are never bound', async () => {
    await setOrigins([LISTED])
    const { slug } = await service.createPoll(brand)
    const origin = 'https://other.example'
    expect((await voteFrom(slug, origin)).status).toBe(403)
    expect((await service.get(`polls/${slug}`, { headers: { Origin: origin } })).status).toBe(200)
    await setOrigins([LISTED, origin])
    expect((await voteFrom(slug, origin)).status).toBe(201)
    await setOrigins([LISTED])
    expect((await voteFrom(slug, origin)).status).toBe(403)
  })

  test('drafts and missing polls stay indistinguishable', async () => {
    await setOrigins([LISTED])
    const draft = await service.createPoll(brand, { isDraft: true })
    for (const slug of [draft.slug, 'never-there']) {
      expect((await voteFrom(slug, 'https://other.example')).status).toBe(404)
    }
  })
})
