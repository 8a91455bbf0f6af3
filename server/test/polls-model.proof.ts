import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { engines } from './engines.ts'
import {
  type Fields,
  feedOf,
  isPublic,
  isWindowEmpty,
  type ModelPoll,
  type Order,
  ownedBy,
  type Policy,
  refusedDelete,
  refusedUpdate,
  refusedVote,
  statusOf,
  talliesOf,
  update,
  withDefaults,
} from './poll-model.ts'
import { deletePoll, everyPage, identifiersOf, minimalPoll, patchPoll } from './polls.ts'
import { refreshPopularity } from './popularity.ts'
import { type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'

/** All times of a run are multiples of this from its start, and no run lasts that long. */
const STEP = 4 * 60_000
const BRANDS = 2
const DEVICES = 3

type Step =
  | { readonly kind: 'create'; readonly brand: number; readonly fields: Fields }
  | { readonly kind: 'patch'; readonly poll: number; readonly brand: number; readonly patch: Fields }
  | { readonly kind: 'delete'; readonly poll: number; readonly brand: number }
  | {
      readonly kind: 'vote'
      readonly poll: number
      readonly device: number
      readonly name: number
      readonly option: 'A' | 'B'
    }
  | { readonly kind: 'clock'; readonly steps: number }

const moment = fc.oneof(
  fc.constant(null),
  fc.integer({ min: -2, max: 5 }).map((steps) => (steps + 0.5) * STEP),
)
const fieldArbitraries = {
  title: fc.constantFrom('Tea or coffee?', 'Rain or snow?'),
  isDraft: fc.boolean(),
  isPrivate: fc.boolean(),
  resultsVisibility: fc.constantFrom<Policy>('always', 'after_vote', 'after_close', 'never'),
  opensAt: moment,
  closesAt: moment,
}
const some = fc.integer({ min: 0, max: 1_000 })
const brand = fc.integer({ min: 0, max: BRANDS - 1 })
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('create' as const),
        brand,
        fields: fc.record(fieldArbitraries, { requiredKeys: [] }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('patch' as const),
        poll: some,
        brand,
        patch: fc.record({ ...fieldArbitraries, archived: fc.boolean() }, { requiredKeys: [] }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), poll: some, brand }) },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('vote' as const),
        poll: some,
        device: fc.integer({ min: 0, max: DEVICES - 1 }),
        name: some,
        option: fc.constantFrom('A' as const, 'B' as const),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('clock' as const), steps: fc.integer({ min: 0, max: 5 }) }) },
  ),
  { minLength: 6, maxLength: 24 },
)

/** One run: each request goes to the service and to the model, and their answers must agree. */
class Run {
  readonly #service: TestService
  readonly #brands: readonly TestBrand[]
  readonly #start = Date.now()
  readonly #devices = Array.from({ length: DEVICES }, () => randomUUID())
  readonly #polls: ModelPoll[] = []
  #shift = 0

