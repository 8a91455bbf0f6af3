import type { Slice } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import type { Paging } from '../../http/page.ts'

export type VoterRow = Awaited<ReturnType<typeof readVoters>>[number]

interface Part {
  readonly pollKey: number
  /** Null is from the highest position on. */
  readonly below: number | null
  readonly limit: number
}

/**
 * Positions have no gaps, so that a part is a stretch of them. Said with both ends, because PostgreSQL takes a poll for
 * a small one until it has counted it anew, and would read and sort all of it for each part.
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

/** A page of who voted on a poll, highest position first. */
export async function votersOf(
  db: Db,
  { pollKey, paging: { after, limit } }: { pollKey: number; paging: Paging },
): Promise<Slice<VoterRow>> {
  const rows = await readVoters(db, { pollKey, below: after ? Number(after[0]) : null, limit: limit + 1 })
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last ? [last.position, 0] : null }
}

/** Few enough that a vote does not wait long for the reading of one part. */
const PART = 500

/**
 * Everybody who has voted when this begins, in the same order: later votes have higher positions. No transaction is
 * held in between. Positions have no gaps, so votes that go away meanwhile, with their poll, cannot go unnoticed.
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
