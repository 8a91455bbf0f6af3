import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { removeDeletedCampaigns } from '../src/features/campaigns/delete-campaign.ts'
import { removeDeletedVotes } from '../src/features/campaigns/respondents/remove-deleted-votes.ts'
import { walkVotes } from '../src/features/campaigns/respondents/walk-votes.ts'
import { deviceOfUuid, respondentIds } from '../src/features/people/tokens/device.ts'
import {
  foreignIds,
  type ModelCampaign,
  type ModelPoll,
  ownedPolls,
  progressOf,
  recordOf,
  stepsOf,
} from './campaign-model.ts'
import {
  type CampaignData,
  deleteCampaign,
  type OwnedCampaignData,
  type ProgressData,
  patchCampaign,
  postCampaign,
  slugsOf,
} from './campaigns.ts'
import { engines } from './engines.ts'
import { deletePoll, patchPoll } from './polls.ts'
import { responses, walkAll } from './responses.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { untilDone } from './until-done.ts'

const POLLS = 5
const DEVICES = 6

const some = fc.integer({ min: 0, max: 1_000 })
const order = fc.shuffledSubarray(
  Array.from({ length: POLLS }, (_, place) => place),
  { minLength: 1 },
)
const kind = <Kind extends string>(name: Kind) => fc.constant(name)
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: kind('vote'), poll: some, device: some, isA: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('create'), order }) },
    { weight: 6, arbitrary: fc.record({ kind: kind('change'), campaign: some, order }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('archive'), poll: some, isArchived: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('delete poll'), poll: some }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('delete campaign'), campaign: some }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('work') }) },
  ),
  { minLength: 10, maxLength: 40 },
)
type Step = (typeof steps extends fc.Arbitrary<infer All> ? All : never) extends (infer One)[] ? One : never

const pick = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % items.length]

class Run {
  readonly #service: TestService
  readonly #brand: TestBrand
  readonly #polls: ModelPoll[] = []
  readonly #campaigns: ModelCampaign[] = []
  readonly #devices = Array.from({ length: DEVICES }, () => randomUUID())
  readonly #names: ReadonlyMap<string, number>

  constructor(service: TestService, brand: TestBrand) {
    this.#service = service
    this.#brand = brand
    const idOf = respondentIds(service.deps, brand)
    const nameOf = (uuid: string) => idOf(deviceOfUuid(service.deps.keys.device, uuid), null)
    this.#names = new Map(this.#devices.map((uuid, device) => [nameOf(uuid), device]))
  }

  async begin(): Promise<void> {
    for (let i = 0; i < POLLS; i++) {
      const { id, slug } = await this.#service.createPoll(this.#brand)
      this.#polls.push({ id, slug, isArchived: false, isDeleted: false, votes: new Map() })
    }
  }

