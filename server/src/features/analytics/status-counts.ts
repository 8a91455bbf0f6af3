import { sql } from 'kysely'
import { Cache } from '../../base/cache.ts'
import type { Db } from '../../db/store.ts'
import { windowFilter } from '../polls/queries.ts'
import type { PollSnapshots } from '../polls/snapshots/poll-snapshots.ts'
import { holdsAt } from '../polls/status.ts'
import type { Summary } from './summary-schema.ts'

const MOST_KEPT = 10_000
/** Later than every poll opens or closes. */
const NEVER = 1_000_000_000_000_000

interface Kept {
  readonly polls: Summary['polls']
  /** The last change of one of the brand's polls. */
  readonly change: number
  readonly madeAt: number
  /** When the next poll opens or closes. */
  readonly changesAt: number
}

/** How many polls of a brand have each status. Kept until one of them changes, opens or closes: counting reads all of them. */
export class StatusCounts {
  readonly #snapshots: Pick<PollSnapshots, 'changedAt'>
  readonly #kept = new Cache<number, Kept>(MOST_KEPT)

  constructor(snapshots: Pick<PollSnapshots, 'changedAt'>) {
    this.#snapshots = snapshots
  }

  async of(db: Db, brandKey: number, now: number): Promise<Summary['polls']> {
    // Before the read: a change that comes meanwhile makes what was read outdated.
    const change = this.#snapshots.changedAt(brandKey)
    const kept = this.#kept.get(brandKey)
    if (kept?.change === change && holdsAt(kept, now)) return kept.polls
    const { changesAt, ...polls } = await countByStatus(db, brandKey, now)
    this.#kept.set(brandKey, { polls, change, madeAt: now, changesAt })
    return polls
  }
}

/** Answered from an index that holds all these columns, without the rows of the polls. */
async function countByStatus(db: Db, brandKey: number, now: number) {
  const isShown = sql<boolean>`archived_at is null and is_draft = 0`
  const opensAt = sql`coalesce(opens_at, -1000000000000000)`
  const closesAt = sql`coalesce(closes_at, ${sql.lit(NEVER)})`
  const countIf = (condition: typeof isShown) =>
    sql<number>`cast(coalesce(sum(case when ${condition} then 1 else 0 end), 0) as bigint)`
  const { all, archived, changesAt, ...counted } = await db
    .selectFrom('polls')
    .select([
      sql<number>`count(*)`.as('all'),
      sql<number>`count(archived_at)`.as('archived'),
      countIf(sql`is_draft = 1 and archived_at is null`).as('draft'),
      countIf(sql`${windowFilter.scheduled(now)} and ${isShown}`).as('scheduled'),
      countIf(sql`${windowFilter.closed(now)} and ${isShown}`).as('closed'),
      sql<
        number | null
      >`min(case when ${opensAt} > ${now} then ${opensAt} when ${closesAt} > ${now} then ${closesAt} end)`.as(
        'changesAt',
      ),
    ])
    .where('brand_key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  const { draft, scheduled, closed } = counted
  const open = all - archived - draft - scheduled - closed
  return { open, scheduled, closed, draft, archived, changesAt: changesAt ?? NEVER }
}
