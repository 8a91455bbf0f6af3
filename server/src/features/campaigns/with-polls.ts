import type { Slice } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import { type PollRow, pollsByKey } from '../polls/queries.ts'
import { type CampaignWithBrand, membersOf } from './queries.ts'

/** A campaign holds up to 100 polls and a page up to 100 campaigns: a page of 10,000 polls would be too expensive. */
const MOST_POLLS_A_PAGE = 500

export interface CampaignWithPolls {
  readonly row: CampaignWithBrand
  /** In order, without deleted polls. */
  readonly polls: readonly PollRow[]
}

export interface CampaignWithKeys {
  readonly row: CampaignWithBrand
  /** In order, including deleted polls. */
  readonly pollKeys: readonly number[]
}

/** Ends the page early if it would contain too many polls, but always includes at least one campaign. */
export async function withPollKeys(db: Db, { rows, next }: Slice<CampaignWithBrand>): Promise<Slice<CampaignWithKeys>> {
  if (rows.length === 0) return { rows: [], next: null }
  const found = await membersOf(
    db,
    rows.map(({ key }) => key),
  )
  const members = Map.groupBy(found, ({ campaign_key }) => campaign_key)
  const filled = rows.map((row) => ({ row, pollKeys: (members.get(row.key) ?? []).map(({ poll_key }) => poll_key) }))
  const kept = filled.slice(0, roomFor(filled))
  const last = kept.length < rows.length ? kept.at(-1)?.row : undefined
  return { rows: kept, next: last ? [last.created_at, last.key] : next }
}

export async function withPolls(db: Db, slice: Slice<CampaignWithBrand>): Promise<Slice<CampaignWithPolls>> {
  const { rows, next } = await withPollKeys(db, slice)
  const polls = await pollsByKey(db, [...new Set(rows.flatMap(({ pollKeys }) => pollKeys))])
  const byKey = new Map(polls.map((poll) => [poll.key, poll]))
  return {
    rows: rows.map(({ row, pollKeys }) => ({ row, polls: pollKeys.flatMap((key) => byKey.get(key) ?? []) })),
    next,
  }
}

export async function withItsPolls(db: Db, row: CampaignWithBrand): Promise<CampaignWithPolls> {
  const { rows } = await withPolls(db, { rows: [row], next: null })
  return rows[0] ?? { row, polls: [] }
}

function roomFor(campaigns: readonly CampaignWithKeys[]): number {
  let polls = 0
  const tooMany = campaigns.findIndex(({ pollKeys }, i) => {
    polls += pollKeys.length
    return i > 0 && polls > MOST_POLLS_A_PAGE
  })
  return tooMany === -1 ? campaigns.length : tooMany
}
