import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Sides } from '../../../../embed/src/insight/intervals.ts'
import type { Db } from '../../db/store.ts'
import { isRemembered } from '../campaigns/respondents/forgotten.ts'

/** Votes that one statement looks at: SQLite blocks the event loop meanwhile. */
const VOTES_AT_ONCE = 4_000

/** Devices by the first two bytes of their hashes, which are random. Both ends are included. */
export interface DeviceRange {
  readonly from: number
  readonly to: number
}

/** Splits all devices into as many ranges of about the same number. */
export const deviceRanges = (count: number): DeviceRange[] =>
  Array.from({ length: count }, (_, i) => ({
    from: Math.ceil((i * 0x1_00_00) / count),
    to: Math.ceil(((i + 1) * 0x1_00_00) / count) - 1,
  }))

interface PollVotes {
  readonly pollKey: number
  /** The number of votes to read: later ones have higher positions. */
  readonly votes: number
  readonly devices?: DeviceRange
}

/** Reads the remembered votes of a poll in parts, and lets other requests pass in between. */
export async function* rememberedParts(db: Db, { pollKey, votes, devices }: PollVotes) {
  for (let after = 0; after < votes; after += VOTES_AT_ONCE) {
    const part = db
      .selectFrom('votes')
      .select(['device', 'option', 'voted_at', 'campaign_key'])
      .where('poll_key', '=', pollKey)
      .where('position', '>', after)
      .where('position', '<=', Math.min(after + VOTES_AT_ONCE, votes))
      .where(isRemembered('votes'))
    yield await (devices ? part.where(isWithin(devices)) : part).execute()
    await nextTurn()
  }
}

/** No index has this expression, so PostgreSQL cannot take the index of devices in place of the positions. */
const isWithin = ({ from, to }: DeviceRange) =>
  sql<boolean>`substr(votes.device, 1, 2) between ${twoBytes(from)} and ${twoBytes(to)}`

const twoBytes = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

/** The votes of these polls, those of forgotten devices included. A poll that is gone has none. */
export async function sidesOf(db: Db, pollKeys: readonly number[]): Promise<(pollKey: number) => Sides> {
  if (pollKeys.length === 0) return () => NO_VOTES
  const rows = await db
    .selectFrom('tallies')
    .select(['poll_key', 'option_a as optionA', 'option_b as optionB'])
    .where('poll_key', 'in', pollKeys)
    .execute()
  const sides = new Map(rows.map(({ poll_key, ...own }) => [poll_key, own]))
  return (pollKey) => sides.get(pollKey) ?? NO_VOTES
}

const NO_VOTES: Sides = { optionA: 0, optionB: 0 }
