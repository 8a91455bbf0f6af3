import { sql } from 'kysely'
import { DAY, HOUR } from '../../base/clock.ts'
import { keysetSlice } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import type { Paging } from '../../http/paging.ts'
import { likePattern } from '../polls/lists.ts'

/** Counting stops here, so that the cost of a look does not grow with the service. */
export const MOST_COUNTED = 1_000

/** Newest first. Of a brand it reads its row, and counts. */
export async function brandsPage(
  db: Db,
  { words, now }: { words: string | null; now: number },
  { after, limit }: Paging,
) {
  const brands = db
    .selectFrom('brands')
    .select(['brands.key', 'brands.slug', 'brands.name', 'brands.created_at'])
    .select([
      sql<number>`(select count(*) from (select polls.key from polls
        where polls.brand_key = brands.key and polls.deleted_at is null order by polls.created_at limit ${sql.lit(MOST_COUNTED)}) as some_polls)`.as(
        'polls',
      ),
      // From an index that `Popularity` keeps within seconds of the tallies.
      sql<number>`cast(coalesce((select sum(vote_total) from polls
        where polls.brand_key = brands.key and polls.deleted_at is null), 0) as bigint)`.as('votes'),
    ])
    .where('brands.deleted_at', 'is', null)
  const pattern = words === null ? null : likePattern(words)
  const found =
    pattern === null
      ? brands
      : brands.where(sql<boolean>`(brands.slug like lower(${pattern}) escape '\\'
      or lower(brands.name) like lower(${pattern}) escape '\\')`)
  const order = { sort: sql<number>`brands.key`, key: sql<number>`brands.key`, direction: 'desc' } as const
  const { rows, next } = await keysetSlice(db, found, { ...order, after, limit })
  const keys = rows.map(({ key }) => key)
  const votes = await votesOfDay(db, keys, now)
  return { rows: rows.map((row) => ({ ...row, votes_of_day: votes.get(row.key) ?? 0 })), next }
}

/** The polls are a subquery, of which Citus sends its workers only the rows. */
async function votesOfDay(db: Db, brandKeys: readonly number[], now: number): Promise<ReadonlyMap<number, number>> {
  if (brandKeys.length === 0) return new Map()
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('polls')
        .select(['key', 'brand_key'])
        .where('brand_key', 'in', brandKeys)
        .where('deleted_at', 'is', null)
        .where('vote_total', '>', 0)
        .as('own'),
    )
    .innerJoin('vote_counts', 'vote_counts.poll_key', 'own.key')
    .select(['own.brand_key', sql<number>`cast(sum(option_a + option_b) as bigint)`.as('count')])
    .where('width', '=', HOUR)
    .where('at', '>', now - (now % HOUR) - DAY)
    .groupBy('own.brand_key')
    .execute()
  return new Map(rows.map(({ brand_key, count }) => [brand_key, count]))
}

/** Polls whose votes looked conspicuous within a day, and webhooks that fail. Both counts end at `MOST_COUNTED`. */
export async function attentionOf(db: Db, now: number): Promise<{ alerts: number; failingWebhooks: number }> {
  const most = sql.lit(MOST_COUNTED)
  const { rows } = await sql<{ alerts: number; failing: number }>`select
    (select count(*) from (select 1 from integrity_alerts where at > ${now - DAY} limit ${most}) as some_alerts) as alerts,
    (select count(*) from (select 1 from webhooks where failing_since is not null limit ${most}) as some_webhooks) as failing
  `.execute(db)
  const [{ alerts, failing } = { alerts: 0, failing: 0 }] = rows
  return { alerts, failingWebhooks: failing }
}

/** The name of the last migration: another server may have applied later ones than this version knows. */
export async function schemaOf(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`select max(name) as name from migrations`.execute(db)
  return (rows[0]?.name ?? '').replace(/\.sql$/, '')
}
