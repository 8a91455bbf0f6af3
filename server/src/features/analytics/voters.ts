import { iso } from '../../base/clock.ts'
import type { Slice } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import type { Paging } from '../../http/paging.ts'
import type { VoterEvent } from './poll-schema.ts'
import type { RespondentRow } from './respondent-list.ts'
import type { Respondent } from './schema.ts'

export type VoterRow = Awaited<ReturnType<typeof readVoters>>[number]

interface Part {
  readonly pollKey: number
  /** Null starts at the highest position. */
  readonly below: number | null
  readonly limit: number
}

/**
 * Positions have no gaps, so a part is a range of them. Both bounds are given, because until it is analysed again
 * PostgreSQL takes a growing poll for a small one, and would read and sort all of it for each part.
 */
async function readVoters(db: Db, { pollKey, below, limit }: Part) {
  const end = below ?? (await lastPosition(db, pollKey)) + 1
  return db
    .selectFrom('votes')
    .leftJoin('forgotten_devices', 'forgotten_devices.device', 'votes.device')
    .select(['votes.device', 'votes.option', 'votes.voted_at', 'votes.position', 'forgotten_devices.forgotten_at'])
    .where('votes.poll_key', '=', pollKey)
    .where('votes.position', '<', end)
    .where('votes.position', '>=', end - limit)
    .orderBy('votes.position', 'desc')
    .execute()
}

async function lastPosition(db: Db, pollKey: number): Promise<number> {
  const row = await db
    .selectFrom('votes')
    .select(({ fn }) => fn.max<number | null>('position').as('last'))
    .where('poll_key', '=', pollKey)
    .executeTakeFirst()
  return row?.last ?? 0
}

/** A page of a poll's voters, highest position first. */
export async function votersOf(
  db: Db,
  { pollKey, paging: { after, limit } }: { pollKey: number; paging: Paging },
): Promise<Slice<VoterRow>> {
  const rows = await readVoters(db, { pollKey, below: after ? Number(after[0]) : null, limit: limit + 1 })
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last ? [last.position, 0] : null }
}

/** Small enough that a vote does not wait long for one part. */
const PART = 500

/**
 * All voters at the start, in the same order: later votes have higher positions. No transaction is
 * held in between. Positions have no gaps, so votes that are deleted meanwhile with their poll are noticed.
 */
export async function* allVoters(db: Db, pollKey: number, part = PART): AsyncGenerator<VoterRow[]> {
  let below: number | null = null
  do {
    const rows: VoterRow[] = await readVoters(db, { pollKey, below, limit: part })
    const first: number = below === null ? (rows[0]?.position ?? 0) : below - 1
    if (rows.some(({ position }, i) => position !== first - i) || rows.length < Math.min(part, first)) {
      throw new Error('votes were removed while they were exported')
    }
    below = first - rows.length + 1
    yield rows
  } while (below > 1)
}

export const presentRespondent = (
  { device, votes }: RespondentRow,
  idOf: (device: Uint8Array) => string,
): Respondent => ({
  respondentId: idOf(device),
  startedAt: iso(Math.min(...votes.map(({ votedAt }) => votedAt))),
  totalVotes: votes.length,
  votes: votes.map(({ position, slug, option, votedAt }) => ({ position, slug, option, votedAt: iso(votedAt) })),
})

interface Names {
  ofDevice(device: Uint8Array): string
  /** For a vote of a forgotten device. */
  ofVote(position: number): string
}

export function presentVoter({ device, option, voted_at, position, forgotten_at }: VoterRow, names: Names): VoterEvent {
  const isForgotten = forgotten_at !== null && voted_at <= forgotten_at
  const respondentId = isForgotten ? names.ofVote(position) : names.ofDevice(device)
  return { respondentId, option, votedAt: iso(voted_at), position }
}
