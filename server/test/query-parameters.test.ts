import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createCategory } from '../src/features/polls/change-category.ts'
import type { Route } from '../src/http/route.ts'
import { createCampaign } from './campaigns.ts'
import { engines, sampleEngines } from './engines.ts'
import { type Sample, Scene, successOf } from './scene.ts'
import type { Ask, PollData, Reply } from './service.ts'

const PAGING = ['limit', 'cursor']
const isInterface = ({ spec }: Route): boolean => !spec.isOutside
const knownTo = ({ spec }: Route): string[] => [
  ...Object.keys(spec.query?.shape ?? {}),
  ...(spec.isPaged ? PAGING : []),
]

const withQuery = ({ path, ask }: Sample, query: string): Sample => ({
  path: `${path}${path.includes('?') ? '&' : '?'}${query}`,
  ask,
})

interface Problem {
  readonly path: string
  readonly code: string
  readonly message: string
}

const problemsOf = ({ body }: Reply): Problem[] => (body.error?.details['fields'] ?? []) as Problem[]

/** Status, codes and paths, under the route's name. */
const told = ({ spec }: Route, reply: Reply): string =>
  `${spec.name} ${reply.status} ${problemsOf(reply)
    .map(({ path, code }) => `${path} ${code}`)
    .join(', ')}`

describe.each([...sampleEngines])('%s: the query', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
  })
  afterAll(() => scene.service.stop())

  // spec: 4-4
  test('with an unknown parameter is refused, on every API route', async () => {
    const routes = scene.routes.filter(isInterface)
    expect(routes.length).toBeGreaterThan(40)
    for (const route of routes) {
      const sample = await scene.valid(route)
      for (const [query, name] of [
        ['utm_source=mail', 'utm_source'],
        ['__proto__=x', '__proto__'],
        ['%00=x', '\0'],
        ['=x', ''],
        ['x', 'x'],
      ] as const) {
        const reply = await scene.send(route, withQuery(sample, query))
        expect(told(route, reply)).toBe(`${route.spec.name} 422 ${name} unknown_parameter`)
        const isAuth = route.spec.path.startsWith('/auth/')
        expect(reply.headers.get('cache-control')).toBe(isAuth ? 'no-store' : 'private, no-store')
        const names = knownTo(route).join(', ')
        expect(problemsOf(reply)[0]?.message).toEndWith(
          names === '' ? 'This request takes none.' : `This request takes ${names}.`,
        )
      }
      // Refused before anything was written, and before the key was used.
      const done = await scene.send(route, sample)
      expect(`${told(route, done)}${done.headers.has('idempotent-replayed')}`).toBe(
        `${route.spec.name} ${Object.keys(route.spec.answers)[0]} false`,
      )
    }
  })

  test('with a typo is refused with the name of the parameter that is meant', async () => {
    const typos = {
      staus: 'status',
      Order: 'order',
      limt: 'limit',
      curser: 'cursor',
      bukcet: 'bucket',
      isdraft: 'isDraft',
    }
    const found = new Set<string>()
    for (const route of scene.routes.filter(isInterface)) {
      for (const [typo, name] of Object.entries(typos)) {
        if (!knownTo(route).includes(name)) continue
        found.add(name)
        const reply = await scene.send(route, withQuery(await scene.valid(route), `${typo}=1`))
        expect(told(route, reply)).toBe(`${route.spec.name} 422 ${typo} unknown_parameter`)
        expect(problemsOf(reply)[0]?.message).toContain(`did you mean ${name}?`)
      }
    }
    expect([...found].sort()).toEqual(Object.values(typos).sort())
  })

  test('may hold each parameter once, and at most 50', async () => {
    for (const route of scene.routes.filter((candidate) => isInterface(candidate) && candidate.spec.query)) {
      for (const name of Object.keys(route.spec.query?.shape ?? {})) {
        const reply = await scene.send(
          route,
          withQuery(await scene.valid(route), `${name}=open&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=open`),
        )
        expect(told(route, reply)).toContain(`${route.spec.name} 422 ${name} duplicate_parameter`)
      }
    }
    const { poll, service } = scene
    const many = Array.from({ length: 51 }, (_, i) => `p${i}=1`).join('&')
    for (const path of [`polls/${poll.slug}`, `polls/${poll.slug}/tallies`, `brands/${scene.brand.slug}/polls`]) {
      const reply = await service.get(`${path}?${many}`)
      expect(reply.status).toBe(422)
      expect(problemsOf(reply)[0]).toMatchObject({ path: '', code: 'too_many_parameters' })
      expect(problemsOf(reply).length).toBeLessThanOrEqual(51)
      const longest = await service.get(`${path}?${'a&'.repeat(7_500)}`)
      expect(problemsOf(longest).map(({ code }) => code)).toEqual(['too_many_parameters', 'unknown_parameter'])
    }
  })

  test('is validated also when the answer is in memory', async () => {
    const { service, poll, brand } = scene
    for (const path of [`polls/${poll.slug}`, `polls/${poll.slug}/tallies`, `brands/${brand.slug}/polls`]) {
      for (let i = 0; i < 2; i++) expect((await service.get(path)).status).toBe(200)
      expect((await service.get(`${path}?v=1`)).status).toBe(422)
      expect((await service.get(`${path}?`)).status).toBe(200)
    }
  })

  test('is refused after 401, and before any lookup', async () => {
    const { service, brand } = scene
    expect((await service.get('brands/me/polls?staus=open')).status).toBe(401)
    expect((await service.get('brands/me/polls?staus=open&limit=0', { token: brand.token })).status).toBe(400)
    expect((await service.get('brands/me/polls/no-such-poll?x=1', { token: brand.token })).status).toBe(422)
    expect((await service.get('polls/no-such-poll?x=1')).status).toBe(422)
    expect((await service.get('nothing?x=1')).status).toBe(404)
  })

  test('of routes outside the API may hold anything', async () => {
    const routes = scene.routes.filter((route) => !isInterface(route))
    expect(routes.length).toBeGreaterThan(20)
    for (const route of routes) {
      const query = `utm_source=mail&utm_source=post&fbclid=x&${'x=1&'.repeat(100)}`
      const reply = await scene.send(route, withQuery(await scene.valid(route), query))
      expect(told(route, reply).trim()).toBe(`${route.spec.name} ${successOf(route)}`)
    }
  })
})

