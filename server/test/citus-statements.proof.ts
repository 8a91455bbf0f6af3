import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import pg from 'pg'
import { checkDatabase } from '../src/backup/check-database.ts'
import { tablesOfBrand } from '../src/cli/backup/export-brand.ts'
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN, REFERENCE_TABLES } from '../src/db/postgres/distribute.ts'
import { openSnapshot } from '../src/db/snapshots/open-snapshot.ts'
import { breaches, type Placement } from './citus-rule.ts'
import { engines } from './engines.ts'
import { treesOf } from './query-tree.ts'
import { runEverything } from './representative-run.ts'
import type { Scene } from './scene.ts'
import { StatementWatch } from './statement-watch.ts'

/** Statements that a cluster refused, as they were, and one for which it read everything. */
const REFUSED: Readonly<Record<string, string>> = {
  'the heads of polls, for the auditor': `select polls.key, polls.id, tallies.option_a, tallies.option_b,
      (select min(votes.position) from votes where votes.poll_key = polls.key) as first,
      (select max(votes.position) from votes where votes.poll_key = polls.key) as last
    from polls left join tallies on tallies.poll_key = polls.key where polls.key in ($1, $2) and polls.deleted_at is null`,
  'the refresh of the popular order': `update polls set popularity = case when polls.results_visibility = 'always'
      then coalesce((select tallies.option_a + tallies.option_b from tallies where tallies.poll_key = polls.key), 0)
      else 0 end where key in ($1, $2)`,
  'the walk of votes into respondents': `insert into campaign_respondents (campaign_key, device, started_at)
    select cast($1 as bigint), device, voted_at from votes where poll_key = $2 and position > $3 and position <= $4
      and not exists (select 1 from forgotten_devices where forgotten_devices.device = votes.device
        and forgotten_devices.forgotten_at >= votes.voted_at) order by device
    on conflict (campaign_key, device) do nothing`,
  'the votes of a respondent': `select respondent.key, member.poll_key, (select option || voted_at from device_votes as own
      where own.poll_key = member.poll_key and own.device = respondent.device) as vote
    from campaign_respondents as respondent join campaign_polls as member on member.campaign_key = $1
    where respondent.key in ($2, $3) and member.place is not null`,
  'a poll that leaves a campaign': `update campaign_polls set place = null, walked_to = 0,
      walk_end = (select option_a + option_b from tallies where tallies.poll_key = campaign_polls.poll_key)
    where campaign_key in ($1) and poll_key in ($2)`,
  'a filtered list of polls': `select polls.*, tallies.option_a from polls join tallies on tallies.poll_key = polls.key
    where brand_key = $1 and exists (select 1 from poll_tags where poll_tags.poll_key = polls.key and tag = $2)`,
  'respondents that a poll takes along': `delete from campaign_respondents where campaign_key = $1
    and device in (select device from votes where poll_key = $2 and position > $3)`,
  'a funnel': `select count(*) from votes as own where own.poll_key = $1
    and not exists (select 1 from device_votes as past where past.poll_key = $2 and past.device = own.device)`,
  'an outer join': `select polls.key, option_a from polls left join tallies on tallies.poll_key = polls.key
    where polls.key in ($1, $2)`,
  'a vote for each row of a CTE, without a group': `with wanted as materialized (select poll_key, device from campaign_respondents
    join campaign_polls using (campaign_key)) select option from wanted cross join lateral (select option from votes
      where votes.poll_key = wanted.poll_key and votes.device = wanted.device limit 1) as own`,
  'votes of one device': 'select 1 from votes join vote_counts on vote_counts.at = votes.voted_at',
}

/** Beginnings of statements that read all votes on purpose. */
const READS_ALL: readonly string[] = [
  // Verification compares every tally with every vote.
  'select polls.id, option_a, option_b, votes, a, first, last',
  // It compares the uses of codes with the votes too.
  'select polls.id as "pollId", coalesce(option_a + option_b, 0) as votes, coalesce(used.uses, 0) as uses',
]

const STATEMENT = /^(?:\s*\/\*.*?\*\/)?\s*(?:select|with|insert|update|delete)\b/
const CURSOR = /^declare \w+ no scroll cursor for /

describe.if(engines.includes('postgres'))('postgres: with votes on Citus', () => {
  const watch = new StatementWatch()
  let scene: Scene
  let client: pg.Client
  let placement: Placement

  beforeAll(async () => {
    scene = await runEverything('postgres')
    await readWhole()
    watch.stop()
    const { database } = scene.service.deps.config
    client = new pg.Client({ connectionString: database.engine === 'postgres' ? database.url : '' })
    await client.connect()
    placement = await readPlacement(REFERENCE_TABLES)
  }, 600_000)
  afterAll(async () => {
    await client.end()
    await scene.service.stop()
  })

  /** Runs the reads with which commands scan the whole database. */
  async function readWhole(): Promise<void> {
    const snapshot = await openSnapshot(scene.service.deps.config)
    try {
      await checkDatabase(snapshot)
      for (const { query } of tablesOfBrand(1, { hasVotes: true })) await snapshot.select(query)
    } finally {
      await snapshot.close()
    }
  }

  async function readPlacement(reference: readonly string[]): Promise<Placement> {
    const { rows } = await client.query<{ id: string; name: string; place: number | null }>(
      `select pg_class.oid::text as id, relname as name, attnum::int as place from pg_class
       left join pg_attribute on attrelid = pg_class.oid and attname = $1
       where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
      [DISTRIBUTION_COLUMN],
    )
    const distributed = rows.filter(({ name }) => (DISTRIBUTED_TABLES as readonly string[]).includes(name))
    expect(distributed.length).toBe(DISTRIBUTED_TABLES.length)
    return {
      distributed: new Map(distributed.map(({ id, place }) => [id, place ?? Number.NaN])),
      reference: new Set(rows.filter(({ name }) => reference.includes(name)).map(({ id }) => id)),
    }
  }

  test('every statement joins votes, tallies and counts only by poll', async () => {
    const texts = [...watch.counts().keys()].map((text) => text.replace(CURSOR, ''))
    const statements = texts.filter(
      (text) => STATEMENT.test(text) && /\b(?:votes|tallies|vote_counts|guests)\b/.test(text),
    )
    expect(statements.length).toBeGreaterThan(100)
    const found: { statement: string; breaches: string[] }[] = []
    for await (const { statement, tree } of treesOf(client, statements)) {
      const own = breaches(tree, placement)
      const isKnown = READS_ALL.some((beginning) => statement.trimStart().startsWith(beginning))
      if (own.length > 0 && !isKnown) found.push({ statement, breaches: own })
    }
    expect(found).toEqual([])
  }, 120_000)

  test.each(Object.entries(REFUSED))('the rule finds what a cluster refused: %s', async (_name, statement) => {
    // Without the table that is copied to the workers.
    const earlier = await readPlacement([])
    for await (const { tree } of treesOf(client, [statement])) expect(breaches(tree, earlier)).not.toEqual([])
  })

  test('a table that is copied to every node may be asked for each vote', async () => {
    const walk = REFUSED['the walk of votes into respondents'] ?? ''
    for await (const { tree } of treesOf(client, [walk])) expect(breaches(tree, placement)).toEqual([])
  })
})
