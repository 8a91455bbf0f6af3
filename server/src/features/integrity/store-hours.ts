import type { Engine, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import { COUNT_NAMES, type HourCounts, type PollHour } from './poll-hour.ts'

/** Other writers wait for a transaction on SQLite. */
const BATCH = 100

/** Adds what the hours have counted since they were last stored. */
export async function storeHours(engine: Engine, hours: readonly PollHour[]): Promise<void> {
  // Two servers that write the same rows in different orders could lock each other out.
  const sorted = hours.toSorted((left, right) => left.pollKey - right.pollKey || left.at - right.at)
  for (let from = 0; from < sorted.length; from += BATCH) {
    const batch = sorted.slice(from, from + BATCH).map((hour) => ({ hour, ...hour.pending() }))
    await transaction(engine, async (tx) => {
      for (const { hour, added } of batch) await addHour(tx, hour, added)
    })
    for (const { noteStored } of batch) noteStored()
  }
}

async function addHour(tx: Tx, { pollKey, at }: PollHour, added: HourCounts): Promise<void> {
  // A deleted poll is emptied by a job, and must stay empty.
  const poll = await tx
    .selectFrom('polls')
    .select('key')
    .where('key', '=', pollKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!poll) return
  await tx
    .insertInto('vote_integrity')
    .values({ poll_key: pollKey, at, ...added })
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
