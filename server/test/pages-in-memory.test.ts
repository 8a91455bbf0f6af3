import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly data: PollData
}

async function read(service: TestService, path: string, headers: Record<string, string> = {}): Promise<Seen> {
  const response = await fetch(service.service.url + path, { headers })
  const text = await response.text()
  const [, data = 'null'] = /<script type="application\/json">([^<]*)<\/script>/.exec(text) ?? []
  const { words: _, ...shown } = JSON.parse(data) ?? {}
  return { status: response.status, headers: response.headers, text, data: shown }
}

describe.each([...engines])('%s: a page in memory', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const pathsOf = ({ shortId, slug, id }: PollData) => [
    `/p/${shortId}`,
    `/p/${slug}`,
    `/p/${id}`,
    `/embed/poll/${slug}`,
  ]

  test('shows what the API answers, compressed and plain, after each vote', async () => {
    const poll = await service.createPoll(brand)
    for (let votes = 0; votes < 4; votes++) {
      const { data } = (await service.get<PollData>(`polls/${poll.slug}`)).body
      expect(data.tallies.total).toBe(votes)
      for (const path of pathsOf(poll)) {
        for (const encoding of ['gzip', 'identity', 'gzip']) {
          const page = await read(service, path, { 'Accept-Encoding': encoding })
          expect([path, page.status, page.data]).toEqual([path, 200, data])
          expect(page.text).toEndWith('</html>')
        }
      }
      await service.vote(poll.slug, votes % 2 ? 'A' : 'B')
    }
  })

  test('is kept for each language and appearance', async () => {
    const poll = await service.createPoll(brand)
    const [path = ''] = pathsOf(poll)
    for (let i = 0; i < 2; i++) {
      for (const [lang, words] of [
        ['de', 'Mach den Anfang'],
        ['en', 'Be the first'],
        ['ja', '最初の 1 票をどうぞ'],
      ] as const) {
        const page = await read(service, path, { 'Accept-Language': lang })
        expect(page.text).toContain(words)
        expect(page.headers.get('vary')).toBe('Accept-Encoding, Accept-Language')
      }
      expect((await read(service, `${path}?theme=dark`)).text).toContain('data-scheme="dark"')
      expect((await read(service, `${path}?lang=fr`)).headers.get('vary')).toBe('Accept-Encoding')
      expect((await read(service, path)).text).toContain('data-scheme="auto"')
    }
  })

  test('has an ETag that a vote changes, unless results are hidden', async () => {
    const [open, hidden] = [
      await service.createPoll(brand),
      await service.createPoll(brand, { resultsVisibility: 'after_vote' }),
    ]
    for (const [poll, isChanged] of [
      [open, true],
      [hidden, false],
    ] as const) {
      for (const path of [...pathsOf(poll), `/p/${poll.shortId}?theme=dark`]) {
        const before = await read(service, path)
        const etag = before.headers.get('etag') ?? ''
        expect((await read(service, path, { 'If-None-Match': etag })).status).toBe(304)
        await service.vote(poll.slug, 'A')
        const after = await read(service, path, { 'If-None-Match': etag })
        expect([path, after.status]).toEqual([path, isChanged ? 200 : 304])
        expect((await read(service, path)).text === before.text).toBe(!isChanged)
      }
    }
  })

  test('changes with the poll, its brand, its campaign and the clock, and is 404 with a deleted poll', async () => {
    const closesAt = service.clock.now() + 60_000
    const poll = await service.createPoll(brand, { closesAt: new Date(closesAt).toISOString() })
    const campaign = await createCampaign(service, brand, [poll])
    const paths = [...pathsOf(poll), `/c/${campaign.campaignId}`, `/b/${brand.slug}`]
    const texts = () => Promise.all(paths.map(async (path) => (await read(service, path)).text))
    const expectAll = async (part: string) => {
      for (const text of await texts()) expect(text).toContain(part)
    }
    await expectAll('Tea or coffee?')
    await service.write('PATCH', `brands/me/polls/${poll.slug}`, {
      token: brand.token,
      json: { title: 'Milk or juice?' },
    })
    await expectAll('Milk or juice?')
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { accent: '#0a7d33' } })
    await expectAll('--tossup-accent:light-dark(#0a7d33,')
    await service.write('PATCH', 'brands/me/theme', {
      token: brand.token,
      json: { embedOrigins: ['https://a.example'] },
    })
    const frame = await read(service, `/embed/poll/${poll.slug}`)
    expect(frame.headers.get('content-security-policy')).toContain('https://a.example')
    service.clock.freeze()
    service.clock.advance(closesAt - 1_000 - service.clock.now())
    expect((await read(service, paths[0] ?? '')).headers.get('cache-control')).toMatch(/s-maxage=1$/)
    await expectAll('"status":"open"')
    service.clock.advance(1_000)
    await expectAll('"status":"closed"')
    service.clock.thaw()
    await service.write('DELETE', `brands/me/polls/${poll.slug}`, { token: brand.token })
    for (const path of pathsOf(poll)) expect((await read(service, path)).status).toBe(404)
  })
})

describe.if(engines.includes('postgres'))('two servers of one database', () => {
  let database: OwnDatabase
  let one: TestService
  let other: TestService
  beforeAll(async () => {
    database = await createDatabase()
    one = await startTestService('postgres', { database })
    other = await startTestService('postgres', { database })
  })
  afterAll(async () => {
    await one.stop()
    await other.stop()
    await database.drop()
  })

  test('show a vote at once on the server that took it, and within a second on the other', async () => {
    const poll = await one.createPoll(await one.createBrand())
    const path = `/p/${poll.shortId}`
    for (let votes = 1; votes < 4; votes++) {
      await read(other, path)
      await one.vote(poll.slug, 'A')
      expect((await read(one, path)).data.tallies.total).toBe(votes)
      // Real time: another server is right within a second.
      await Bun.sleep(1_100)
      expect((await read(other, path)).data.tallies.total).toBe(votes)
    }
  })
})
