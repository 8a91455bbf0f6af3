import { sql } from 'kysely'
import { HOUR, MINUTE, QUARTER } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Engine, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import { ALL_TIME } from '../polls/brand-votes.ts'

const BRANDS = 20

/**
 * Compares the counts of each brand with `vote_total` of its polls, and corrects them. Both change in one transaction, so they
 * agree at any moment; but a server of an older version, which shares the database during an upgrade, removes votes without
 * taking them off the counts.
 */
export class BrandCountsAuditor {
  readonly #engine: Engine
  readonly #log: Log
  #sweptTo = 0

  constructor({ engine, log }: { engine: Engine; log: Log }) {
    this.#engine = engine
    this.#log = log
  }

  async run(): Promise<void> {
    const brands = await this.#engine.db
      .selectFrom('brands')
      .select(['key', 'id', differs.as('differs')])
      .where('key', '>', this.#sweptTo)
      .orderBy('key')
      .limit(BRANDS)
      .execute()
    this.#sweptTo = brands.length < BRANDS ? 0 : (brands.at(-1)?.key ?? 0)
    for (const { key, id } of brands.filter((brand) => Boolean(brand.differs))) {
      // One server at a time, or two would correct the same difference twice.
      const corrected = await transaction(this.#engine, async (tx) =>
        (await this.#engine.tryLock(tx, 'counts of brands')) ? correctCounts(tx, key) : 0,
      )
      if (corrected > 0)
        this.#log.warn({ brandId: id }, 'the counts of a brand differed from its votes and were corrected')
    }
  }
}

/** Votes that are being removed are still counted by what is left of them: such a brand is looked at later. */
const isSettled = sql<boolean>`not exists (
  select 1 from polls where polls.brand_key = brands.key and polls.deleted_at is not null and polls.is_emptied = 0)`

const differs = sql<boolean>`(${isSettled} and coalesce((
    select votes from brand_vote_counts where brand_key = brands.key and width = ${sql.lit(ALL_TIME)} and at = 0), 0)
  <> coalesce((select sum(vote_total) from polls where polls.brand_key = brands.key and polls.deleted_at is null), 0))`

/** One statement, so that it sees one moment. Differences are added: what others add meanwhile stays right. */
async function correctCounts(tx: Tx, brandKey: number): Promise<number> {
  const key = sql.lit(brandKey)
  const own = sql`polls.brand_key = ${key} and polls.deleted_at is null`
  const counted = (width: number, at: ReturnType<typeof sql>) => sql`
    select ${sql.lit(width)} as width, ${at} as at, option_a + option_b as votes
    from polls join vote_counts on vote_counts.poll_key = polls.key
      and vote_counts.width = ${sql.lit(width === QUARTER ? MINUTE : HOUR)}
    where ${own}`
  const { numAffectedRows } = await sql`
    with expected as materialized (
      ${counted(QUARTER, sql`at - at % ${sql.lit(QUARTER)}`)}
      union all ${counted(HOUR, sql`at`)}
      union all select ${sql.lit(ALL_TIME)}, 0, vote_total from polls where ${own}
      union all
      select width, voted_at - voted_at % width, -1
      from polls join votes on votes.poll_key = polls.key and votes.position > polls.vote_total
        cross join (select ${sql.lit(QUARTER)} as width union all select ${sql.lit(HOUR)}) as widths
      where ${own}
      union all select width, at, -votes from brand_vote_counts where brand_key = ${key}
    )
    insert into brand_vote_counts (brand_key, width, at, votes)
    select ${key}, width, at, sum(votes) from expected
    where exists (select 1 from brands where key = ${key} and ${isSettled})
    group by 2, 3 having sum(votes) <> 0 order by 2, 3
    on conflict (brand_key, width, at) do update set votes = brand_vote_counts.votes + excluded.votes`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
