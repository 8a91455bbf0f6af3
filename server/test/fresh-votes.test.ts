import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { newDevice, pollKeyOf } from './ballot-box.ts'
import { tossupJson } from './command.ts'
import { eventually } from './eventually.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(60_000)

const POLLS = 12

let service: TestService
let brand: TestBrand
let polls: { readonly slug: string; readonly id: string }[]
/** Another process, which reads only what is stored. */
let file: Database

beforeEach(async () => {
  service = await startTestService('sqlite', { jobs: 'by hand' })
  brand = await service.createBrand()
  polls = await Promise.all(Array.from({ length: POLLS }, () => service.createPoll(brand)))
  file = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'), { readonly: true })
})
afterEach(async () => {
  file.close()
  await service.stop()
})

const count = (table: string): number =>
  file.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? -1

/** One vote of one device on each poll, in one group. */
async function voteEverywhere(): Promise<string> {
  const device = randomUUID()
  const answers = await Promise.all(polls.map(({ slug }) => service.vote(slug, 'A', device)))
  expect(answers.map(({ status }) => status)).toEqual(polls.map(() => 201))
  return device
}

/** Straight to the ledger, so that nothing divides the group. */
async function castEverywhere(): Promise<void> {
  const keys = await Promise.all(polls.map((poll) => pollKeyOf(service, poll)))
  const { ledger } = service.service
  const device = newDevice()
  const outcomes = await Promise.all(keys.map((pollKey) => ledger.cast({ pollKey, device, option: 'B' })))
  expect(outcomes.map(({ kind }) => kind)).toEqual(keys.map(() => 'accepted'))
}

test('votes are counted at once, and a statement that reads votes finds them in their table', async () => {
  await castEverywhere()
  await castEverywhere()
  expect([count('fresh_votes'), count('votes')]).toEqual([2 * POLLS, 0])
  const rows = await service.db.selectFrom('tallies').select(['option_b', 'version']).execute()
  expect(rows).toEqual(polls.map(() => ({ option_b: 2, version: 2 })))
  expect(file.query('select sum(option_b) as n from vote_counts where width = 60000').get()).toEqual({ n: 2 * POLLS })
  expect(await service.db.selectFrom('votes').select('position').execute()).toHaveLength(2 * POLLS)
  expect([count('fresh_votes'), count('votes')]).toEqual([0, 2 * POLLS])
})

test('votes are answered and read alike while they are fresh', async () => {
  const device = await voteEverywhere()
  for (const { slug } of polls) {
    await castEverywhere()
    const again = await service.vote(slug, 'B', device)
    expect([again.status, again.body.error.code]).toEqual([409, 'VOTE_ALREADY_CAST'])
    await castEverywhere()
    const own = await service.get<{ option: string }>(`polls/${slug}/votes/me`, { device })
    expect([own.status, own.body.data.option]).toEqual([200, 'A'])
  }
})

test('a transaction that settles and is rolled back loses no vote', async () => {
  await castEverywhere()
  const undone = service.db.transaction().execute(async (tx) => {
    const before = await tx.selectFrom('votes').select('position').execute()
    expect(before).toHaveLength(POLLS)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect([count('fresh_votes'), count('votes')]).toEqual([POLLS, 0])
  await castEverywhere()
  const counts = await service.db.selectFrom('votes').select('position').execute()
  expect(counts).toHaveLength(2 * POLLS)
})

test('while another process writes, a reader of votes waits until the fresh ones can move', async () => {
  await castEverywhere()
  const other = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'))
  try {
    other.run('begin immediate')
    let isRead = false
    const reading = service.db.selectFrom('votes').select('position').execute()
    void reading.then(() => {
      isRead = true
    })
    // Requests that need no votes are answered meanwhile. This one gives the reader time to find the file locked.
    expect((await service.get('/livez')).status).toBe(200)
    expect(isRead).toBe(false)
    other.run('rollback')
    expect(await reading).toHaveLength(POLLS)
  } finally {
    other.close()
  }
})

test('readers see the votes that have moved while the disk is full, and afterwards everything', async () => {
  const device = await voteEverywhere()
  await service.db.selectFrom('votes').select('position').execute()
  // More than fit into the pages that there are.
  for (let group = 0; group < 60; group++) await castEverywhere()
  await sql`pragma max_page_count = 1`.execute(service.db)
  const read = () => service.db.selectFrom('votes').select('position').execute()
  expect(await read()).toHaveLength(POLLS)
  const { slug = '' } = polls[0] ?? {}
  const own = await service.get<{ option: string }>(`polls/${slug}/votes/me`, { device })
  expect([own.status, own.body.data.option]).toEqual([200, 'A'])
  const { body } = await service.get<{ tallies: { total: number } }>(`polls/${slug}/tallies`)
  expect(body.data.tallies.total).toBe(61)
  await sql`pragma max_page_count = 1000000`.execute(service.db)
  await eventually(async () => (await read()).length === 61 * POLLS)
})

test('a transaction that goes on after fresh votes could not move moves none of them', async () => {
  const last = await pollKeyOf(service, polls.at(-1) as { id: string })
  await sql`create temp trigger refuse before insert on main.votes when new.poll_key = ${sql.lit(last)}
    begin select raise(abort, 'refused'); end`.execute(service.db)
  await castEverywhere()
  await service.db.transaction().execute(async (tx) => {
    await expect(tx.selectFrom('votes').select('position').execute()).rejects.toThrow('refused')
    await sql`drop trigger refuse`.execute(tx)
  })
  expect([count('fresh_votes'), count('votes')]).toEqual([POLLS, 0])
  expect(await service.db.selectFrom('votes').select('position').execute()).toHaveLength(POLLS)
})

test('a migration finds fresh votes in their table', async () => {
  await castEverywhere()
  const { engine } = service.deps
  const script = 'create table migrated as select poll_key, position from votes'
  await engine.whileMigrating((tx) => engine.runScript(tx, script))
  expect([count('migrated'), count('fresh_votes'), count('votes')]).toEqual([POLLS, 0, POLLS])
  await castEverywhere()
  expect(await service.db.selectFrom('votes').select('position').execute()).toHaveLength(2 * POLLS)
})

test('a server that stops leaves no fresh vote', async () => {
  await castEverywhere()
  expect(count('fresh_votes')).toBe(POLLS)
  let left: number[] = []
  const { engine } = service.deps
  const close = engine.close.bind(engine)
  engine.close = async () => {
    await close()
    left = [count('fresh_votes'), count('votes')]
  }
  await service.stop()
  expect(left).toEqual([0, POLLS])
  service = await startTestService('sqlite', { jobs: 'by hand' })
})

test('commands beside the server count, copy and export fresh votes', async () => {
  const { dataDir } = service.deps.config
  const run = (...words: string[]) => tossupJson<{ counts: { votes: number } }>(words, { DATA_DIR: dataDir })
  const [backup, archive] = [join(dataDir, 'backup.tar'), join(dataDir, 'brand.tar')]
  await castEverywhere()
  expect(await run('verify')).toMatchObject({ isSound: true, counts: { votes: POLLS } })
  await castEverywhere()
  expect((await run('backup', backup)).counts.votes).toBe(2 * POLLS)
  expect(await run('verify', backup)).toMatchObject({ isSound: true, counts: { votes: 2 * POLLS } })
  await castEverywhere()
  const exported = await run('brand', 'export', '--brand', brand.slug, '--votes', '--out', archive)
  expect(exported.counts.votes).toBe(3 * POLLS)
  await castEverywhere()
  expect(await service.db.selectFrom('votes').select('position').execute()).toHaveLength(4 * POLLS)
})