  async take(step: Step): Promise<void> {
    await this.#do(step)
    const touched = 'campaign' in step ? pick(this.#campaigns, step.campaign) : this.#campaigns.at(-1)
    if (touched) await this.#check(touched)
  }

  /** Runs all jobs of the worker. */
  async finish(): Promise<void> {
    const { engine } = this.#service.deps
    for (let i = 0; i < 3; i++) {
      await untilDone(() => removeDeletedVotes(engine))
      await walkAll(this.#service)
      await untilDone(() => removeDeletedCampaigns(engine))
    }
    for (const campaign of this.#campaigns) await this.#check(campaign, { isSettled: true })
  }

  async #do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'vote':
        return this.#vote(step)
      case 'create':
        return this.#create(step.order)
      case 'change':
        return this.#change(pick(this.#campaigns, step.campaign), step.order)
      case 'archive':
        return this.#archive(pick(this.#polls, step.poll), step.isArchived)
      case 'delete poll':
        return this.#deletePoll(pick(this.#polls, step.poll))
      case 'delete campaign':
        return this.#deleteCampaign(pick(this.#campaigns, step.campaign))
      case 'work':
        await untilDone(() => walkVotes(this.#service.deps.engine))
    }
  }

  async #vote({ poll: at, device, isA }: Step & { kind: 'vote' }): Promise<void> {
    const poll = pick(this.#polls, at)
    const voter = device % DEVICES
    if (!poll) return
    const option = isA ? 'A' : 'B'
    const { status, body } = await this.#service.vote(poll.slug, option, this.#devices[voter])
    const refusal = poll.isDeleted ? 404 : 409
    expect(status).toBe(poll.isDeleted || poll.isArchived || poll.votes.has(voter) ? refusal : 201)
    if (status === 201) poll.votes.set(voter, { option, votedAt: body.data.votedAt })
  }

  #list = (places: readonly number[]): ModelPoll[] => places.flatMap((place) => this.#polls[place] ?? [])

  async #create(places: readonly number[]): Promise<void> {
    const polls = this.#list(places)
    const json = { title: randomUUID(), polstIds: polls.map(({ id }) => id) }
    const { status, body } = await postCampaign(this.#service, this.#brand, json)
    const foreign = foreignIds(polls)
    expect(status).toBe(foreign.length > 0 ? 400 : 201)
    if (status === 400) expect(body.error.details).toEqual({ foreignPolstIds: foreign })
    else this.#campaigns.push({ id: body.data.campaignId, polls, isDeleted: false })
  }

  async #change(campaign: ModelCampaign | undefined, places: readonly number[]): Promise<void> {
    if (!campaign) return
    const polls = this.#list(places)
    const json = { polstIds: polls.map(({ id }) => id) }
    const { status, body } = await patchCampaign(this.#service, this.#brand, campaign.id, json)
    const foreign = foreignIds(polls)
    if (campaign.isDeleted) expect(status).toBe(404)
    else if (foreign.length > 0) expect([status, body.error.details]).toEqual([400, { foreignPolstIds: foreign }])
    else {
      expect([status, slugsOf(body.data)]).toEqual([200, polls.map(({ slug }) => slug)])
      campaign.polls = polls
    }
  }

  async #archive(poll: ModelPoll | undefined, archived: boolean): Promise<void> {
    if (!poll) return
    const { status } = await patchPoll(this.#service, this.#brand, poll.slug, { archived })
    expect(status).toBe(poll.isDeleted ? 404 : 200)
    poll.isArchived = archived
  }

  async #deletePoll(poll: ModelPoll | undefined): Promise<void> {
    if (!poll) return
    const { status } = await deletePoll(this.#service, this.#brand, poll.slug)
    expect(status).toBe(poll.isDeleted ? 404 : 204)
    poll.isDeleted = true
  }

  async #deleteCampaign(campaign: ModelCampaign | undefined): Promise<void> {
    if (!campaign) return
    const { status } = await deleteCampaign(this.#service, this.#brand, campaign.id)
    expect(status).toBe(campaign.isDeleted ? 404 : 204)
    campaign.isDeleted = true
  }

  async #check(campaign: ModelCampaign, { isSettled = false } = {}): Promise<void> {
    const path = `campaigns/${campaign.id}`
    const { token } = this.#brand
    const [seen, owned] = await Promise.all([
      this.#service.get<CampaignData>(path),
      this.#service.get<OwnedCampaignData>(`brands/me/${path}`, { token }),
    ])
    const found = campaign.isDeleted ? 404 : 200
    expect([seen.status, owned.status]).toEqual([found, found])
    if (campaign.isDeleted) return
    const steps = stepsOf(campaign)
    expect(slugsOf(seen.body.data)).toEqual(steps.map(({ slug }) => slug))
    expect(seen.body.data.polsts.map(({ tallies }) => tallies.total)).toEqual(steps.map(({ votes }) => votes.size))
    expect(slugsOf(owned.body.data)).toEqual(ownedPolls(campaign).map(({ slug }) => slug))
    for (const data of [seen.body.data, owned.body.data])
      expect([data.totalSteps, data.polstCount]).toEqual([steps.length, steps.length])
    for (const [place, device] of this.#devices.entries()) {
      const { body } = await this.#service.get<ProgressData>(`${path}/progress`, { device })
      const currentPoll = body.data.currentPoll?.slug ?? null
      expect({ ...body.data, currentPoll }).toEqual(progressOf(campaign, place))
    }
    if (isSettled) expect(owned.body.data.responsesProgress.isComplete).toBe(true)
    await this.#checkResponses(campaign, { isSettled, isComplete: owned.body.data.responsesProgress.isComplete })
  }

  /** Each record is right at any time. Once all votes are walked, none is missing and all are in order. */
  async #checkResponses(
    campaign: ModelCampaign,
    { isSettled, isComplete }: { isSettled: boolean; isComplete: boolean },
  ): Promise<void> {
    const shown = isSettled ? await this.#everyPage(campaign) : await responses(this.#service, this.#brand, campaign.id)
    const devices = shown.map(({ respondentId }) => this.#names.get(respondentId) ?? Number.NaN)
    expect(new Set(devices).size).toBe(devices.length)
    for (const [i, { respondentId: _, ...record }] of shown.entries())
      expect(record as object).toEqual(recordOf(campaign, devices[i] ?? Number.NaN) ?? {})
    if (!isComplete) return
    const expected = [...this.#devices.keys()].filter((device) => recordOf(campaign, device) !== null)
    expect(devices.toSorted()).toEqual(expected)
    const started = shown.map(({ startedAt }) => startedAt)
    expect(started).toEqual(started.toSorted().toReversed())
  }

  async #everyPage(campaign: ModelCampaign) {
    const whole = await responses(this.#service, this.#brand, campaign.id)
    for (const limit of [1, 2, 5])
      expect(await responses(this.#service, this.#brand, campaign.id, limit)).toEqual(whole)
    return whole
  }
}

describe.each([...engines])('%s: campaigns against a plain model', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  test('after any votes, joins, removals, archivals and deletions, every answer is what the model says', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const run = new Run(service, await service.createBrand())
        await run.begin()
        for (const step of sequence) await run.take(step)
        await run.finish()
      }),
      { numRuns: 12 },
    )
    expect(service.logLines).toEqual([])
  }, 240_000)
})
