import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { verifySolution } from 'altcha-lib/v1'
import { solveChallenge } from '../../sdk/src/challenge/solve-challenge.ts'
import type { Challenge } from '../src/features/votes/challenges/challenges.ts'
import { engines, redisUrl } from './engines.ts'
import { createDatabase } from './own-database.ts'
import { deletePoll, identifiersOf, patchPoll } from './polls.ts'
import { type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'

interface Voting {
  readonly device?: string
  readonly solution?: string
  readonly network?: string
  readonly option?: string
}

const voteOn = (
  service: TestService,
  slug: string,
  { device = randomUUID(), solution, network, option = 'A' }: Voting = {},
) =>
  service.post(`polls/${slug}/votes`, {
    device,
    json: { option },
    headers: {
      ...(solution === undefined ? {} : { 'X-Challenge-Solution': solution }),
      ...(network === undefined ? {} : { 'X-Forwarded-For': network }),
    },
  })

const challengeIn = ({ status, body }: Reply): Challenge => {
  expect([status, body.error?.code]).toEqual([403, 'CHALLENGE_REQUIRED'])
  return body.error.details['challenge'] as Challenge
}

async function solutionFor(service: TestService, slug: string, device: string): Promise<string> {
  const solution = await solveChallenge(challengeIn(await voteOn(service, slug, { device })))
  if (solution === null) throw new Error('no solution')
  return solution
}

const votesOf = async (service: TestService, slug: string) =>
  (await service.get<PollData>(`polls/${slug}`)).body.data.tallies.total

describe.each([...engines])('%s: a poll that always asks for a challenge', (engine) => {
  let service: TestService
  let brand: TestBrand
  let slug: string
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
    slug = (await service.createPoll(brand, { challenge: 'always' })).slug
  })
  afterAll(() => service.stop())

  test('takes a vote with its solution, which altcha-lib verifies too', async () => {
    expect((await service.get<PollData>(`polls/${slug}`)).body.data['challenge']).toBe('always')
    const before = await votesOf(service, slug)
    const device = randomUUID()
    const solution = await solutionFor(service, slug, device)
    const hmacKey = Buffer.from(service.deps.keys.challenge).toString('hex')
    expect(await verifySolution(solution, hmacKey)).toBe(true)
    expect(await votesOf(service, slug)).toBe(before)
    expect((await voteOn(service, slug, { device, solution })).status).toBe(201)
    expect(await votesOf(service, slug)).toBe(before + 1)
  })

  test('answers a repeat with the first vote, with a solution or without', async () => {
    const device = randomUUID()
    const solution = await solutionFor(service, slug, device)
    expect((await voteOn(service, slug, { device, solution })).status).toBe(201)
    for (const again of [{ device }, { device, solution }, { device, solution: 'nonsense' }]) {
      const reply = await voteOn(service, slug, { ...again, option: 'B' })
      expect([reply.status, reply.body.error.code]).toEqual([409, 'VOTE_ALREADY_CAST'])
      expect(reply.body.error.details['existingVote']).toMatchObject({ option: 'A' })
    }
  })

  test('refuses a wrong, foreign or late solution with a new challenge', async () => {
    const device = randomUUID()
    const first = challengeIn(await voteOn(service, slug, { device }))
    const solution = (await solveChallenge(first)) ?? ''
    const other = (await service.createPoll(brand, { challenge: 'always' })).slug
    const refused = [
      await voteOn(service, slug, { device, solution: '' }),
      await voteOn(service, slug, { device, solution: `${solution}x`.slice(3) }),
      await voteOn(service, slug, { device: randomUUID(), solution }),
      await voteOn(service, other, { device, solution }),
    ]
    const salts = refused.map((reply) => challengeIn(reply).salt)
    expect(new Set([first.salt, ...salts]).size).toBe(5)
    service.clock.advance(120_001)
    challengeIn(await voteOn(service, slug, { device, solution }))
    expect(await votesOf(service, other)).toBe(0)
    const fresh = await solutionFor(service, slug, device)
    expect((await voteOn(service, slug, { device, solution: fresh })).status).toBe(201)
  })

  test('counts one of many requests with one solution', async () => {
    const device = randomUUID()
    const solution = await solutionFor(service, slug, device)
    const before = await votesOf(service, slug)
    const replies = await Promise.all(Array.from({ length: 12 }, () => voteOn(service, slug, { device, solution })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...new Array(11).fill(409)])
    expect(await votesOf(service, slug)).toBe(before + 1)
  })

  test('takes one solution under every identifier of the poll', async () => {
    const poll = await service.createPoll(brand, { challenge: 'always' })
    for (const name of identifiersOf(poll)) {
      const device = randomUUID()
      const solution = await solutionFor(service, poll.slug, device)
      expect((await voteOn(service, name, { device, solution })).status).toBe(201)
    }
  })

  test('says that it is closed, a draft or missing before it asks for work', async () => {
    const closed = await service.createPoll(brand, { challenge: 'always', closesAt: '2020-01-01T00:00:00Z' })
    expect((await voteOn(service, closed.slug)).body.error.code).toBe('POLST_CLOSED')
    const draft = await service.createPoll(brand, { challenge: 'always', isDraft: true })
    expect((await voteOn(service, draft.slug)).status).toBe(404)
    const gone = await service.createPoll(brand, { challenge: 'always' })
    challengeIn(await voteOn(service, gone.slug))
    await deletePoll(service, brand, gone.slug)
    expect((await voteOn(service, gone.slug)).status).toBe(404)
  })

  test('asks from the next vote on after a change, and no longer after another', async () => {
    const poll = await service.createPoll(brand)
    expect((await voteOn(service, poll.slug)).status).toBe(201)
    expect((await patchPoll(service, brand, poll.slug, { challenge: 'always' })).status).toBe(200)
    challengeIn(await voteOn(service, poll.slug))
    expect((await patchPoll(service, brand, poll.slug, { challenge: 'off' })).status).toBe(200)
    expect((await voteOn(service, poll.slug)).status).toBe(201)
  })

  test('reads in a browser of any page: the preflight allows the header', async () => {
    const preflight = await service.request('OPTIONS', `polls/${slug}/votes`)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Challenge-Solution')
  })
})

