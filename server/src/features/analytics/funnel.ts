import { sql } from 'kysely'
import { z } from 'zod'
import type { Sides } from '../../../../embed/src/insight/intervals.ts'
import { insightOf } from '../../../../embed/src/insight/verdict.ts'
import { KeptResults } from '../../base/cache.ts'
import { iso } from '../../base/clock.ts'
import { Semaphore } from '../../base/work/semaphore.ts'
import type { Db } from '../../db/store.ts'
import { insightFields } from '../../events/resources/insight.ts'
import { deviceName } from '../campaigns/respondents/forgotten.ts'
import { counted, countedAt } from './schema.ts'
import { type DeviceRange, deviceRanges, rememberedParts, sidesOf } from './voters.ts'

export const funnel = z
  .object({
    steps: z
      .array(
        z.object({
          slug: z.string().meta({ description: 'The readable name of the poll.', examples: ['tea-or-coffee'] }),
          title: z.string().meta({ description: 'The question.', examples: ['Tea or coffee?'] }),
          respondents: counted('Devices that voted on this poll.', 61),
          inCampaign: counted('Those that voted on it within the campaign, on its page or in its element.', 52),
          elsewhere: counted('Those that voted on it elsewhere, or before votes named their campaign.', 9),
          result: z
            .object({
              optionA: counted('Votes for option A.', 34),
              optionB: counted('Votes for option B.', 27),
              ...insightFields,
            })
            .describe('The result of the poll: all its votes, wherever they were cast.'),
        }),
      )
      .describe('The polls that visitors see, in the order of the campaign.'),
    respondents: counted('Devices that voted on any poll of the campaign, as the list of responses has them.', 64),
    completed: counted('Devices that voted on every step that they could have voted on since their first vote.', 40),
    inCampaign: z
      .object({
        respondents: counted('Devices that voted on any step within the campaign.', 55),
        completed: counted(
          'Those of them that voted there on every step that they could have voted on since their first vote there.',
          38,
        ),
      })
      .describe('The votes cast within the campaign alone, for rates: a vote elsewhere is in none of these numbers.'),
    countedAt,
  })
  .meta({ id: 'Funnel', description: 'How many respondents reached each step of a campaign, and what won it.' })

export type Funnel = z.infer<typeof funnel>

/** Devices in memory at once. For more, the votes are read again. */
const MOST_DEVICES = 250_000
const FUNNELS_AT_ONCE = 4

interface StepNumbers {
  inCampaign: number
  elsewhere: number
  readonly sides: Sides
}

interface Numbers {
  readonly byPoll: ReadonlyMap<number, StepNumbers>
  readonly respondents: number
  readonly completed: number
  readonly inCampaign: { respondents: number; completed: number }
}

const NOTHING: StepNumbers = { inCampaign: 0, elsewhere: 0, sides: { optionA: 0, optionB: 0 } }

/** Reads every vote of a campaign, so the numbers are kept for a minute, or until its steps change. */
export class Funnels {
  readonly #kept = new KeptResults<Numbers>()
  readonly #turns = new Semaphore(FUNNELS_AT_ONCE)

  async of(db: Db, campaignKey: number, now: number): Promise<Funnel> {
    const members = await membersOf(db, campaignKey)
    const steps = members.filter(({ isStep }) => isStep)
    // While votes from before a poll joined or left are walked, the number of respondents changes with them.
    const key = [campaignKey, ...members.map(({ poll_key, isStep, walked_to }) => [poll_key, isStep, walked_to])].join()
    const { value: numbers, at } = await this.#kept.of(key, now, () =>
      this.#turns.run(() => countVotes(db, { campaignKey, steps }, { now })),
    )
    return {
      steps: steps.map(({ poll_key, slug, title }) => {
        const { sides, inCampaign, elsewhere } = numbers.byPoll.get(poll_key) ?? NOTHING
        const result = { ...sides, ...insightOf(sides) }
        return { slug, title, respondents: inCampaign + elsewhere, inCampaign, elsewhere, result }
      }),
      respondents: numbers.respondents,
      completed: numbers.completed,
      inCampaign: numbers.inCampaign,
      countedAt: iso(at),
    }
  }
}

/** The polls that visitors see, in order. */
export async function visibleSteps(db: Db, campaignKey: number) {
  return (await membersOf(db, campaignKey)).filter(({ isStep }) => isStep)
}

