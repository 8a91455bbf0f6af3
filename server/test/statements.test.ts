import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { migrate } from '../src/db/migrate.ts'
import { type EmptyDatabase, emptyDatabase } from './empty-database.ts'
import { engines } from './engines.ts'
import { runEverything } from './representative-run.ts'
import { StatementRecord } from './statement-record.ts'

// Runs alone: it would not see a query that another file's service has compiled.

interface Scan {
  /** SQLite's query plan. */
  readonly scan: string
  /** The beginning of the statement. */
  readonly of: string
  readonly why: string
}

const atStart = 'once, when a server starts'
const byOperator = 'a command of the operator'
const LOOK_AT_BACKLOG = 'with recursive\n      first_event'
const workList = 'every row of it is work to be done'

const ALLOWED: readonly Scan[] = [
  { scan: 'data_keys', of: 'select "name"', why: atStart },
  {
    scan: 'brands USING COVERING INDEX sqlite_autoindex_brands_2',
    of: 'select "key" from "brands" limit',
    why: atStart,
  },
  { scan: 'apps USING COVERING INDEX apps_owned', of: 'select "key" from "apps" limit', why: atStart },
  {
    scan: 'categories USING COVERING INDEX sqlite_autoindex_categories_2',
    of: 'select "key" from "categories" limit',
    why: atStart,
  },
  { scan: 'brands', of: 'select "key", "slug" from "brands"', why: 'it ends at the second brand that is there' },
  { scan: 'apps', of: 'select "apps"."id", "apps"."name", "apps"."api_key_id"', why: byOperator },
  { scan: 'tallies', of: 'select cast(coalesce(sum(option_a + option_b), 0) as bigint)', why: byOperator },
  { scan: 'outbox', of: 'select "type" from "outbox" order by "key" limit', why: workList },
  { scan: 'outbox USING INDEX outbox_others', of: 'select "key", "id", "brand_key", "type"', why: workList },
  { scan: 'outbox', of: 'select "key", "id", "brand_key", "type"', why: 'votes, before which all others are taken' },
  { scan: 'outbox', of: LOOK_AT_BACKLOG, why: 'the first, and a count that ends at 1,000' },
  {
    scan: 'webhook_deliveries USING COVERING INDEX webhook_deliveries_due',
    of: LOOK_AT_BACKLOG,
    why: 'a count that ends at 10,000',
  },
  { scan: 'tally_notices USING INDEX tally_notices_due', of: 'select "poll_key" from "tally_notices"', why: workList },
  { scan: 'tally_notices USING INDEX tally_notices_due', of: 'with "chosen" as materialized', why: workList },
  {
    scan: 'campaign_polls USING INDEX campaign_polls_unwalked',
    of: 'select "campaign_key", "poll_key" from "campaign_polls" where walked_to < walk_end',
    why: workList,
  },
  { scan: 'code_lists USING INDEX code_lists_deleted', of: 'select "key" from "code_lists"', why: workList },
  {
    scan: 'polls USING INDEX polls_to_fold',
    of: 'select "key", "title", "label_a", "label_b", "title_folded" from "polls"',
    why: workList,
  },
  { scan: 'poll_log_tiles', of: 'delete from "poll_log_tiles"', why: byOperator },
  { scan: 'poll_logs USING INDEX poll_logs_live', of: 'update "poll_logs" set "ended_at"', why: byOperator },
  { scan: 'polls', of: 'update "polls" set "logged_votes"', why: byOperator },
  {
    scan: 'polls USING INDEX polls_at_milestone',
    of: 'select "key", "brand_key", "vote_total", "next_milestone" from "polls"',
    why: workList,
  },
  {
    scan: 'member_mails USING INDEX member_mails_unsent',
    of: 'select "member_mails"."brand_key", "member_mails"."person_key" from "member_mails"',
    why: workList,
  },
  { scan: 'polls USING INDEX polls_deleted', of: 'select "key" from "polls" where deleted_at is', why: workList },
  {
    scan: 'brands USING INDEX brands_deleted',
    of: 'select "key", "deleted_at" from "brands"',
    why: workList,
  },
  {
    scan: 'brands USING INDEX sqlite_autoindex_brands_2',
    of: 'select "key", "id", "slug", "name", "deleted_at" from "brands"',
    why: byOperator,
  },
  {
    scan: 'brands',
    of: 'select "brands"."key", "brands"."slug", "brands"."name", "brands"."created_at", (select count',
    why: 'newest first, it ends with the page; a search reads the names before it',
  },
  { scan: 'upload_tickets', of: 'delete from "upload_tickets" where "brand_key"', why: 'tickets live for minutes' },
  { scan: 'deleted_webhooks', of: 'select "key" from "deleted_webhooks"', why: workList },
  { scan: 'listener_events', of: 'select "key" from "listener_events"', why: 'only what is not fetched yet' },
  {
    scan: 'webhook_deliveries',
    of: 'select "key", "created_at" as "time" from "webhook_deliveries" order by',
    why: 'the first few',
  },
  { scan: 'activity', of: 'select "key", "at" as "time" from "activity" order by', why: 'the first few' },
  {
    scan: 'event_feed',
    of: 'select "key", "published_at" as "time" from "event_feed" order by',
    why: 'the first few',
  },
  { scan: 'fresh_votes', of: '', why: 'about a thousand rows' },
  { scan: 'tallies', of: 'select poll_key, deleted_at is null and archived_at is null', why: atStart },
  { scan: 'sqlite_schema', of: 'select 1 from sqlite_schema', why: 'once at a stop' },
  {
    scan: 'categories USING INDEX sqlite_autoindex_categories_2',
    of: 'select "id", "slug", "name" from "categories" order by "slug"',
    why: 'they are made by hand and listed whole',
  },
  {
    scan: 'categories USING INDEX sqlite_autoindex_categories_2',
    of: 'select "id", "slug", "name", count("poll_categories"."poll_key")',
    why: byOperator,
  },
  ...[
    'tally_notices USING COVERING INDEX tally_notices_due',
    'campaign_polls USING INDEX campaign_polls_unwalked',
    'idempotency_keys USING COVERING INDEX idempotency_keys_by_expiry',
    'access_tokens USING COVERING INDEX access_tokens_by_expiry',
    'token_families USING COVERING INDEX token_families_by_expiry',
    'session_tokens USING COVERING INDEX session_tokens_by_expiry',
    'sign_in_links USING COVERING INDEX sign_in_links_by_expiry',
    'used_challenges USING COVERING INDEX used_challenges_by_expiry',
    'agent_tokens USING COVERING INDEX agent_tokens_by_expiry',
    'agent_grants USING COVERING INDEX agent_grants_by_expiry',
    'sessions USING COVERING INDEX sessions_by_expiry',
    'invitations USING COVERING INDEX invitations_by_expiry',
    'brands USING INDEX brands_deleted',
    'polls USING INDEX polls_deleted',
    'polls USING INDEX polls_to_log',
    'deleted_webhooks',
    'listeners USING COVERING INDEX listeners_by_end',
    'listener_events USING COVERING INDEX listener_events_by_listener',
    'webhook_deliveries',
    'upload_tickets USING COVERING INDEX upload_tickets_by_expiry',
    'outbox',
  ].map((scan) => ({ scan, of: 'select cast((select 0 from tally_notices', why: 'the first entry of each' })),
  ...['campaigns', 'polls', 'upload_tickets', 'files'].map((scan) => ({
    scan,
    of: 'insert into "brands"',
    why: 'a check that SQLite makes where a foreign key is deferred and broken, which none is',
  })),
]

