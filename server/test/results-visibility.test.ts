import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { fromNow, HOUR, identifiersOf, ownPoll, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TalliesData, type TestBrand, type TestService } from './service.ts'

const HIDDEN = { optionA: 0, optionB: 0, total: 0, hidden: true }
const SHOWN = { optionA: 2, optionB: 1, total: 3 }

const COUNTED = [
  { optionA: 1, optionB: 0, total: 1 },
  { optionA: 1, optionB: 1, total: 2 },
  { optionA: 2, optionB: 1, total: 3 },
]
const UNTOLD = [HIDDEN, HIDDEN, HIDDEN]

/** The tallies in the answers to the votes of the three voters. */
const AT_VOTE = { always: COUNTED, after_vote: COUNTED, after_close: UNTOLD, never: UNTOLD }

type Policy = 'always' | 'after_vote' | 'after_close' | 'never'

const PHASES = { open: {}, closed: { closesAt: fromNow(-HOUR) }, archived: { archived: true } }

interface Expected {
  readonly policy: Policy
  readonly phase: keyof typeof PHASES
  readonly public: boolean
  readonly voter: boolean
}

/** Who may see the counts, exactly as the contract says. */
const TABLE: Expected[] = [
  { policy: 'always', phase: 'open', public: true, voter: true },
  { policy: 'always', phase: 'closed', public: true, voter: true },
  { policy: 'always', phase: 'archived', public: true, voter: true },
  { policy: 'after_vote', phase: 'open', public: false, voter: true },
  { policy: 'after_vote', phase: 'closed', public: false, voter: true },
  { policy: 'after_vote', phase: 'archived', public: false, voter: true },
  { policy: 'after_close', phase: 'open', public: false, voter: false },
  { policy: 'after_close', phase: 'closed', public: true, voter: true },
  { policy: 'after_close', phase: 'archived', public: true, voter: true },
  { policy: 'never', phase: 'open', public: false, voter: false },
  { policy: 'never', phase: 'closed', public: false, voter: false },
  { policy: 'never', phase: 'archived', public: false, voter: false },
]

