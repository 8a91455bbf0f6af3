import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { removeDeletedVotes } from '../src/features/campaigns/respondents/remove-deleted-votes.ts'
import { Popularity } from '../src/features/polls/popularity.ts'
import { countedVotes, pollKeyOf } from './ballot-box.ts'
import { deadlocksIn } from './deadlocks.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase } from './own-database.ts'
import { deletePoll, fromNow, HOUR, ownPoll, patchPoll } from './polls.ts'
import { type Reply, startTestService, type TestBrand, type TestService, type VoteData, WIDE_POOL } from './service.ts'

const count = (statuses: readonly number[], wanted: number) => statuses.filter((status) => status === wanted).length

describe.each([...engines])('%s: votes that race', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: WIDE_POOL })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  // spec: 1-2, 4.3-6
  test('of a thousand votes of one device at once on one poll, one is counted and the others are told its option', async () => {
    const poll = await service.createPoll(brand)
    const device = randomUUID()
    const replies = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => service.vote(poll.slug, i % 2 ? 'A' : 'B', device)),
    )
    const accepted = replies.filter(({ status }) => status === 201)
    expect(accepted).toHaveLength(1)
    const { option, votedAt } = accepted[0]?.body.data ?? {}
    const refusals = replies.filter(({ status }) => status === 409).map(({ body }) => body.error)
    expect(refusals).toHaveLength(999)
    for (const { code, details } of refusals) {
      expect(code).toBe('VOTE_ALREADY_CAST')
      expect(details).toEqual({ existingVote: { option, votedAt } })
    }
    expect(await countedVotes(service, await pollKeyOf(service, poll))).toHaveLength(1)
  })

  test('each of hundreds of votes at once on a public and a hidden poll is answered with its own option and poll', async () => {
    const shown = await service.createPoll(brand)
    const hidden = await service.createPoll(brand, { resultsVisibility: 'never' })
    const { ledger } = service.service
    const groupsBefore = ledger.groups
    const cast = Array.from({ length: 400 }, (_, i) => ({
      slug: (i % 4 < 2 ? shown : hidden).slug,
      option: i % 2 ? 'A' : 'B',
      device: randomUUID(),
    }))
    const told = await Promise.all(cast.map(({ slug, option, device }) => service.vote(slug, option, device)))
    expect(ledger.groups - groupsBefore).toBeLessThan(cast.length / 2)
    for (const [i, { slug, option, device }] of cast.entries()) {
      const own = told[i]?.body.data
      expect([told[i]?.status, own?.option]).toEqual([201, option])
      expect('hidden' in (own?.tallies ?? {})).toBe(slug === hidden.slug)
      const { body } = await service.get<VoteData>(`polls/${slug}/votes/me`, { device })
      expect([body.data.option, body.data.votedAt]).toEqual([option, own?.votedAt ?? ''])
    }
    const totals = told.filter((_, i) => cast[i]?.slug === shown.slug).map(({ body }) => body.data.tallies.total)
    expect(Math.max(...totals)).toBe(200)
  })

  /** Does not validate the answer against openapi.json, which would take longer than the vote. */
  async function castPlainly(slug: string) {
    const response = await fetch(`${service.service.url}/api/rest/v1/polls/${slug}/votes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Device-Id': randomUUID() },
      body: '{"option":"A"}',
    })
    return { status: response.status, body: (await response.json()) as Reply<VoteData>['body'] }
  }

  // spec: 3-6
  test('none of ten thousand votes around closesAt is counted at or after it', async () => {
    const poll = await service.createPoll(brand)
    let sent = 0
    let closesAt = Number.POSITIVE_INFINITY
    const accepted: number[] = []
    const refused: string[] = []
    const sender = async () => {
      while (sent < 10_000 || refused.length < 100) {
        sent++
        const { status, body } = await castPlainly(poll.slug)
        if (status === 201) accepted.push(Date.parse(body.data.votedAt))
        else refused.push(`${status} ${body.error.code} ${body.error.details['status']}`)
      }
    }
    const closer = async () => {
      await eventually(() => sent >= 4_000)
      let soon = 0
      do {
        // Later than the change is stored, also where it waits for votes on a busy machine.
        soon = Date.now() + 3_000
        const { status } = await patchPoll(service, brand, poll.slug, { closesAt: new Date(soon).toISOString() })
        expect(status).toBe(200)
      } while (Date.now() >= soon)
      closesAt = soon
    }
    await Promise.all([...Array.from({ length: 100 }, sender), closer()])
    expect(sent).toBeGreaterThanOrEqual(10_000)
    expect(accepted.length).toBeGreaterThan(3_900)
    expect(Math.max(...accepted)).toBeLessThan(closesAt)
    expect(new Set(refused)).toEqual(new Set(['409 POLST_CLOSED closed']))
    const votes = await countedVotes(service, await pollKeyOf(service, poll))
    expect(votes).toHaveLength(accepted.length)
    expect(Math.max(...votes.map(({ votedAt }) => votedAt))).toBeLessThan(closesAt)
  }, 120_000)

  /** Many concurrent senders vote until `act` has been answered, and cast `after` votes from then on. */
  async function voteDuring(slug: string, act: (answered: readonly number[]) => Promise<unknown>, after = 0) {
    const during: number[] = []
    let isDone = false
    const sender = async () => {
      while (!isDone) during.push((await service.vote(slug, 'A')).status)
    }
    const senders = Array.from({ length: 20 }, sender)
    // Real time: the senders are already voting.
    await Bun.sleep(5)
    await act(during).finally(() => {
      isDone = true
    })
    const late = await Promise.all(Array.from({ length: after }, () => service.vote(slug, 'B')))
    await Promise.all(senders)
    return { during, late: late.map(({ status }) => status) }
  }

  async function removeAllDeletedVotes(): Promise<void> {
    const { engine } = service.deps
    const left = engine.db
      .selectFrom('tallies')
      .innerJoin('polls', 'polls.key', 'tallies.poll_key')
      .select('polls.key')
      .where('polls.deleted_at', 'is not', null)
    while (await left.executeTakeFirst()) await removeDeletedVotes(engine)
  }

  test('with a delete: no vote is counted after its answer, and none is left in the database', async () => {
    for (let round = 0; round < 5; round++) {
      const poll = await service.createPoll(brand)
      const key = await pollKeyOf(service, poll)
      const { during, late } = await voteDuring(poll.slug, () => deletePoll(service, brand, poll.slug), 10)
      expect(new Set(late)).toEqual(new Set([404]))
      expect(count(during, 201) + count(during, 404)).toBe(during.length)
      await removeAllDeletedVotes()
      expect(await service.db.selectFrom('votes').select('device').where('poll_key', '=', key).execute()).toEqual([])
    }
  })

  test('with archiving: no vote is counted after its answer, and none is later than archivedAt', async () => {
    for (let round = 0; round < 5; round++) {
      const poll = await service.createPoll(brand)
      const archive = () => patchPoll(service, brand, poll.slug, { archived: true })
      const { during, late } = await voteDuring(poll.slug, archive, 10)
      expect(new Set(late)).toEqual(new Set([409]))
      const votes = await countedVotes(service, await pollKeyOf(service, poll))
      expect(votes).toHaveLength(count(during, 201))
      const { archivedAt } = await ownPoll(service, brand, poll.slug)
      expect(Math.max(0, ...votes.map(({ votedAt }) => votedAt))).toBeLessThanOrEqual(Date.parse(String(archivedAt)))
    }
  })

  test('with closesAt moved back and forth: each vote is counted or refused, as its answer says', async () => {
    const poll = await service.createPoll(brand)
    const { during } = await voteDuring(poll.slug, async (answered) => {
      // A few turns may all find the poll open, or closed.
      const hasBoth = () => count(answered, 201) > 0 && count(answered, 409) > 0
      for (let i = 0; i < 30 || !hasBoth(); i++) {
        const { status } = await patchPoll(service, brand, poll.slug, { closesAt: fromNow(i % 2 ? HOUR : -HOUR) })
        expect(status).toBe(200)
      }
    })
    expect(count(during, 201) + count(during, 409)).toBe(during.length)
    expect(await countedVotes(service, await pollKeyOf(service, poll))).toHaveLength(count(during, 201))
  })

  test('with a return to draft: either the poll is a draft or it has votes, never both', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const poll = await service.createPoll(brand)
        const [patch, ...votes] = await Promise.all([
          patchPoll(service, brand, poll.slug, { isDraft: true }),
          service.vote(poll.slug, 'A'),
          service.vote(poll.slug, 'B'),
        ])
        const counted = await countedVotes(service, await pollKeyOf(service, poll))
        const { isDraft } = await ownPoll(service, brand, poll.slug)
        expect(isDraft).toBe(patch.status === 200)
        expect(counted).toHaveLength(patch.status === 200 ? 0 : votes.filter(({ status }) => status === 201).length)
        if (patch.status !== 200) expect(counted.length).toBeGreaterThan(0)
        return patch.status
      }),
    )
    expect(outcomes.every((status) => status === 200 || status === 409)).toBe(true)
  })

  test('a vote cast while the poll is being revised counts as before or as after the change', async () => {
    const poll = await service.createPoll(brand)
    await Promise.all([
      ...Array.from({ length: 20 }, (_, i) => patchPoll(service, brand, poll.slug, { title: `Title ${i}` })),
      ...Array.from({ length: 100 }, () => service.vote(poll.slug, 'A')),
    ])
    expect(await countedVotes(service, await pollKeyOf(service, poll))).toHaveLength(100)
    expect((await ownPoll(service, brand, poll.slug)).tallies).toEqual({ optionA: 100, optionB: 0, total: 100 })
  })

  test('no race was logged as an error', () => {
    expect(service.logLines).toEqual([])
  })
})

describe.if(engines.includes('postgres'))('two services on one database', () => {
  test('two thousand devices over fifty polls, with the background work going on: no deadlock', async () => {
    const database = await createDatabase()
    const services = [
      await startTestService('postgres', { database, settings: WIDE_POOL }),
      await startTestService('postgres', { database, settings: WIDE_POOL }),
    ] as const
    const [one] = services
    const brand = await one.createBrand()
    const polls = await Promise.all(Array.from({ length: 50 }, () => one.createPoll(brand)))
    const keys = await Promise.all(polls.map((poll) => pollKeyOf(one, poll)))
    let isVoting = true
    const background = services.map(async ({ deps }, i) => {
      const popularity = new Popularity(deps.engine)
      while (isVoting) {
        popularity.noteVotes(i ? keys : keys.toReversed())
        await popularity.refresh(Date.now())
      }
    })
    // Each device votes on several polls through both services, each time in another order.
    const devices = Array.from({ length: 2_000 }, () => randomUUID())
    const votes = devices.flatMap((device, i) =>
      [0, 17, 34].map((step) => ({
        device,
        slug: polls[(i * 7 + step) % 50]?.slug ?? '',
        service: services[(i + step) % 2],
      })),
    )
    const replies: number[] = []
    const sender = async (lane: number) => {
      for (let i = lane; i < votes.length; i += 200) {
        const { device, slug, service } = votes[i] ?? {}
        if (slug) replies.push((await service?.vote(slug, i % 3 ? 'A' : 'B', device))?.status ?? 0)
      }
    }
    await Promise.all(Array.from({ length: 200 }, (_, lane) => sender(lane)))
    isVoting = false
    await Promise.all(background)
    expect(replies).toHaveLength(votes.length)
    expect(new Set(replies)).toEqual(new Set([201]))
    const counted = await Promise.all(keys.map((key) => countedVotes(one, key)))
    expect(counted.flat()).toHaveLength(votes.length)
    for (const { logLines, stop } of services.map((each) => ({ logLines: each.logLines, stop: () => each.stop() }))) {
      await stop()
      expect(logLines).toEqual([])
    }
    expect(await deadlocksIn(database.url)).toBe(0)
    await database.drop()
  }, 180_000)
})
