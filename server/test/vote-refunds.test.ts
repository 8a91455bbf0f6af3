import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { OutcomeUnknown } from '../src/db/vote-store.ts'
import { engines, enginesWithTriggers, redisUrl } from './engines.ts'
import { eventually } from './eventually.ts'
import { withOtherVotes } from './other-ledger.ts'
import { createDatabase } from './own-database.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { TcpProxy } from './tcp-proxy.ts'

const places = enginesWithTriggers.flatMap((engine) => [
  [engine, 'memory', {}] as const,
  ...(redisUrl ? [[engine, 'Redis', { REDIS_URL: redisUrl }] as const] : []),
])

const raising = (code: string) => [
  [
    `create function refuse() returns trigger language plpgsql as 'begin raise exception using errcode = ''${code}''; end'`,
    'create trigger refuse before insert on votes for each row execute function refuse()',
  ],
  ['drop function refuse cascade'],
]

/** Makes the database refuse votes, and accept them again: by a full disk, or by a fault. Reads continue. */
const REFUSALS = {
  sqlite: {
    full: [['pragma query_only = 1'], ['pragma query_only = 0']],
    fault: [
      ["create trigger refuse before insert on fresh_votes begin select raise(abort, 'a fault'); end"],
      ['drop trigger refuse'],
    ],
  },
  postgres: { full: raising('53100'), fault: raising('XX000') },
}

async function refusingVotes<T>({ db, deps }: TestService, why: 'full' | 'fault', work: () => Promise<T>): Promise<T> {
  const [begin = [], end = []] = REFUSALS[deps.engine.name][why]
  for (const statement of begin) await sql.raw(statement).execute(db)
  try {
    return await work()
  } finally {
    for (const statement of end) await sql.raw(statement).execute(db)
  }
}

const remaining = ({ headers }: { headers: Headers }) => headers.get('ratelimit')?.split(';t=')[0]

describe.each(places)('%s, limits in %s: a vote that is not stored', (engine, _place, settings) => {
  let service: TestService
  let brand: TestBrand
  let polls: PollData[]
  beforeAll(async () => {
    const limits = { VOTES_PER_MINUTE: '10', NETWORK_VOTES_PER_MINUTE: '12' }
    service = await startTestService(engine, { settings: { ...settings, ...limits } })
    brand = await service.createBrand()
    polls = []
    for (let i = 0; i < 11; i++) polls.push(await service.createPoll(brand))
  })
  afterAll(() => service.stop())

  const slug = (i: number) => polls[i]?.slug ?? ''

  test('after fifteen answers 503 a device still has its ten votes, and its network its twelve', async () => {
    const device = randomUUID()
    await refusingVotes(service, 'full', async () => {
      for (let i = 0; i < 15; i++) {
        const reply = await service.vote(slug(0), 'A', device)
        expect([reply.status, remaining(reply)]).toEqual([503, '"votes";r=10'])
        expect(reply.headers.get('retry-after')).toMatch(/^[1-9]$/)
      }
      await Promise.all(Array.from({ length: 20 }, () => service.vote(slug(0), 'A')))
    })
    for (let i = 0; i < 10; i++) {
      const reply = await service.vote(slug(i), 'A', device)
      expect([reply.status, remaining(reply)]).toEqual([201, `"votes";r=${9 - i}`])
    }
    expect((await service.vote(slug(10), 'A', device)).status).toBe(429)
    for (let i = 0; i < 11; i++) expect((await service.vote(slug(0), 'B')).status).toBe(201)
    const beyond = await service.vote(slug(0), 'B')
    expect([beyond.status, remaining(beyond)]).toEqual([429, '"network-votes";r=0'])
  })

  test('a 500 is not counted either; a mistake of the voter is counted', async () => {
    const poll = await service.createPoll(brand)
    const device = randomUUID()
    const failed = await refusingVotes(service, 'fault', () => service.vote(poll.slug, 'A', device))
    expect([failed.status, remaining(failed)]).toEqual([500, '"votes";r=10'])
    const wrong = await service.vote(poll.slug, 'neither', device)
    expect([wrong.status, remaining(wrong)]).toEqual([422, '"votes";r=9'])
  })

  test('counts if it may be stored after all: an eleventh is refused', async () => {
    const device = randomUUID()
    const { votes } = service.deps.engine
    const uncertain = withOtherVotes(service, async (ballots, decide, options) => {
      const { decision } = await votes.commit(ballots, decide, options)
      return { decision, durable: Promise.reject(new OutcomeUnknown('nobody knows')) }
    })
    const fresh = await Promise.all(Array.from({ length: 11 }, () => service.createPoll(brand)))
    for (const [i, poll] of fresh.entries()) {
      const reply = await uncertain.vote(poll.slug, device)
      expect([i, reply.status]).toEqual([i, i < 10 ? 503 : 429])
    }
    const stored = await Promise.all(fresh.map((poll) => service.get(`polls/${poll.slug}/votes/me`, { device })))
    expect(stored.filter(({ status }) => status === 200)).toHaveLength(10)
  })
})

test.if(engines.includes('postgres'))(
  'postgres: a vote whose commit lost its answer counts against the limit',
  async () => {
    const database = await createDatabase()
    const proxy = new TcpProxy(database.url)
    await proxy.open()
    const service = await startTestService('sqlite', { settings: { DATABASE_URL: proxy.url, VOTES_PER_MINUTE: '10' } })
    const [before, after, lost] = await Promise.all(
      Array.from({ length: 3 }, async () => service.createPoll(await service.createBrand())),
    )
    const device = randomUUID()
    const vote = (poll: PollData | undefined) => service.vote(poll?.slug ?? '', 'A', device)
    expect(remaining(await vote(before))).toBe('"votes";r=9')
    proxy.cutAfter((bytes) => bytes.includes('ledger-cast'))
    const unknown = await vote(lost)
    proxy.cutAfter(() => false)
    // PostgreSQL has the statement and finishes it, even if nobody waits for the answer.
    const stored = service.db.selectFrom('votes').select('position')
    await eventually(async () => (await stored.execute()).length === 2)
    expect([unknown.status, remaining(unknown)]).toEqual([503, '"votes";r=8'])
    const repeated = await vote(lost)
    expect([repeated.status, remaining(repeated)]).toEqual([409, '"votes";r=7'])
    const next = await vote(after)
    expect([next.status, remaining(next)]).toEqual([201, '"votes";r=6'])
    await service.stop()
    await proxy.close()
    await database.drop()
  },
)