const isOfTransaction = (text: string): boolean => /^(pragma|begin|commit|rollback)\b/.test(text)

describe.if(engines.includes('sqlite'))('sqlite: every statement of the service', () => {
  let statements: ReadonlyMap<string, readonly unknown[] | null>
  let sources: ReadonlySet<string>
  let empty: EmptyDatabase
  let file: Database

  beforeAll(async () => {
    const record = new StatementRecord()
    const scene = await runEverything('sqlite')
    await scene.service.stop()
    // On empty tables, a statement costs little more than its compilation, if it is compiled.
    empty = await emptyDatabase('sqlite')
    await migrate(empty.engine, 1)
    empty.engine.ready()
    record.stop()
    if (!record.file) throw new Error('no statement was recorded')
    file = record.file
    sources = record.sources
    statements = new Map(
      [...record.statements].filter(([text]) => !isOfTransaction(text) && !/ migrations\b/.test(text)),
    )
  }, 300_000)
  afterAll(() => empty.remove())

  test('was executed', () => {
    const folder = new URL('../src/', import.meta.url).pathname
    const asks = /selectFrom|insertInto|updateTable|deleteFrom|sql`/
    const files = (readdirSync(folder, { recursive: true }) as string[]).filter(
      (path) =>
        path.endsWith('.ts') &&
        // Archives are read into another, empty service: server/test/archive-directions.test.ts runs that.
        !/\.test\.ts$|^db\/postgres\/|^features\/codes\/mix-uses\.ts$|^db\/sqlite\/(?:engine|filling)\.ts$|^cli\/backup\/|^db\/snapshots\//.test(
          path,
        ) &&
        asks.test(readFileSync(`${folder}${path}`, 'utf8')),
    )
    expect(files.filter((path) => !sources.has(path))).toEqual([])
    const untried = [...statements].filter(([text, values]) => text.includes('?') && !values)
    expect(untried).toEqual([])
    expect(statements.size).toBeGreaterThan(500)
  })

  test('reads no whole table and no whole index, unless it says why', () => {
    const scans = [...statements.keys()].flatMap((text) => scansOf(file, text).map((scan) => ({ scan, text })))
    const isAllowed =
      ({ scan, of }: Scan) =>
      (found: { scan: string; text: string }) =>
        found.scan === scan && found.text.startsWith(of)
    expect(scans.filter((found) => !ALLOWED.some((allowed) => isAllowed(allowed)(found)))).toEqual([])
    expect(ALLOWED.filter((allowed) => !scans.some(isAllowed(allowed)))).toEqual([])
  })

  test('is compiled once, and not for each execution', () => {
    const bare = `select webhook_deliveries.key from webhook_deliveries join webhooks on webhooks.key = webhook_key
      where webhooks.brand_key = ? and webhook_deliveries.status = ?`
    // The measure sees a compilation, though not each time: it asks three times in a row, and other work may disturb one of them.
    expect(Array.from({ length: 5 }, () => isCompiledAgain(file, bare, [1, 'pending']))).toContain(true)
    const again = [...statements].filter(([text, values]) => values?.length && isCompiledAgain(file, text, values))
    expect(again.map(([text]) => text)).toEqual([])
  }, 300_000)

  test('stays compiled while the others are executed', () => {
    const texts = [...statements.keys()]
    const compiled = texts.map((text) => file.query(text))
    expect(texts.filter((text, i) => file.query(text) !== compiled[i])).toEqual([])
  })
})

/** Tables and indexes that are scanned completely, except those that the statement itself creates. A pragma has one row. */
function scansOf(file: Database, text: string): string[] {
  const plan = file.prepare(`explain query plan ${text}`).all() as { detail: string }[]
  const made = plan.flatMap(({ detail }) => /^(?:MATERIALIZE|CO-ROUTINE) (\S+)$/.exec(detail)?.[1] ?? [])
  return plan.flatMap(({ detail }) => {
    const [, scan = '', name = ''] = /^SCAN ((\S+).*)$/.exec(detail) ?? []
    const isFree =
      scan === '' || /^(CONSTANT ROW|\d+ CONSTANT ROWS|\d+-ROW VALUES|(pragma_\w+|json_each) VIRTUAL TABLE)/.test(scan)
    return isFree || made.includes(name) ? [] : [scan]
  })
}

/** The statement with its values as literals, so that no value can cause a recompilation. */
function writtenOut(text: string, values: readonly unknown[]): string {
  let place = 0
  return text.replace(/\?(\d*)/g, (_, number: string) => {
    const value = values[number === '' ? place++ : Number(number) - 1]
    if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
  })
}

const ROUNDS = 7

/** The shortest of several runs, because the machine may be busy. */
function shortest(times: number, work: () => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const started = performance.now()
    for (let i = 0; i < times; i++) work()
    return (performance.now() - started) / times
  })
  return Math.min(...rounds)
}

/**
 * True if an execution takes longer than one without parameters by about the time of a compilation. What binding costs,
 * which is as much for an insert of many rows, does not count.
 */
function isCompiledAgain(file: Database, text: string, values: readonly unknown[]): boolean {
  const bindings = values as SQLQueryBindings[]
  const [bound, constant] = [file.prepare(text), file.prepare(writtenOut(text, values))]
  const binding = file.prepare(`select ${values.map(() => '?').join(', ')}`)
  const run = (statement: Statement, given: SQLQueryBindings[]) => {
    try {
      statement.all(...given)
    } catch (error) {
      if (!/constraint/i.test(String(error))) throw error
    }
  }
  const looksSo = () => {
    const extra = shortest(20, () => run(bound, bindings)) - shortest(20, () => run(constant, []))
    return extra - shortest(20, () => run(binding, bindings)) > shortest(10, () => file.prepare(text).finalize()) / 2
  }
  file.run('begin immediate')
  try {
    return looksSo() && looksSo() && looksSo()
  } finally {
    file.run('rollback')
    for (const statement of [bound, constant, binding]) statement.finalize()
  }
}
