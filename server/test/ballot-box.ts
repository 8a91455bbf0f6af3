import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { TestService } from './service.ts'

export const newDevice = (): Uint8Array => randomBytes(16)

export async function pollKeyOf({ db }: Pick<TestService, 'db'>, { id }: { id: string }): Promise<number> {
  return (await db.selectFrom('polls').select('key').where('id', '=', id).executeTakeFirstOrThrow()).key
}

/** The stored votes of a poll. Throws unless the tally is their sum and positions run from 1. */
export async function countedVotes({ db }: Pick<TestService, 'db'>, pollKey: number) {
  // One statement, so that concurrent votes appear in both results or in neither.
  const rows = await db
    .selectFrom('tallies')
    .leftJoin('votes', 'votes.poll_key', 'tallies.poll_key')
    .select(['tallies.option_a', 'tallies.option_b', 'votes.option', 'votes.position', 'votes.voted_at'])
    .where('tallies.poll_key', '=', pollKey)
    .orderBy('votes.position')
    .execute()
  const votes = rows.flatMap(({ option, position, voted_at }) =>
    option === null || position === null || voted_at === null ? [] : [{ option, position, votedAt: voted_at }],
  )
  const counted = [rows[0]?.option_a, rows[0]?.option_b]
  const stored = ['A', 'B'].map((option) => votes.filter((vote) => vote.option === option).length)
  if (counted.join() !== stored.join()) throw new Error(`tally ${counted}, but ${stored} votes`)
  const gap = votes.findIndex(({ position }, i) => position !== i + 1)
  if (gap >= 0) throw new Error(`position ${votes[gap]?.position} stands in place ${gap + 1}`)
  return votes
}

/** Until `showVotes`, no vote can be stored: the table into which the engine inserts is not there. */
export async function hideVotes({ db, deps }: Pick<TestService, 'db' | 'deps'>): Promise<void> {
  await sql`drop view if exists device_votes`.execute(db)
  await sql`alter table ${sql.table(votesTable(deps))} rename to votes_gone`.execute(db)
}

export async function showVotes({ db, deps }: Pick<TestService, 'db' | 'deps'>): Promise<void> {
  await sql`alter table votes_gone rename to ${sql.table(votesTable(deps))}`.execute(db)
}

const votesTable = ({ engine }: TestService['deps']): string => (engine.name === 'sqlite' ? 'fresh_votes' : 'votes')