describe.each([...engines])('%s: who sees the results', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    // A test goes a day ahead: a job in the background would remove the tokens that are expired by then.
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const surfaces = async (poll: PollData) => {
    const page = await service.get<PollData[]>(`brands/${brand.slug}/polls?limit=100`)
    const item = page.body.data.find(({ id }) => id === poll.id)
    const alone = identifiersOf(poll).flatMap((reference) => [`polls/${reference}`, `polls/${reference}/tallies`])
    const replies = await Promise.all(
      alone.map((path) => service.get<PollData>(path, { token: brand.token, device: randomUUID() })),
    )
    return [...replies.map(({ body }) => body.data.tallies), ...(item ? [item.tallies] : [])]
  }

  async function threeVotes(poll: PollData) {
    const devices = [randomUUID(), randomUUID(), randomUUID()] as const
    const answers: TalliesData[] = []
    for (const [i, device] of devices.entries()) {
      const { status, body } = await service.vote(poll.slug, i === 1 ? 'B' : 'A', device)
      expect(status).toBe(201)
      answers.push(body.data.tallies)
    }
    return { devices, answers }
  }

  // spec: 2.2-5
  test.each(TABLE)('%j', async ({ policy, phase, ...sees }) => {
    const poll = await service.createPoll(brand, { resultsVisibility: policy, closesAt: fromNow(HOUR) })
    const { devices, answers } = await threeVotes(poll)
    expect(answers).toEqual(AT_VOTE[policy] as TalliesData[])
    await patchPoll(service, brand, poll.slug, PHASES[phase])
    const shown = await surfaces(poll)
    expect(shown).toHaveLength(phase === 'archived' ? 8 : 9)
    for (const tallies of shown) expect(tallies).toEqual((sees.public ? SHOWN : HIDDEN) as TalliesData)
    for (const device of devices) {
      const { body } = await service.get(`polls/${poll.slug}/votes/me`, { device })
      expect(body.data).toMatchObject({ tallies: sees.voter ? SHOWN : HIDDEN })
      expect('hidden' in (body.data as { tallies: TalliesData }).tallies).toBe(!sees.voter)
    }
    expect((await ownPoll(service, brand, poll.slug)).tallies).toEqual(SHOWN)
    const list = await service.get<PollData[]>('brands/me/polls?limit=1', { token: brand.token })
    expect(list.body.data[0]?.tallies).toEqual(SHOWN)
    const patched = await patchPoll(service, brand, poll.slug, {})
    expect(patched.body.data.tallies).toEqual(SHOWN)
  })

  test('a refused vote shows no hidden counts', async () => {
    const poll = await service.createPoll(brand, { resultsVisibility: 'never' })
    const { devices } = await threeVotes(poll)
    const again = await service.vote(poll.slug, 'A', devices[0])
    expect(again.status).toBe(409)
    expect(again.text).not.toContain('tallies')
  })

  test.each(['after_vote', 'after_close', 'never'] as const)(
    '%s: no answer of any public surface changes by a byte when votes come in',
    async (policy) => {
      const poll = await service.createPoll(brand, { resultsVisibility: policy })
      const paths = [`polls/${poll.slug}`, `polls/${poll.slug}/tallies`, `brands/${brand.slug}/polls?limit=1`]
      const read = async () =>
        (await Promise.all(paths.map((path) => service.get(path)))).map(({ text, headers }) => [
          text,
          headers.get('etag'),
        ])
      const before = await read()
      // Real time: votes get the database's time.
      await Bun.sleep(2)
      await threeVotes(poll)
      expect(await read()).toEqual(before)
      const etag = String(before[1]?.[1])
      expect((await service.get(paths[1] ?? '', { headers: { 'If-None-Match': etag } })).status).toBe(304)
    },
  )

  test('always: counts, their updatedAt and their ETag follow each vote, and the poll keeps its own', async () => {
    const poll = await service.createPoll(brand)
    const tallies = () => service.get<PollData>(`polls/${poll.slug}/tallies`)
    const before = await tallies()
    expect(before.body.data).toEqual({
      slug: poll.slug,
      status: 'open',
      tallies: { optionA: 0, optionB: 0, total: 0 },
      updatedAt: poll.updatedAt,
    } as PollData)
    // Real time: votes get the database's time.
    await Bun.sleep(2)
    const { body } = await service.vote(poll.slug, 'A')
    const after = await tallies()
    expect(after.body.data).toMatchObject({ tallies: { optionA: 1, total: 1 }, updatedAt: body.data.votedAt })
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect((await service.get<PollData>(`polls/${poll.slug}`)).body.data.updatedAt).toBe(poll.updatedAt)
  })

  test('the close reveals by the clock alone, and moving it on hides again', async () => {
    const poll = await service.createPoll(brand, { resultsVisibility: 'after_close', closesAt: fromNow(24 * HOUR) })
    const { devices } = await threeVotes(poll)
    const seen = async () => (await surfaces(poll))[0]
    expect(await seen()).toEqual(HIDDEN as TalliesData)
    service.clock.advance(24 * HOUR)
    expect(await seen()).toEqual(SHOWN)
    const mine = await service.get<{ tallies: TalliesData }>(`polls/${poll.slug}/votes/me`, { device: devices[0] })
    expect(mine.body.data.tallies).toEqual(SHOWN)
    service.clock.advance(-24 * HOUR)
    expect(await seen()).toEqual(HIDDEN as TalliesData)
    await patchPoll(service, brand, poll.slug, { closesAt: fromNow(-1) })
    expect(await seen()).toEqual(SHOWN)
    await patchPoll(service, brand, poll.slug, { closesAt: null })
    expect(await seen()).toEqual(HIDDEN as TalliesData)
  })

  test('changing the policy hides and shows at once', async () => {
    const poll = await service.createPoll(brand)
    await threeVotes(poll)
    for (const [policy, tallies] of [
      ['never', HIDDEN],
      ['always', SHOWN],
      ['after_vote', HIDDEN],
      ['always', SHOWN],
    ] as const) {
      await patchPoll(service, brand, poll.slug, { resultsVisibility: policy })
      for (const shown of await surfaces(poll)) expect(shown).toEqual(tallies as TalliesData)
    }
  })
})
