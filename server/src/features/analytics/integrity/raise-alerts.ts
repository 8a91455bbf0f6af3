import { HOUR, MINUTE } from '../../../base/clock.ts'
import type { Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { pollsByKey } from '../../polls/queries.ts'
import { assess } from './assess.ts'
import { type IntegrityWatch, watchedHours } from './integrity-watch.ts'

/** At least two signs: one network alone may be a school. */
const ALERT_FROM = 60
/** Far longer than the job that stores what was counted is away. */
const STORED_WITHIN = 2 * MINUTE

/** Stores what was counted, and raises an event for polls whose votes are conspicuous in this hour. */
export async function raiseAlerts(deps: Deps, watch: IntegrityWatch, now: number): Promise<void> {
  await watch.store()
  for (const pollKey of watch.takeSuspects()) await alertOf(deps, pollKey, now)
}

async function alertOf(deps: Deps, pollKey: number, now: number): Promise<void> {
  // The last votes of an hour are stored after its end.
  const hour = now - STORED_WITHIN - ((now - STORED_WITHIN) % HOUR)
  const hours = await watchedHours(deps.engine.db, pollKey, { from: hour, to: now + 1 })
  const found = hours.map((each) => assess([each])).toSorted((left, right) => right.score - left.score)[0]
  if (!found || found.score < ALERT_FROM) return
  const { score, reasons } = found
  await transaction(deps.engine, async (tx) => {
    const [poll] = await pollsByKey(tx, [pollKey])
    if (!poll || !(await isFirstInAnHour(tx, pollKey, now))) return
    await deps.bus.emit(tx, {
      brandKey: poll.brand_key,
      type: 'poll.integrity_alert',
      at: now,
      data: () => ({ poll: { id: poll.id, slug: poll.slug }, score, reasons }),
    })
  })
}

/** One server of several, and once an hour. */
async function isFirstInAnHour(tx: Tx, pollKey: number, now: number): Promise<boolean> {
  const noted = await tx
    .insertInto('integrity_alerts')
    .values({ poll_key: pollKey, at: now })
    .onConflict((conflict) =>
      conflict
        .column('poll_key')
        .doUpdateSet({ at: now })
        .where('integrity_alerts.at', '<=', now - HOUR),
    )
    .returning('poll_key')
    .executeTakeFirst()
  return noted !== undefined
}
