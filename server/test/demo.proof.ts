import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import pg from 'pg'
import { DEMO_CAMPAIGN, DEMO_POLLS } from '../src/cli/demo/polls.ts'
import { describeOwnerLink, seedDemo } from '../src/cli/demo/seed.ts'
import { createCategory } from '../src/features/polls/change-category.ts'
import { type CampaignData, slugsOf } from './campaigns.ts'
import { newPlace, type Place, type Serving, serve, tossupJson } from './command.ts'
import { type EngineName, engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { pageAfter, tokenOf, useToken } from './people.ts'
import type { RespondentData } from './responses.ts'
import { type PollData, startTestService, type TestService } from './service.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

interface Picture {
  label: string
  imageUrl: string
  imageAlt: string
}

interface DemoPollData extends PollData {
  optionA: Picture
  optionB: Picture
  images: { combined: string | null }
  imageVariants: { url: string; width: number; slot: string }[]
  opensAt: string | null
  closesAt: string | null
}

describe.each([...engines])('%s: DEMO', (engine) => {
  let place: Place
  let server: Serving | null = null

  beforeAll(async () => {
    place = await newPlace(engine)
  })
  afterAll(async () => {
    await stop()
    await place.clear()
  })

  async function start(isDemo: boolean): Promise<Serving> {
    server = await serve({ ...place.settings, PORT: String(freePort()), DEMO: String(isDemo) })
    return server
  }

  async function stop(): Promise<void> {
    server?.kill('SIGTERM')
    if (server) expect((await server.ended).code).toBe(0)
    server = null
  }

  const read = async <Data>(path: string) => {
    const response = await fetch(`${server?.url}/api/rest/v1/${path}`)
    expect(response.status).toBe(200)
    return ((await response.json()) as { data: Data }).data
  }

  test('false seeds nothing', async () => {
    const { said, url } = await start(false)
    expect(said).toEqual({ url })
    expect((await fetch(`${url}/api/rest/v1/brands/corner-cafe/polls`)).status).toBe(404)
    await stop()
  })

  test('true fills an empty database with five polls: open, closed and scheduled', async () => {
    const { said, url } = await start(true)
    expect(said.demo?.brand).toBe('corner-cafe')
    const feed = await read<PollData[]>('brands/corner-cafe/polls')
    expect(feed.map(({ slug }) => slug)).toEqual([
      'tea-or-coffee',
      'window-or-aisle',
      'mountains-or-sea',
      'croissant-or-cinnamon-roll',
    ])
    for (const wanted of DEMO_POLLS) {
      const poll = await read<DemoPollData>(`polls/${wanted.slug}`)
      const [optionA, optionB] = wanted.votes
      expect(poll.tallies).toEqual({ optionA, optionB, total: optionA + optionB })
      expect(poll.status).toBe(statusOf(wanted))
    }
    const answer = await fetch(`${url}/api/rest/v1/auth/token`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-API-Key-ID': said.demo?.apiKeyId ?? '',
        'X-API-Key-Secret': said.demo?.apiKeySecret ?? '',
      },
      body: '{"externalDeviceId": "x"}',
    })
    expect(answer.status).toBe(200)
  })

  test('also fills a campaign of the three open polls, with respondents', async () => {
    const { campaignId = '', apiKeyId = '', apiKeySecret = '' } = server?.said.demo ?? {}
    const campaign = await read<CampaignData>(`campaigns/${campaignId}`)
    expect(slugsOf(campaign)).toEqual(DEMO_CAMPAIGN.polls)
    expect(campaign).toMatchObject({ title: DEMO_CAMPAIGN.title, totalSteps: 3, status: 'open' })
    expect(await read<CampaignData[]>('brands/corner-cafe/campaigns')).toEqual([campaign])
    const answer = await fetch(`${server?.url}/api/rest/v1/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key-ID': apiKeyId, 'X-API-Key-Secret': apiKeySecret },
      body: '{"externalDeviceId": "x"}',
    })
    const { data } = (await answer.json()) as { data: { accessToken: string } }
    const page = await fetch(`${server?.url}/api/rest/v1/brands/me/campaigns/${campaignId}/responses?limit=100`, {
      headers: { Authorization: `Bearer ${data.accessToken}` },
    })
    const respondents = ((await page.json()) as { data: RespondentData[] }).data
    expect(respondents.reduce((sum, { totalVotes }) => sum + totalVotes, 0)).toBe(177)
    expect(respondents.filter(({ totalVotes }) => totalVotes === 3).length).toBeGreaterThan(20)
  })

  test('every picture loads with its declared type', async () => {
    for (const { slug } of DEMO_POLLS) {
      const poll = await read<DemoPollData>(`polls/${slug}`)
      const urls = [poll.optionA, poll.optionB].map(({ imageUrl }) => imageUrl)
      expect(new Set(urls).size).toBe(2)
      for (const picture of [poll.optionA, poll.optionB]) {
        expect(picture.imageAlt).not.toBe('')
        const response = await fetch(picture.imageUrl)
        expect(response.status).toBe(200)
        expect(response.headers.get('content-type')).toBe('image/webp')
        expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        expect(response.headers.get('x-content-type-options')).toBe('nosniff')
        expect(response.headers.get('access-control-allow-origin')).toBe('*')
        const bytes = await response.bytes()
        expect(Buffer.from(bytes.subarray(0, 4)).toString()).toBe('RIFF')
        expect(Buffer.from(bytes.subarray(8, 12)).toString()).toBe('WEBP')
        expect(bytes.length).toBe(Number(response.headers.get('content-length')))
        const again = await fetch(picture.imageUrl, {
          headers: { 'If-None-Match': response.headers.get('etag') ?? '' },
        })
        expect([again.status, (await again.bytes()).length]).toEqual([304, 0])
      }
      for (const { url } of poll.imageVariants) expect((await fetch(url)).status).toBe(200)
    }
  })

  test('every picture has narrower variants, and both options have a combined picture', async () => {
    for (const { slug } of DEMO_POLLS) {
      const poll = await untilPictured(slug)
      expect(poll.imageVariants.map(({ slot, width }) => `${slot} ${width}`)).toEqual([
        'optionA 320',
        'optionA 640',
        'optionB 320',
        'optionB 640',
        'combined 320',
        'combined 640',
        'combined 960',
        'combined 1024',
      ])
      for (const url of [poll.images.combined ?? '', ...poll.imageVariants.map((variant) => variant.url)]) {
        const response = await fetch(url)
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
      }
    }
  })

  const untilPictured = (slug: string): Promise<DemoPollData> =>
    eventually(async () => {
      const poll = await read<DemoPollData>(`polls/${slug}`)
      return poll.imageVariants.length === 8 && poll
    })

  test('every vote of the closed poll is older than its closesAt', async () => {
    const { slug } = DEMO_POLLS.find(({ isClosed }) => isClosed) ?? { slug: '' }
    const closesAt = Date.parse((await read<DemoPollData>(`polls/${slug}`)).closesAt ?? '')
    const both = '(select poll_key, voted_at from votes union all select poll_key, voted_at from fresh_votes)'
    const votes = engine === 'sqlite' ? both : 'votes'
    const [row] = await query(
      engine,
      place,
      `select max(voted_at) as last, count(*) as votes from ${votes} as cast_votes join polls on polls.key = poll_key where slug = '${slug}'`,
    )
    expect(Number(row?.['votes'])).toBe(75)
    expect(Number(row?.['last'])).toBeLessThan(closesAt)
    expect(Number(row?.['last'])).toBeGreaterThan(closesAt - 60_000)
  })

  test('true at a second start seeds nothing more', async () => {
    await stop()
    const { said } = await start(true)
    expect(said.demo).toBeUndefined()
    expect(await read<PollData[]>('brands/corner-cafe/polls')).toHaveLength(4)
    const { apps } = await tossupJson<{ apps: unknown[] }>(['app', 'list'], place.settings)
    expect(apps).toHaveLength(1)
    await stop()
  })
})

describe.each([...engines])('%s: the owner of the demo', (engine) => {
  test('signs in by the link that each start prints, once, until the member is removed', async () => {
    const service = await startTestService(engine)
    try {
      expect(await describeOwnerLink(service.service)).toEqual([])
      await seedDemo(service.service)
      for (let start = 0; start < 2; start++) {
        const link = (await describeOwnerLink(service.service)).at(-1)?.trim() ?? ''
        expect(link).toStartWith(`${service.service.url}/console/join#tsl_`)
        expect((await fetch(link)).status).toBe(200)
        const signedIn = await useToken(service, tokenOf(link))
        expect(signedIn.body.data.member.email).toBe('owner@demo.invalid')
        expect((await useToken(service, tokenOf(link))).status).toBe(401)
        const token = await service.post<{ role: string }>('auth/session/token', {
          headers: pageAfter(signedIn),
          json: { brandSlug: 'corner-cafe' },
        })
        expect(token.body.data.role).toBe('owner')
      }
      await service.db.deleteFrom('members').execute()
      expect(await describeOwnerLink(service.service)).toEqual([])
    } finally {
      await service.stop()
    }
  })
})

describe.each([...engines])('%s: the demo', (engine) => {
  test.each([
    ['a brand', (service: TestService) => service.createBrand()],
    ['an app', (service: TestService) => service.createApp(null, ['vote'])],
    ['a category', (service: TestService) => createCategory(service.db, service.deps, { slug: 'a', name: 'A' })],
  ])('is not seeded where there is %s', async (_name, use) => {
    const service = await startTestService(engine)
    try {
      await use(service)
      expect(await seedDemo(service.service)).toBeNull()
      expect(await service.db.selectFrom('polls').selectAll().execute()).toEqual([])
    } finally {
      await service.stop()
    }
  })
})

function statusOf({ isClosed, opensInMs }: (typeof DEMO_POLLS)[number]): string {
  if (isClosed) return 'closed'
  return opensInMs ? 'scheduled' : 'open'
}

async function query(
  engine: EngineName,
  { dataDir, settings }: Place,
  text: string,
): Promise<Record<string, unknown>[]> {
  if (engine === 'sqlite') {
    using file = new Database(`${dataDir}/tossup.sqlite`)
    return file.query<Record<string, unknown>, []>(text).all()
  }
  const client = new pg.Client({ connectionString: settings['DATABASE_URL'] })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}