describe.each([...engines])('%s: a poll that asks adaptively', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, {
      settings: { NETWORK_VOTES_PER_MINUTE: '40', TRUSTED_PROXIES: '127.0.0.1' },
    })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  test('asks only a network that has used a quarter of its limit, with growing difficulty', async () => {
    const { slug } = await service.createPoll(brand, { challenge: 'adaptive' })
    const network = '192.0.2.1'
    const largest: number[] = []
    for (let i = 0; i < 35; i++) {
      const reply = await voteOn(service, slug, { network })
      largest.push(reply.status === 201 ? 0 : challengeIn(reply).maxnumber)
    }
    expect(largest.slice(0, 10)).toEqual(new Array(10).fill(0))
    expect(largest.slice(10)).toEqual(largest.slice(10).toSorted((a, b) => a - b))
    expect([...new Set(largest)]).toEqual([0, 25_000, 50_000, 100_000])
    expect((await voteOn(service, slug, { network: '198.51.100.1' })).status).toBe(201)
    const device = randomUUID()
    const solution = (await solveChallenge(challengeIn(await voteOn(service, slug, { device, network })))) ?? ''
    expect((await voteOn(service, slug, { device, network, solution })).status).toBe(201)
  })

  test('asks everybody while the poll gets far more votes than usual', async () => {
    const { slug } = await service.createPoll(brand, { challenge: 'adaptive' })
    const statuses: number[] = []
    for (let i = 0; i < 130; i++) {
      statuses.push((await voteOn(service, slug, { network: `203.0.${i}.${i}` })).status)
    }
    expect(statuses.slice(0, 100)).toEqual(new Array(100).fill(201))
    expect(statuses.at(-1)).toBe(403)
    const calm = await service.createPoll(brand, { challenge: 'adaptive' })
    expect((await voteOn(service, calm.slug, { network: '203.0.1.1' })).status).toBe(201)
  })

  test('an attack leaves a poll without challenges alone', async () => {
    const { slug } = await service.createPoll(brand)
    for (let i = 0; i < 40; i++) expect((await voteOn(service, slug, { network: '192.0.2.7' })).status).toBe(201)
  })
})

const shared = redisUrl
  ? [['memory', {}] as const, ['Redis', { REDIS_URL: redisUrl }] as const]
  : [['memory', {}] as const]

describe.if(engines.includes('postgres')).each(shared)(
  'postgres, limits in %s: several servers',
  (_place, settings) => {
    test('take a challenge of each other, once, and after a restart', async () => {
      const database = await createDatabase()
      const start = () => startTestService('sqlite', { settings: { ...settings, DATABASE_URL: database.url } })
      const one = await start()
      const two = await start()
      const brand = await one.createBrand()
      const { slug } = await one.createPoll(brand, { challenge: 'always' })
      const [device, late] = [randomUUID(), randomUUID()]
      const solution = await solutionFor(one, slug, device)
      const lateSolution = await solutionFor(one, slug, late)
      const both = await Promise.all([one, two].map((each) => voteOn(each, slug, { device, solution })))
      expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
      await one.stop()
      await two.stop()
      const again = await start()
      expect((await voteOn(again, slug, { device: late, solution: lateSolution })).status).toBe(201)
      expect((await voteOn(again, slug, { device, solution })).status).toBe(409)
      await again.stop()
      await database.drop()
    })
  },
)