describe.each([...engines])('%s: a cursor', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
    const { service, brand } = scene
    const category = await createCategory(service.db, service.deps, { slug: 'drinks', name: 'Drinks' })
    for (let i = 0; i < 3; i++) {
      await service.createPoll(brand, { tags: ['Hot'], categoryIds: [category?.id], title: `Straße ${i}` })
    }
    for (let i = 0; i < 3; i++) await createCampaign(service, brand, [scene.poll])
  })
  afterAll(() => scene.service.stop())

  const page = (path: string, query: string, ask: Ask = { token: scene.brand.token }) =>
    scene.service.get<PollData[]>(`${path}?${query}`, ask)

  /** Requests the second page with each spelling, using the cursor of every other spelling. */
  async function expectOneList(path: string, spellings: readonly string[], ask?: Ask): Promise<void> {
    const cursors: string[] = []
    for (const spelling of spellings) {
      const first = await page(path, `${spelling}&limit=1`, ask)
      expect([spelling, first.status]).toEqual([spelling, 200])
      cursors.push(first.body.nextCursor ?? '')
    }
    expect(new Set(cursors).size).toBe(1)
    expect(cursors[0]).not.toBe('')
    for (const [i, spelling] of spellings.entries()) {
      const second = await page(path, `limit=${i + 1}&${spelling}&cursor=${cursors[0]}`, ask)
      expect([spelling, second.status]).toEqual([spelling, 200])
    }
  }

  test('stays valid when a filter is given its default value, in every list', async () => {
    const lists = scene.routes.filter(({ spec }) => spec.isPaged)
    let defaults = 0
    for (const route of lists) {
      const given = Object.entries(route.spec.query?.parse({}) ?? {}).map(([name, value]) => `${name}=${value}`)
      defaults += given.length
      const { path, ask } = await scene.valid(route)
      if ((await page(path, 'limit=1', ask)).body.nextCursor === null) continue
      await expectOneList(path, ['', ...given, given.join('&'), given.toReversed().join('&')], ask)
    }
    expect(defaults).toBeGreaterThanOrEqual(2)
  })

  test('stays valid for another spelling of the same filters', async () => {
    const { brand } = scene
    await expectOneList(`brands/${brand.slug}/polls`, [
      'status=open&order=recent',
      'order=recent&status=open',
      'st%61tus=%6fpen',
    ])
    await expectOneList('brands/me/polls', ['category=drinks', 'category=DRINKS', 'category=Drink%73'])
    await expectOneList('brands/me/polls', ['q=STRASSE', 'q=straße', 'q=Stra%C3%9Fe', 'q=strasse', 'q=str%C3%A0sse'])
    await expectOneList('brands/me/polls', ['isDraft=false&tag=Hot', 'tag=HOT&isDraft=false'])
  })

  test('stays valid for every identifier in its path', async () => {
    const { campaign, brand } = scene
    const votes = 3
    for (let i = 0; i < votes; i++) await scene.service.vote(scene.poll.slug, 'A', randomUUID())
    const path = (id: string) => `brands/me/campaigns/${id}/responses`
    const first = await scene.service.get(`${path(campaign.campaignId)}?limit=1`, { token: brand.token })
    const cursor = first.body.nextCursor ?? ''
    expect(cursor).not.toBe('')
    expect((await page(path(campaign.campaignId.toUpperCase()), `cursor=${cursor}`)).status).toBe(200)
  })

  test('of the first page in memory leads to the second, which the database answers', async () => {
    const { service, brand } = scene
    const crowded = await service.createBrand()
    const made: string[] = []
    for (let i = 0; i < 22; i++) made.unshift((await service.createPoll(crowded)).slug)
    for (let i = 0; i < 2; i++) {
      const first = await service.get<PollData[]>(`brands/${crowded.slug}/polls`)
      for (const rest of ['', '&status=all', '&order=recent&status=all', '&limit=20']) {
        const second = await service.get<PollData[]>(
          `brands/${crowded.slug}/polls?cursor=${first.body.nextCursor}${rest}`,
        )
        expect([...first.body.data, ...second.body.data].map(({ slug }) => slug)).toEqual(made)
      }
      const other = await service.get(`brands/${brand.slug}/polls?cursor=${first.body.nextCursor}`)
      expect(other.status).toBe(400)
    }
  })

  test('of other filters is refused with 400, also where those are not valid', async () => {
    const { brand } = scene
    const feed = `brands/${brand.slug}/polls`
    const cursor = (await page(feed, 'limit=1')).body.nextCursor
    for (const query of ['status=open', 'order=popular', 'status=nope', 'status=all&status=all']) {
      const reply = await page(feed, `${query}&cursor=${cursor}`)
      const code = query === 'status=all&status=all' ? [422, 'duplicate_parameter'] : [400, 'invalid_cursor']
      expect([query, reply.status, problemsOf(reply)[0]?.code]).toEqual([query, ...code])
    }
  })
})
