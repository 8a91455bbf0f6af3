import type { Engine, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { COUNT_NAMES, type HourCounts, type PollHour } from './poll-hour.ts'

/** Other writers wait for a transaction on SQLite. */
const BATCH = 100

/** Adds what the hours have counted since they were last stored. */
export async function storeHours(engine: Engine, hours: readonly PollHour[]): Promise<void> {
  // Two servers that write the same rows in different orders could lock each other out.
  const sorted = hours.toSorted((left, right) => left.pollKey - right.pollKey || left.at - right.at)
  for (let from = 0; from < sorted.length; from += BATCH) {
    const batch = sorted.slice(from, from + BATCH).map((hour) => ({ hour, ...hour.pending() }))
    await transaction(engine, (tx) => addHours(tx, batch))
    for (const { noteStored } of batch) noteStored()
  }
}

interface Pending {
  readonly hour: PollHour
  readonly added: HourCounts
}

async function addHours(tx: Tx, batch: readonly Pending[]): Promise<void> {
  // A deleted poll is emptied by a job, and must stay empty.
  const polls = await tx
    .selectFrom('polls')
    .select('key')
    .where('key', 'in', [...new Set(batch.map(({ hour }) => hour.pollKey))])
    .where('deleted_at', 'is', null)
    .execute()
  const kept = new Set(polls.map(({ key }) => key))
  const rows = summed(batch.filter(({ hour }) => kept.has(hour.pollKey)))
  if (rows.length === 0) return
  await tx
    .insertInto('vote_integrity')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['poll_key', 'at'])
        .doUpdateSet((eb) =>
          Object.fromEntries(
            COUNT_NAMES.map((name) => [name, eb(`vote_integrity.${name}`, '+', eb.ref(`excluded.${name}`))]),
          ),
        ),
    )
    .execute()
}

/** One row for each hour of a poll, in the same order. After a change of the clock, an hour may be there twice. */
function summed(batch: readonly Pending[]) {
  const rows = new Map<string, HourCounts & { poll_key: number; at: number }>()
  for (const { hour, added } of batch) {
    const name = `${hour.pollKey}.${hour.at}`
    const before = rows.get(name)
    const sums = Object.fromEntries(COUNT_NAMES.map((count) => [count, (before?.[count] ?? 0) + added[count]]))
    rows.set(name, { poll_key: hour.pollKey, at: hour.at, ...(sums as HourCounts) })
  }
  return [...rows.values()]
}
