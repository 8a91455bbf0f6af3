import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { HOUR } from '../../../base/clock.ts'
import { Semaphore } from '../../../base/work/semaphore.ts'
import { padded } from '../../../db/prepared.ts'
import type { Db, Engine, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { TimeSpan } from '../buckets.ts'

/** Distinct counts in memory: a view beyond them is counted without its source, or, if that is a new count too, not at all. */
const MOST_COUNTS = 10_000

interface SeenFrom {
  readonly source?: string | undefined
  readonly campaign?: string | undefined
}

interface ViewCount extends SeenFrom {
  readonly pollKey: number
  readonly at: number
  views: number
}

/**
 * Views are added up in memory and stored every few seconds in one statement: a crash loses those since then. Sources and
 * campaigns are names until then, and the statement drops those that the brand does not have.
 */
export class ViewCounts {
  readonly #deps: Pick<Deps, 'engine' | 'clock' | 'log'>
  readonly #mostCounts: number
  #counts = new Map<string, ViewCount>()
  readonly #turn = new Semaphore(1)
  #dropped = 0

  constructor(deps: Pick<Deps, 'engine' | 'clock' | 'log'>, mostCounts = MOST_COUNTS) {
    this.#deps = deps
    this.#mostCounts = mostCounts
  }

  count(pollKey: number, { source, campaign }: SeenFrom): void {
    const now = this.#deps.clock.now()
    const at = now - (now % HOUR)
    const isCounted = this.#add({ pollKey, at, source, campaign, views: 1 }) || this.#add({ pollKey, at, views: 1 })
    if (!isCounted) this.#dropped++
  }

  /** One run at a time, so that a stop awaits the one under way. */
  store(): Promise<void> {
    return this.#turn.run(() => this.#storeNow())
  }

  /** False if there is no room for a further count. */
  #add({ views, ...what }: ViewCount): boolean {
    const name = `${what.pollKey} ${what.at} ${what.source ?? ''} ${what.campaign ?? ''}`
    const known = this.#counts.get(name)
    if (known) known.views += views
    else if (this.#counts.size < this.#mostCounts) this.#counts.set(name, { ...what, views })
    else return false
    return true
  }

  async #storeNow(): Promise<void> {
    if (this.#dropped > 0)
      this.#deps.log.warn({ views: this.#dropped }, 'views of too many polls at once: some are not counted')
    this.#dropped = 0
    const counts = this.#counts
    if (counts.size === 0) return
    this.#counts = new Map()
    try {
      await transaction(this.#deps.engine, (tx) => addViews(tx, [...counts.values()]))
    } catch (error) {
      // The next run stores them together with the new ones.
      for (const count of counts.values()) if (!this.#add(count)) this.#dropped += count.views
      throw error
    }
  }
}

/**
 * Both engines read `json_each` of an object alike. The cross join makes SQLite begin with the counts, the order prevents deadlocks
 * between servers.
 */
async function addViews(tx: Tx, counts: readonly ViewCount[]): Promise<void> {
  const rows = counts.map(({ pollKey, at, source, campaign, views }) => [pollKey, at, source, campaign, views])
  await sql`
    insert into view_counts (poll_key, at, source_key, campaign_key, views)
    select seen.poll_key, seen.at, coalesce(source_names.key, 0), coalesce(campaign_polls.campaign_key, 0), sum(seen.views)
    from (
      select cast(value ->> 0 as bigint) as poll_key, cast(value ->> 1 as bigint) as at, value ->> 2 as source,
        value ->> 3 as campaign, cast(value ->> 4 as bigint) as views
      from json_each(${JSON.stringify({ ...rows })})
    ) as seen
    cross join polls
    left join source_names on source_names.brand_key = polls.brand_key and source_names.name = seen.source
    left join campaigns on campaigns.id = seen.campaign and campaigns.deleted_at is null
    left join campaign_polls on campaign_polls.campaign_key = campaigns.key and campaign_polls.poll_key = polls.key
      and campaign_polls.place is not null
    where polls.key = seen.poll_key and polls.deleted_at is null
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (poll_key, at, source_key, campaign_key) do update set views = view_counts.views + excluded.views`.execute(
    tx,
  )
}

/** The views of polls by hour, in the order of time. */
export const viewsByHour = (db: Db, pollKeys: readonly number[], { from, to }: TimeSpan) =>
  db
    .selectFrom('view_counts')
    .select(['at', sql<number>`cast(sum(views) as bigint)`.as('views')])
    .where('poll_key', 'in', padded(pollKeys))
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy('at')
    .orderBy('at')
    .execute()

const POLLS_AT_ONCE = 100

/** Few at once: SQLite blocks the event loop while their counts are read. */
export async function* pollsOfBrand({ db }: Pick<Engine, 'db'>, brandKey: number): AsyncGenerator<number[]> {
  for (let after: readonly [number, number] = [-1, -1]; ; await nextTurn()) {
    const rows = await db
      .selectFrom('polls')
      .select(['key', 'created_at'])
      .where('brand_key', '=', brandKey)
      .where('deleted_at', 'is', null)
      .where(sql<boolean>`(created_at, key) > (${after[0]}, ${after[1]})`)
      .orderBy('created_at')
      .orderBy('key')
      .limit(POLLS_AT_ONCE)
      .execute()
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(({ key }) => key)
    after = [last.created_at, last.key]
  }
}
