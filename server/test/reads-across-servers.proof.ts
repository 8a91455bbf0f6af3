import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import pg from 'pg'
import { engines } from './engines.ts'
import { leastOf } from './least-of.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { type PollData, startTestService, type TalliesData, type TestService } from './service.ts'

setDefaultTimeout(60_000)

const POLLS = 60
/**
 * The pauses of each of four voters and two readers: without them, all of the processor goes to them. A server that gets more
 * votes on a poll learns its counts from them, and hides that it hears late of the votes of others.
 */
const VOTE_EVERY_MS = 40
const READ_EVERY_MS = 4
const OBSERVED_MS = 6_000
const FEWEST_READS = 60
/** Long enough for the slowest job that asks the database without a reason. */
const ROUND_MS = 21_000
/** The limits of the notices, with a margin for a busy machine: nearly all reads must be within the first. */
const USUAL_MS = 250
const ALWAYS_MS = 1_000

/** Counts statements by the application name of their connection. */
class StatementCount {
  readonly #query = pg.Client.prototype.query
  #counts = new Map<string, number>()

  start(): void {
    const original = this.#query as (this: pg.Client, ...given: unknown[]) => unknown
    const count = (client: pg.Client, text: string) => {
      if (/^(begin|commit)/i.test(text)) return
      const { application_name: name = '' } = (client as unknown as { connectionParameters: pg.ClientConfig })
        .connectionParameters
      this.#counts.set(name, this.of(name) + 1)
    }
    pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
      const [statement] = given
      count(this, typeof statement === 'string' ? statement : String((statement as pg.QueryConfig).text))
      return original.apply(this, given)
    } as typeof pg.Client.prototype.query
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  stop(): void {
    pg.Client.prototype.query = this.#query
  }
}

describe.if(engines.includes('postgres'))('postgres: servers beside each other', () => {
  let database: OwnDatabase
  let one: TestService
  let two: TestService
  let three: TestService
  let polls: PollData[]
  const statements = new StatementCount()

  beforeAll(async () => {
    statements.start()
    database = await createDatabase()
    const settings = (name: string) => ({ DATABASE_URL: `${database.url}?application_name=${name}` })
    one = await startTestService('sqlite', { settings: settings('one') })
    two = await startTestService('sqlite', { settings: settings('two'), role: 'api' })
    three = await startTestService('sqlite', { settings: settings('three') })
    const brand = await one.createBrand()
    polls = []
    for (let i = 0; i < POLLS; i++) polls.push(await one.createPoll(brand))
  })
  afterAll(async () => {
    await one.stop()
    await two.stop()
    await three.stop()
    await database.drop()
    statements.stop()
  })

  /** Votes on all polls in turn until `end`, on each at least once, at the servers in turn. */
  async function voteUntil(end: number, servers: readonly TestService[]): Promise<void> {
    let votes = 0
    const voter = async () => {
      while (performance.now() < end || votes < POLLS) {
        const vote = votes++
        const server = servers[vote % servers.length]
        const answer = await server?.vote(polls[Math.floor(vote / servers.length) % POLLS]?.slug ?? '', 'A')
        expect(answer?.status).toBe(201)
        // Real time: enough votes to change each poll more than once a second.
        await Bun.sleep(VOTE_EVERY_MS)
      }
    }
    await Promise.all([voter(), voter(), voter(), voter()])
  }

  test('one without requests asks the database for at most five statements a second, however hot the polls of another', async () => {
    for (const { slug } of polls) for (const idle of [two, three]) await idle.get(`polls/${slug}`)
    // Any one of the servers extends the logs of polls and tells round numbers of votes: that work is not the subject.
    await one.db.updateTable('polls').set({ next_milestone: 1_000_000_000, logged_votes: 1_000_000_000 }).execute()
    await voteUntil(performance.now() + 1_000, [one])
    const counted = () => ['two', 'three'].map((name) => statements.of(name))
    const [before, startedAt] = [counted(), performance.now()]
    // Real time: statements a second are the subject.
    await voteUntil(startedAt + ROUND_MS, [one])
    const seconds = (performance.now() - startedAt) / 1_000
    for (const [i, count] of counted().entries()) {
      const perSecond = (count - (before[i] ?? 0)) / seconds
      expect(perSecond).toBeGreaterThan(1)
      expect(perSecond).toBeLessThanOrEqual(5)
    }
  })

  /** How far the counts that readers got were behind, as a share of what is allowed. */
  async function lateness(): Promise<number> {
    const watched = polls.slice(0, 5)
    /** When a total was first seen, by poll. */
    const seen = new Map(watched.map(({ slug }) => [slug, new Map<number, number>()]))
    const delays: number[] = []
    let reads = 0
    // Real time: how soon a vote is shown elsewhere is the subject.
    const end = performance.now() + OBSERVED_MS
    let isOver = false
    // A busy machine needs longer for as many.
    const goesOn = () => performance.now() < end || reads < FEWEST_READS
    const read = async () => {
      for (; goesOn(); reads++) {
        const { slug } = watched[reads % watched.length] as PollData
        const askedAt = performance.now()
        const server = Math.random() < 0.5 ? one : two
        const { tallies } = (await server.get<{ tallies: TalliesData }>(`polls/${slug}/tallies`)).body.data
        const firsts = seen.get(slug) as Map<number, number>
        const newer = [...firsts].filter(([total, at]) => total > tallies.total && at < askedAt)
        if (newer.length > 0) delays.push(askedAt - Math.min(...newer.map(([, at]) => at)))
        if (!firsts.has(tallies.total)) firsts.set(tallies.total, performance.now())
        // Real time: far more often than the shortest delay that counts.
        await Bun.sleep(READ_EVERY_MS)
      }
    }
    const voting = (async () => {
      while (!isOver) await voteUntil(end, [one, two])
    })()
    await Promise.all([read(), read()])
    isOver = true
    await voting
    const late = delays.filter((delay) => delay > USUAL_MS)
    return Math.max((late.length * 20) / reads, Math.max(0, ...delays) / ALWAYS_MS)
  }

  test('readers who get either server see no older counts than a moment before', async () => {
    expect(await leastOf(1, lateness)).toBeLessThan(1)
  })
})
