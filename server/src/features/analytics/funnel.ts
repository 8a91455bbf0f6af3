import { setImmediate as nextTurn } from 'node:timers/promises'
import { type SelectQueryBuilder, sql } from 'kysely'
import { z } from 'zod'
import { KeptResults } from '../../base/cache.ts'
import { iso } from '../../base/clock.ts'
import { count, timestamp } from '../../base/fields.ts'
import { Semaphore } from '../../base/work/semaphore.ts'
import type { Db } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { isRemembered } from '../campaigns/respondents/forgotten.ts'

const counted = (description: string, example: number) => count.meta({ description, examples: [example] })

export const funnel = z
  .object({
    steps: z
      .array(
        z.object({
          slug: z.string().meta({ description: 'The readable name of the poll.', examples: ['tea-or-coffee'] }),
          title: z.string().meta({ description: 'The question.', examples: ['Tea or coffee?'] }),
          respondents: counted('Devices that voted on this poll.', 61),
        }),
      )
      .describe('The polls that visitors see, in the order of the campaign.'),
    respondents: counted('Devices that voted on any poll of the campaign, as the list of responses has them.', 64),
    completed: counted('Devices that voted on every step that they could have voted on since their first vote.', 40),
    countedAt: timestamp.meta({
      description: 'When the votes were counted: at most 60 seconds ago.',
      examples: ['2026-01-31T12:00:00.000Z'],
    }),
  })
  .meta({ id: 'Funnel', description: 'How many respondents reached each step of a campaign.' })

export type Funnel = z.infer<typeof funnel>

/** Devices are random bytes: 16 each. */
const WORDS = 4

/** Which of a fixed number of devices have completed: an open-addressed table of 31 bytes a device, a tenth of a Map's. */
class DeviceCounts {
  readonly #slots: Uint32Array
  readonly #devices: Uint32Array
  readonly #votes: Uint8Array
  /** Steps that had closed before the first vote. */
  readonly #missed: Uint8Array
  readonly #closings: readonly number[]
  #size = 0

  constructor(most: number, closings: readonly number[]) {
    this.#closings = closings
    this.#missed = new Uint8Array(most).fill(closings.length)
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(2 * most, 2))))
    this.#devices = new Uint32Array(WORDS * most)
    this.#votes = new Uint8Array(most)
  }

  /** Counts a vote of a device that has none yet. */
  addFirst({ device, voted_at }: DeviceVote): void {
    const slot = this.#slotOf(device)
    for (let word = 0; word < WORDS; word++) this.#devices[WORDS * this.#size + word] = wordOf(device, word)
    this.#slots[slot] = ++this.#size
    this.#count(this.#size - 1, voted_at)
  }

  /** Counts one more vote, unless `addFirst` does not know the device. */
  add({ device, voted_at }: DeviceVote): void {
    const place = this.#slots[this.#slotOf(device)] ?? 0
    if (place > 0) this.#count(place - 1, voted_at)
  }

  #count(i: number, votedAt: number): void {
    this.#votes[i] = (this.#votes[i] ?? 0) + 1
    while (votedAt < (this.#closings[(this.#missed[i] ?? 0) - 1] ?? 0)) this.#missed[i] = (this.#missed[i] ?? 0) - 1
  }

  /** The number of devices that have voted on all of so many steps, but those that they missed. */
  completed(steps: number): number {
    let found = 0
    for (let i = 0; i < this.#size; i++) if ((this.#votes[i] ?? 0) + (this.#missed[i] ?? 0) >= steps) found++
    return found
  }

  /** The slot of the device, or the empty one where it belongs. */
  #slotOf(device: Uint8Array): number {
    const mask = this.#slots.length - 1
    for (let slot = wordOf(device, 0) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot] ?? 0
      if (place === 0 || this.#isAt(place - 1, device)) return slot
    }
  }

  #isAt(i: number, device: Uint8Array): boolean {
    for (let word = 0; word < WORDS; word++) if (this.#devices[WORDS * i + word] !== wordOf(device, word)) return false
    return true
  }
}

function wordOf(device: Uint8Array, word: number): number {
  const at = word * 4
  const [a = 0, b = 0, c = 0, d = 0] = [device[at], device[at + 1], device[at + 2], device[at + 3]]
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
}

/** Votes that one statement reads: SQLite blocks the event loop meanwhile. */
const VOTES_AT_ONCE = 4_000
/** Respondents that one statement counts, from an index. */
const RESPONDENTS_AT_ONCE = 25_000
/** Devices in memory at once, of 30 bytes each. For more, the other steps are read again. */
const MOST_DEVICES = 2_000_000
const FUNNELS_AT_ONCE = 4

interface Numbers {
  readonly byPoll: ReadonlyMap<number, number>
  readonly respondents: number
  readonly completed: number
}

/** Reads every vote of a campaign, so the numbers are kept for a minute, or until its steps change. */
export class Funnels {
  readonly #kept = new KeptResults<Numbers>()
  readonly #turns = new Semaphore(FUNNELS_AT_ONCE)

