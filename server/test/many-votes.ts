import { sql } from 'kysely'
import { pollKeyOf } from './ballot-box.ts'
import type { PollData, TestService } from './service.ts'

const PART = 25_000

/** Writes votes without a request for each. */
export async function addVotes(
  { db, deps }: Pick<TestService, 'db' | 'deps'>,
  poll: Pick<PollData, 'id'>,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const key = await pollKeyOf({ db }, poll)
  const option = sql`case when i % 3 = 0 then 'B' else 'A' end`
  // In parts, because a statement that takes long is ended.
  for (let after = from; after < to; after += PART) {
    const last = Math.min(after + PART, to)
    const rows =
      deps.engine.name === 'sqlite'
        ? sql`with recursive places (i) as (select ${after} + 1 union all select i + 1 from places where i < ${last})
            select ${key}, i, randomblob(16), ${option}, 1 from places`
        : sql`select cast(${key} as bigint), i, decode(md5(i::text), 'hex'), ${option}, 1
            from generate_series(cast(${after} as bigint) + 1, cast(${last} as bigint)) as i`
    await sql`insert into votes (poll_key, position, device, option, voted_at) ${rows}`.execute(db)
  }
  await sql`update tallies set option_b = (select count(*) from votes where poll_key = ${key} and option = 'B'),
    option_a = (select count(*) from votes where poll_key = ${key} and option = 'A') where poll_key = ${key}`.execute(
    db,
  )
  await db.updateTable('polls').set({ vote_total: to }).where('key', '=', key).execute()
}

/** The size of the tables of logs on the disk. */
export async function bytesOfLogs({ db, deps }: TestService): Promise<number> {
  const query =
    deps.engine.name === 'sqlite'
      ? sql<{ bytes: number }>`select sum(pgsize) as bytes from dbstat where name like 'poll_log%'`
      : sql<{ bytes: number }>`select sum(pg_total_relation_size(name::regclass)) as bytes
          from unnest(array['poll_logs', 'poll_log_keys', 'poll_log_tiles']) as name`
  return Number((await query.execute(db)).rows[0]?.bytes)
}
