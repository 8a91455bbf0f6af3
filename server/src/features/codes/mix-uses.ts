import { sql } from 'kysely'
import { MINUTE } from '../../base/clock.ts'
import { inBatches } from '../../base/work/jobs.ts'
import type { Engine, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'

const POLLS = 100
/** Uses that are rewritten at once: votes with codes of the list wait meanwhile. */
const USES = 10_000

interface Poll {
  readonly key: number
  readonly listKey: number
  readonly uses: number
}

/**
 * Rewrites the uses of polls in the order of their hashes. PostgreSQL keeps rows in the order in which they came, with the
 * number of their transaction, which the vote has too. While votes come, that is done each time a tenth has been added.
 */
export async function mixUses(engine: Engine): Promise<boolean> {
  const now = await engine.votingTime(engine.db)
  const { rows: polls } = await sql<Poll>`
    select polls.key, code_list_key as "listKey", option_a + option_b as uses
    from polls join tallies on tallies.poll_key = polls.key
    where code_list_key is not null and deleted_at is null and mixed_uses <> option_a + option_b
      and (tallies.updated_at < ${now - MINUTE} or option_a + option_b >= 1.1 * mixed_uses)
    limit ${POLLS}`.execute(engine.db)
  let part = 0
  return inBatches(async () => {
    const poll = polls.at(-1)
    if (!poll) return false
    const parts = Math.ceil(poll.uses / USES)
    const isLast = part + 1 >= parts
    await transaction(engine, (tx) => mixPart(tx, poll, { from: part / parts, to: isLast ? null : (part + 1) / parts }))
    if (isLast) await noteMixed(engine, poll)
    part = isLast ? 0 : part + 1
    if (isLast) polls.pop()
    return polls.length > 0
  })
}

interface Part {
  /** Shares of all hashes. */
  readonly from: number
  readonly to: number | null
}

async function mixPart(tx: Tx, { key, listKey }: Poll, { from, to }: Part): Promise<void> {
  // The removal of uses holds it too, and would count these rows twice.
  await tx
    .updateTable('code_lists')
    .set(({ ref }) => ({ used: ref('used') }))
    .where('key', '=', listKey)
    .execute()
  const end = to === null ? sql`` : sql`and hash < ${hashAt(to)}`
  await sql`
    with moved as (delete from code_uses where poll_key = ${key} and hash >= ${hashAt(from)} ${end} returning poll_key, hash)
    insert into code_uses (poll_key, hash) select poll_key, hash from moved order by hash`.execute(tx)
}

/** By itself: votes lock their poll before its list. */
const noteMixed = (engine: Engine, { key, uses }: Poll) =>
  transaction(engine, (tx) => tx.updateTable('polls').set({ mixed_uses: uses }).where('key', '=', key).execute())

const hashAt = (share: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Math.min(Math.floor(share * 2 ** 32), 2 ** 32 - 1))
  return bytes
}