/** In order, with those that have just left. A step is a poll that visitors see. */
async function membersOf(db: Db, campaignKey: number) {
  const rows = await db
    .selectFrom('campaign_polls')
    .innerJoin('polls', 'polls.key', 'campaign_polls.poll_key')
    .select(['poll_key', 'slug', 'title', 'place', 'walked_to', 'opens_at', 'closes_at'])
    .select(['is_draft', 'archived_at', 'deleted_at'])
    .where('campaign_key', '=', campaignKey)
    .orderBy('place')
    .execute()
  return rows.map(({ place, is_draft, archived_at, deleted_at, ...row }) => ({
    ...row,
    isStep: place !== null && is_draft === 0 && archived_at === null && deleted_at === null,
  }))
}

interface Step {
  readonly poll_key: number
  readonly opens_at: number | null
  readonly closes_at: number | null
}

/** The votes of a device on steps that have opened, and when it first voted on a step; infinite if it never did. */
interface Walk {
  votes: number
  first: number
}

interface Respondent {
  readonly anywhere: Walk
  readonly inCampaign: Walk
}

/** Who voted on each step, and who completed, at the moment that the tallies are read. Stored votes are immutable. */
export async function countVotes(
  db: Db,
  campaign: { campaignKey: number; steps: readonly Step[] },
  { now, mostDevices = MOST_DEVICES }: { now: number; mostDevices?: number },
): Promise<Numbers> {
  const sides = await sidesOf(
    db,
    campaign.steps.map(({ poll_key }) => poll_key),
  )
  const steps = campaign.steps.map((step) => ({
    ...step,
    isOpened: step.opens_at === null || step.opens_at <= now,
    numbers: { inCampaign: 0, elsewhere: 0, sides: sides(step.poll_key) },
  }))
  const respondents = await countRespondents(db, campaign.campaignKey)
  const inCampaign = { respondents: 0, completed: 0 }
  let completed = 0
  const hasCompleted = completion(steps, now)
  const devices = Math.max(respondents, ...steps.map(({ numbers }) => totalOf(numbers.sides)))
  for (const range of deviceRanges(Math.ceil(devices / mostDevices))) {
    for (const walked of await walk(db, { campaignKey: campaign.campaignKey, steps, range })) {
      if (hasCompleted(walked.anywhere)) completed++
      if (walked.inCampaign.first < Number.POSITIVE_INFINITY) inCampaign.respondents++
      if (hasCompleted(walked.inCampaign)) inCampaign.completed++
    }
  }
  return {
    byPoll: new Map(steps.map(({ poll_key, numbers }) => [poll_key, numbers])),
    respondents,
    completed,
    inCampaign,
  }
}

/** No vote is needed on steps that open later, and on those that had closed before the first one. */
function completion(steps: readonly CountedStep[], now: number): (walk: Walk) => boolean {
  const opened = steps.filter(({ isOpened }) => isOpened)
  const closings = opened.flatMap(({ closes_at }) => (closes_at !== null && closes_at <= now ? closes_at : []))
  return ({ votes, first }) =>
    first < Number.POSITIVE_INFINITY && votes + closings.filter((closesAt) => closesAt <= first).length >= opened.length
}

interface CountedStep extends Step {
  readonly isOpened: boolean
  readonly numbers: StepNumbers
}

/** Counts the votes of some devices on each step, and returns these devices. */
async function walk(
  db: Db,
  { campaignKey, steps, range }: { campaignKey: number; steps: readonly CountedStep[]; range: DeviceRange },
): Promise<Iterable<Respondent>> {
  const respondents = new Map<string, Respondent>()
  for (const { poll_key: pollKey, isOpened, numbers } of steps) {
    const votes = totalOf(numbers.sides)
    for await (const part of rememberedParts(db, { pollKey, votes, devices: range })) {
      for (const { device, voted_at, campaign_key } of part) {
        const name = deviceName(device)
        const respondent = respondents.get(name) ?? { anywhere: newWalk(), inCampaign: newWalk() }
        respondents.set(name, respondent)
        addVote(respondent.anywhere, voted_at, isOpened)
        if (campaign_key === campaignKey) {
          addVote(respondent.inCampaign, voted_at, isOpened)
          numbers.inCampaign++
        } else numbers.elsewhere++
      }
    }
  }
  return respondents.values()
}

const totalOf = ({ optionA, optionB }: Sides): number => optionA + optionB

const newWalk = (): Walk => ({ votes: 0, first: Number.POSITIVE_INFINITY })

function addVote(walk: Walk, votedAt: number, isOpened: boolean): void {
  if (isOpened) walk.votes++
  walk.first = Math.min(walk.first, votedAt)
}

/** The devices that the list of responses has: counted in an index. */
async function countRespondents(db: Db, campaignKey: number): Promise<number> {
  const { rows } = await db
    .selectFrom('campaign_respondents')
    .select(sql<number>`count(*)`.as('rows'))
    .where('campaign_key', '=', campaignKey)
    .executeTakeFirstOrThrow()
  return rows
}
