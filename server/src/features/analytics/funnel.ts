import { setImmediate as nextTurn } from 'node:timers/promises'
import { type SelectQueryBuilder, sql } from 'kysely'
import { KeptResults } from '../../base/cache.ts'
import { iso } from '../../base/clock.ts'
import { Semaphore } from '../../base/semaphore.ts'
import type { Db } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { isRemembered } from '../campaigns/respondents/forgotten.ts'
import { DeviceCounts } from './device-counts.ts'
import type { Funnel } from './funnel-schema.ts'

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
    const { value: numbers, at } = await this.#kept.of(key, now, () => this.#count(db, campaignKey, steps))
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

  async #count(db: Db, campaignKey: number, steps: readonly { readonly poll_key: number }[]): Promise<Numbers> {
    if (!this.#turns.tryAcquire()) await this.#turns.acquire()
    try {
      const pollKeys = steps.map(({ poll_key }) => poll_key)
      return { ...(await countVotes(db, pollKeys)), respondents: await countRespondents(db, campaignKey) }
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
    .select(['poll_key', 'slug', 'title', 'place', 'walked_to', 'is_draft', 'archived_at', 'deleted_at'])
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
  /** Later votes have higher positions. */
  readonly votes: number
}

/** Who voted on each step, and on all, at the moment that the tallies are read. Stored votes are immutable. */
export async function countVotes(db: Db, pollKeys: readonly number[], mostDevices = MOST_DEVICES) {
  const byPoll = new Map<number, number>()
  let completed = 0
  const [least, ...others] = pollKeys.length > 0 ? await leastVotedFirst(db, pollKeys) : []
  for (let after = 0; least && (after === 0 || after < least.votes); after += mostDevices) {
    const to = Math.min(after + mostDevices, least.votes)
    const counts = new DeviceCounts(to - after)
    await eachPart(db, least, { after, to }, (devices) => {
      byPoll.set(least.poll_key, (byPoll.get(least.poll_key) ?? 0) + devices.length)
      for (const { device } of devices) counts.addFirst(device)
    })
    for (const step of others) {
      await eachPart(db, step, { after: 0, to: step.votes }, (devices) => {
        if (after === 0) byPoll.set(step.poll_key, (byPoll.get(step.poll_key) ?? 0) + devices.length)
        for (const { device } of devices) counts.add(device)
      })
    }
    completed += counts.having(pollKeys.length)
  }
  return { byPoll, completed }
}

const leastVotedFirst = (db: Db, pollKeys: readonly number[]): Promise<Step[]> =>
  db
    .selectFrom('tallies')
    .select(['poll_key', sql<number>`option_a + option_b`.as('votes')])
    .where('poll_key', 'in', pollKeys)
    .orderBy('votes')
    .execute()

type Devices = readonly { readonly device: Uint8Array }[]

/** Reads the remembered devices of a poll's votes, and lets other requests pass in between. */
async function eachPart(
  db: Db,
  { poll_key }: Step,
  { after, to }: { after: number; to: number },
  take: (devices: Devices) => void,
): Promise<void> {
  for (let at = after; at < to; at += VOTES_AT_ONCE) {
    take(
      await db
        .selectFrom('votes')
        .select('device')
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
