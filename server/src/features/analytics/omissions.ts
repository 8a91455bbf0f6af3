import { setImmediate as nextTurn } from 'node:timers/promises'
import { KeptResults } from '../../base/cache.ts'
import type { Db, Engine } from '../../db/store.ts'
import { stepsOf } from './voters.ts'

/** Votes that one statement looks up: SQLite blocks the event loop meanwhile. */
const LOOKED_UP_AT_ONCE = 5_000

type Reader = Pick<Engine, 'db' | 'votesOf'>

/** Counts the votes that the responses of a campaign leave out because their devices were forgotten. */
export class Omissions {
  readonly #engine: Reader
  readonly #kept = new KeptResults<number>()

  constructor(engine: Reader) {
    this.#engine = engine
  }

  async of(campaignKey: number, now: number): Promise<number> {
    const { db } = this.#engine
    const pollKeys = (await stepsOf(db, campaignKey)).map(({ poll_key }) => poll_key)
    const lastForgotten = await lastForgottenAt(db)
    const firstVote = await firstVoteAt(db, pollKeys)
    if (firstVote === null || lastForgotten === null || lastForgotten < firstVote) return 0
    const key = [campaignKey, lastForgotten, ...pollKeys].join()
    return (await this.#kept.of(key, now, () => forgottenVotes(this.#engine, { pollKeys, firstVote }))).value
  }
}

async function lastForgottenAt(db: Db): Promise<number | null> {
  const devices = db.selectFrom('forgotten_devices').select(({ fn }) => fn.max<number | null>('forgotten_at').as('at'))
  return (await devices.executeTakeFirst())?.at ?? null
}

async function firstVoteAt(db: Db, pollKeys: readonly number[]): Promise<number | null> {
  if (pollKeys.length === 0) return null
  const row = await db
    .selectFrom('votes')
    .select(({ fn }) => fn.min<number | null>('voted_at').as('at'))
    .where('poll_key', 'in', pollKeys)
    .where('position', '=', 1)
    .executeTakeFirst()
  return row?.at ?? null
}

async function forgottenVotes(
  { db, votesOf }: Reader,
  { pollKeys, firstVote }: { pollKeys: readonly number[]; firstVote: number },
): Promise<number> {
  const most = Math.ceil(LOOKED_UP_AT_ONCE / pollKeys.length)
  let votes = 0
  for (let after: Uint8Array = new Uint8Array(0); ; await nextTurn()) {
    const rows = await db
      .selectFrom('forgotten_devices')
      .select('device')
      .where('device', '>', after)
      .where('forgotten_at', '>=', firstVote)
      .orderBy('device')
      .limit(most)
      .execute()
    const devices = rows.map(({ device }) => device)
    const found = await votesOf(db, { pollKeys, devices })
    votes += found.filter(({ voted_at, forgotten_at }) => forgotten_at !== null && voted_at <= forgotten_at).length
    const last = devices.at(-1)
    if (!last || devices.length < most) return votes
    after = last
  }
}