  async of(db: Db, campaignKey: number, now: number): Promise<Funnel> {
    const members = await membersOf(db, campaignKey)
    const steps = members.filter(({ isStep }) => isStep)
    // While votes from before a poll joined or left are walked, the number of respondents changes with them.
    const key = [campaignKey, ...members.map(({ poll_key, isStep, walked_to }) => [poll_key, isStep, walked_to])].join()
    const { value: numbers, at } = await this.#kept.of(key, now, () => this.#count(db, campaignKey, { steps, now }))
    return {
      steps: steps.map(({ poll_key, slug, title }) => ({
        slug,
        title,
        respondents: numbers.byPoll.get(poll_key) ?? 0,
      })),
      respondents: numbers.respondents,
      completed: numbers.completed,
      countedAt: iso(at),
    }
  }

  async #count(db: Db, campaignKey: number, { steps, now }: { steps: readonly Step[]; now: number }): Promise<Numbers> {
    if (!this.#turns.tryAcquire()) await this.#turns.acquire()
    try {
      return { ...(await countVotes(db, steps, { now })), respondents: await countRespondents(db, campaignKey) }
    } finally {
      this.#turns.release()
    }
  }
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

interface VotedStep extends Step {
  /** Later votes have higher positions. */
  readonly votes: number
}

interface Bounds {
  readonly now: number
  readonly mostDevices?: number
}

/** Who voted on each step, and who completed, at the moment that the tallies are read. Stored votes are immutable. */
export async function countVotes(db: Db, steps: readonly Step[], { now, mostDevices = MOST_DEVICES }: Bounds) {
  const byPoll = new Map<number, number>()
  let completed = 0
  const opened = steps.filter(({ opens_at }) => opens_at === null || opens_at <= now)
  const closings = opened.flatMap(({ closes_at }) => (closes_at !== null && closes_at <= now ? closes_at : []))
  closings.sort((left, right) => left - right)
  const [first, ...others] = await lastClosingFirst(db, steps, now)
  for (let after = 0; first && (after === 0 || after < first.votes); after += mostDevices) {
    const to = Math.min(after + mostDevices, first.votes)
    const counts = new DeviceCounts(to - after, closings)
    await eachPart(db, first, { after, to }, (votes) => {
      byPoll.set(first.poll_key, (byPoll.get(first.poll_key) ?? 0) + votes.length)
      for (const vote of votes) counts.addFirst(vote)
    })
    for (const step of others) {
      await eachPart(db, step, { after: 0, to: step.votes }, (votes) => {
        if (after === 0) byPoll.set(step.poll_key, (byPoll.get(step.poll_key) ?? 0) + votes.length)
        for (const vote of votes) counts.add(vote)
      })
    }
    completed += counts.completed(opened.length)
  }
  return { byPoll, completed }
}

/** Begins with a step that every device needs: the last to close, the one with the fewest votes of those that are open. */
async function lastClosingFirst(db: Db, steps: readonly Step[], now: number): Promise<VotedStep[]> {
  if (steps.length === 0) return []
  const tallies = await db
    .selectFrom('tallies')
    .select(['poll_key', sql<number>`option_a + option_b`.as('votes')])
    .where(
      'poll_key',
      'in',
      steps.map(({ poll_key }) => poll_key),
    )
    .execute()
  const votes = new Map(tallies.map((row) => [row.poll_key, row.votes]))
  const closing = ({ opens_at, closes_at }: Step): number =>
    (opens_at ?? 0) > now ? 0 : Math.min(closes_at ?? Number.POSITIVE_INFINITY, now)
  return steps
    .map((step) => ({ ...step, votes: votes.get(step.poll_key) ?? 0 }))
    .sort((left, right) => closing(right) - closing(left) || left.votes - right.votes)
}

interface DeviceVote {
  readonly device: Uint8Array
  readonly voted_at: number
}

/** Reads the remembered votes of a poll, and lets other requests pass in between. */
async function eachPart(
  db: Db,
  { poll_key }: Pick<Step, 'poll_key'>,
  { after, to }: { after: number; to: number },
  take: (votes: readonly DeviceVote[]) => void,
): Promise<void> {
  for (let at = after; at < to; at += VOTES_AT_ONCE) {
    take(
      await db
        .selectFrom('votes')
        .select(['device', 'voted_at'])
        .where('poll_key', '=', poll_key)
        .where('position', '>', at)
        .where('position', '<=', Math.min(at + VOTES_AT_ONCE, to))
        .where(isRemembered('votes'))
        .execute(),
    )
    await nextTurn()
  }
}

/** The devices that the list of responses has. */
async function countRespondents(db: Db, campaignKey: number): Promise<number> {
  let respondents = 0
  for (let after: readonly [number, number] = [-1, -1]; ; await nextTurn()) {
    const part = db
      .selectFrom('campaign_respondents')
      .select(['started_at', 'key'])
      .where('campaign_key', '=', campaignKey)
      .where(sql<boolean>`(started_at, key) > (${after[0]}, ${after[1]})`)
      .orderBy('started_at')
      .orderBy('key')
    const last = await part
      .offset(RESPONDENTS_AT_ONCE - 1)
      .limit(1)
      .executeTakeFirst()
    if (!last) return respondents + (await countOf(db, part))
    respondents += RESPONDENTS_AT_ONCE
    after = [last.started_at, last.key]
  }
}

async function countOf(db: Db, part: SelectQueryBuilder<Tables, 'campaign_respondents', object>): Promise<number> {
  const { rows } = await db
    .selectFrom(part.as('part'))
    .select(sql<number>`count(*)`.as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}
