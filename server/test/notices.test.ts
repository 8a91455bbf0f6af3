import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines } from './engines.ts'
import { asAdmin, createDatabase, type OwnDatabase } from './own-database.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { wrongFor } from './wrong-for.ts'

interface TalliesData {
  readonly tallies: { readonly total: number }
}

/** The contract's limit, with a margin for a busy machine: the median of several must be within it. */
const MEDIAN_MS = 250
const ALWAYS_MS = 1_000

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

describe.if(engines.includes('postgres'))('postgres: two servers on one database', () => {
  let database: OwnDatabase
  let one: TestService
  let two: TestService
  let brand: TestBrand

  beforeAll(async () => {
    database = await createDatabase()
    const settings = { DATABASE_URL: database.url, NETWORK_VOTES_PER_MINUTE: '0' }
    one = await startTestService('sqlite', { settings })
    two = await startTestService('sqlite', { settings })
    brand = await one.createBrand()
  })
  afterAll(async () => {
    await one.stop()
    await two.stop()
    await database.drop()
  })

  const read = (service: TestService, slug: string) => service.get<PollData>(`polls/${slug}`)
  const title = async (service: TestService, slug: string) => (await read(service, slug)).body.data?.title

  test('show each other what an owner changes: texts, themes, new and deleted polls', async () => {
    const waits: number[] = []
    for (let round = 0; round < 5; round++) {
      const { slug } = await one.createPoll(brand)
      await read(two, slug)
      await one.write('PATCH', `brands/me/polls/${slug}`, { token: brand.token, json: { title: `Round ${round}` } })
      waits.push(await wrongFor(async () => (await title(two, slug)) === `Round ${round}`))
      const accent = `#00000${round}`
      await one.write('PATCH', 'brands/me/theme', { token: brand.token, json: { accent } })
      const hasAccent = async () => JSON.stringify((await read(two, slug)).body).includes(accent)
      waits.push(await wrongFor(hasAccent))
      const feed = () => two.get<PollData[]>(`brands/${brand.slug}/polls`)
      waits.push(await wrongFor(async () => (await feed()).body.data.some((poll) => poll.slug === slug)))
      await one.write('DELETE', `brands/me/polls/${slug}`, { token: brand.token })
      waits.push(await wrongFor(async () => (await read(two, slug)).status === 404))
    }
    expect(median(waits)).toBeLessThan(MEDIAN_MS)
    expect(Math.max(...waits)).toBeLessThan(ALWAYS_MS)
  })

  test('show each other their votes', async () => {
    const { slug } = await one.createPoll(brand)
    const total = async () => (await two.get<TalliesData>(`polls/${slug}/tallies`)).body.data.tallies.total
    await total()
    const waits: number[] = []
    for (let votes = 1; votes <= 8; votes++) {
      expect((await one.vote(slug, 'A')).status).toBe(201)
      waits.push(await wrongFor(async () => (await total()) === votes))
    }
    expect(median(waits)).toBeLessThan(MEDIAN_MS)
    expect(Math.max(...waits)).toBeLessThan(ALWAYS_MS)
  })

  test('show each other changes within a second while the connection for notices is cut again and again', async () => {
    const { slug } = await one.createPoll(brand)
    for (let round = 0; round < 3; round++) {
      await read(two, slug)
      await asAdmin(
        database.url,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and query ~* '^(listen|select pg_notify)'`,
      )
      await one.write('PATCH', `brands/me/polls/${slug}`, { token: brand.token, json: { title: `Cut ${round}` } })
      const wait = await wrongFor(async () => (await title(two, slug)) === `Cut ${round}`)
      expect(wait).toBeLessThan(ALWAYS_MS + 500)
    }
  })
})