  constructor(service: TestService, brands: readonly TestBrand[]) {
    this.#service = service
    this.#brands = brands
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'clock') return this.#moveClock(step.steps * STEP)
    if (step.kind === 'create') return this.#create(step)
    const poll = this.#polls[step.poll % this.#polls.length]
    if (!poll) return
    if (step.kind === 'patch') await this.#patch(poll, step)
    else if (step.kind === 'delete') await this.#delete(poll, step.brand)
    else await this.#vote(poll, step)
    await this.#checkPoll(poll)
    await this.#checkLists(poll.brand, 'all', 'recent')
  }

  async finish(): Promise<void> {
    for (const poll of this.#polls) await this.#checkPoll(poll)
    await refreshPopularity(this.#service, this.#now)
    for (const key of this.#brands.keys())
      for (const status of ['all', 'open', 'closed'])
        for (const order of ['recent', 'closing', 'popular'] as const) await this.#checkLists(key, status, order)
  }

  leave(): void {
    this.#moveClock(0)
  }

  get #now(): number {
    return this.#start + this.#shift
  }

  #moveClock(shift: number): void {
    this.#service.clock.advance(shift - this.#shift)
    this.#shift = shift
  }

  #brand(key: number): TestBrand {
    const found = this.#brands[key]
    if (!found) throw new Error('no such brand')
    return found
  }

  /** Time fields, in the form of the body and in that of the model. */
  #absolute(fields: Fields): Fields {
    const at = (moment: number | null) => (moment === null ? null : this.#start + moment)
    return {
      ...fields,
      ...(fields.opensAt === undefined ? {} : { opensAt: at(fields.opensAt) }),
      ...(fields.closesAt === undefined ? {} : { closesAt: at(fields.closesAt) }),
    }
  }

  async #create({ brand: key, fields }: Step & { kind: 'create' }): Promise<void> {
    const wanted = this.#absolute(fields)
    const reply = await this.#service.write<PollData>('POST', 'brands/me/polls', {
      token: this.#brand(key).token,
      json: { ...minimalPoll, ...asBody(wanted) },
    })
    if (isWindowEmpty(wanted)) {
      expectRefusal(reply, { status: 422, code: 'VALIDATION_ERROR' })
      return
    }
    expect(reply.status).toBe(201)
    const { id, createdAt } = reply.body.data
    const poll: ModelPoll = {
      brand: key,
      id,
      names: identifiersOf(reply.body.data),
      createdAt: Date.parse(String(createdAt)),
      fields: withDefaults(wanted),
      isDeleted: false,
      isRevised: false,
      votes: new Map(),
    }
    this.#polls.push(poll)
    this.#expectOwned(reply.body.data, poll)
    await this.#checkPoll(poll)
  }

  async #patch(poll: ModelPoll, { brand: key, patch }: Step & { kind: 'patch' }): Promise<void> {
    const wanted = this.#absolute(patch)
    const reply = await patchPoll(this.#service, this.#brand(key), poll.id, asBody(wanted))
    const refusal = refusedUpdate(poll, key, wanted)
    if (refusal) return expectRefusal(reply, refusal)
    expect(reply.status).toBe(200)
    update(poll, wanted)
    this.#expectOwned(reply.body.data, poll)
  }

  async #delete(poll: ModelPoll, key: number): Promise<void> {
    const reply = await deletePoll(this.#service, this.#brand(key), poll.id)
    const refusal = refusedDelete(poll, key)
    if (refusal) return expectRefusal(reply, refusal)
    expect(reply.status).toBe(204)
    poll.isDeleted = true
  }

  /** Votes use the database's clock, which tests cannot move: for votes it is always the start of the run. */
  async #vote(poll: ModelPoll, { device, name, option }: Step & { kind: 'vote' }): Promise<void> {
    const refusal = refusedVote(poll, device, this.#start)
    const reply = await this.#service.vote(poll.names[name % poll.names.length] ?? '', option, this.#devices[device])
    if (refusal) return expectRefusal(reply, refusal)
    expect(reply.status).toBe(201)
    const { votedAt } = reply.body.data
    poll.votes.set(device, { option, votedAt })
    expect(reply.body.data as object).toEqual({ option, votedAt, tallies: talliesOf(poll, 'voter', this.#start) })
  }

  async #checkPoll(poll: ModelPoll): Promise<void> {
    const name = poll.names[poll.votes.size % poll.names.length]
    const [single, tallies, owned] = await Promise.all([
      this.#service.get<PollData>(`polls/${name}`),
      this.#service.get<PollData>(`polls/${name}/tallies`),
      this.#service.get<PollData>(`brands/me/polls/${name}`, { token: this.#brand(poll.brand).token }),
    ])
    expect([single.status, tallies.status, owned.status]).toEqual([
      isPublic(poll) ? 200 : 404,
      isPublic(poll) ? 200 : 404,
      poll.isDeleted ? 404 : 200,
    ])
    if (!poll.isDeleted) this.#expectOwned(owned.body.data, poll)
    const seen = { status: statusOf(poll, this.#now), tallies: talliesOf(poll, 'public', this.#now) }
    if (isPublic(poll)) {
      const { archivedAt: _, codeListId: __, ...shared } = owned.body.data
      expect(single.body.data).toEqual({ ...shared, ...seen } as PollData)
      expect(tallies.body.data).toMatchObject(seen)
    }
    for (const [place, device] of this.#devices.entries()) {
      const mine = await this.#service.get<object>(`polls/${name}/votes/me`, { device })
      const vote = isPublic(poll) ? poll.votes.get(place) : undefined
      expect(mine.status).toBe(vote ? 200 : 404)
      if (vote) expect(mine.body.data).toEqual({ ...vote, tallies: talliesOf(poll, 'voter', this.#now) })
    }
  }

  #expectOwned(data: PollData, poll: ModelPoll): void {
    const { archived, opensAt, closesAt, ...same } = poll.fields
    expect(data).toMatchObject({
      id: poll.id,
      ...same,
      ...asBody({ opensAt, closesAt }),
      status: statusOf(poll, this.#now),
      tallies: talliesOf(poll, 'owner', this.#now),
    })
    expect(data['archivedAt'] !== null).toBe(archived)
    expect(data['revisedAt'] !== null).toBe(poll.isRevised)
  }

  async #checkLists(key: number, status: string, order: Order): Promise<void> {
    const { slug, token } = this.#brand(key)
    const feed = await everyPage(this.#service, `brands/${slug}/polls?status=${status}&order=${order}`, { limit: 2 })
    expect(feed.map((item) => ({ id: item.id, status: item.status, tallies: item.tallies as object }))).toEqual(
      feedOf(this.#polls, { brand: key, status, order, now: this.#now }).map((poll) => ({
        id: poll.id,
        status: statusOf(poll, this.#now),
        tallies: talliesOf(poll, 'public', this.#now),
      })),
    )
    const owned = await everyPage(this.#service, 'brands/me/polls', { ask: { token }, limit: 3 })
    expect(owned.map(({ id }) => id)).toEqual(ownedBy(this.#polls, key).map(({ id }) => id))
  }
}

const asBody = ({ opensAt, closesAt, ...fields }: Fields) => ({
  ...fields,
  ...(opensAt === undefined ? {} : { opensAt: instant(opensAt) }),
  ...(closesAt === undefined ? {} : { closesAt: instant(closesAt) }),
})

const instant = (moment: number | null) => (moment === null ? null : new Date(moment).toISOString())

function expectRefusal(
  reply: Reply,
  refusal: { status: number; code: string; details?: Record<string, unknown> },
): void {
  expect(reply.status).toBe(refusal.status)
  expect(reply.body.error.code).toBe(refusal.code)
  if (refusal.details) expect(reply.body.error.details).toEqual(refusal.details)
}

describe.each([...engines])('%s: polls and votes against a plain model', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { ACCESS_TOKEN_SECONDS: '3600' } })
  })
  afterAll(() => service.stop())

  // Several tests, so that the number of runs does not affect the time after which a test counts as hanging.
  test.each([1, 2, 3, 4, 5])(
    'after any requests in any order, every answer is what the model says (part %i)',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          const run = new Run(service, [await service.createBrand(), await service.createBrand()])
          try {
            for (const step of sequence) await run.take(step)
            await run.finish()
          } finally {
            run.leave()
          }
        }),
        { numRuns: 4, endOnFailure: false },
      )
      expect(service.logLines).toEqual([])
    },
    60_000,
  )
})
