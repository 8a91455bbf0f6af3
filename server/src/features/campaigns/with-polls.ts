import type { Slice } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import { type PollRow, pollsByKey } from '../polls/queries.ts'
import { type CampaignRow, membersOf } from './queries.ts'

/** A campaign holds up to 100 polls and a page up to 100 campaigns: no request is worth 10,000 polls. */
const MOST_POLLS_A_PAGE = 500

export interface CampaignWithPolls {
  readonly row: CampaignRow
  /** In order, without those that are deleted. */
  readonly polls: readonly PollRow[]
}

/** The page ends early where its polls would be too many; there is always one campaign on it. */
export async function withPolls(db: Db, { rows, next }: Slice<CampaignRow>): Promise<Slice<CampaignWithPolls>> {
  if (rows.length === 0) return { rows: [], next: null }
  const found = await membersOf(
    db,
    rows.map(({ key }) => key),
  )
  const members = Map.groupBy(found, ({ campaign_key }) => campaign_key)
  const keysOf = ({ key }: CampaignRow) => (members.get(key) ?? []).map(({ poll_key }) => poll_key)
  const kept = rows.slice(0, roomFor(rows.map((row) => keysOf(row).length)))
  const polls = await pollsByKey(db, [...new Set(kept.flatMap(keysOf))])
  const byKey = new Map(polls.map((poll) => [poll.key, poll]))
  const last = kept.length < rows.length ? kept.at(-1) : undefined
  return {
    rows: kept.map((row) => ({ row, polls: keysOf(row).flatMap((key) => byKey.get(key) ?? []) })),
    next: last ? [last.created_at, last.key] : next,
  }
}

export async function withItsPolls(db: Db, row: CampaignRow): Promise<CampaignWithPolls> {
  const { rows } = await withPolls(db, { rows: [row], next: null })
  return rows[0] ?? { row, polls: [] }
}

function roomFor(sizes: readonly number[]): number {
  let polls = 0
  const tooMany = sizes.findIndex((size, i) => {
    polls += size
    return i > 0 && polls > MOST_POLLS_A_PAGE
  })
  return tooMany === -1 ? sizes.length : tooMany
}
