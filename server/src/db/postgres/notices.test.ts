import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import pg from 'pg'
import { engines } from '../../../test/engines.ts'
import { eventually } from '../../../test/eventually.ts'
import { createDatabase, type OwnDatabase } from '../../../test/own-database.ts'
import { PostgresNotices } from './notices.ts'

/** Notices reach every process on a database, and one that dies elsewhere would be missed here. */
let database: OwnDatabase

const connect = async (name = 'notices-test') => {
  const client = new pg.Client({ connectionString: database.url, application_name: name })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Like a pooler in transaction mode: LISTEN succeeds, but no notice ever arrives. */
async function connectThroughPooler(): Promise<pg.Client> {
  const client = await connect()
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  client.query = ((...given: unknown[]) =>
    String(given[0]).startsWith('listen') ? Promise.resolve() : query(...given)) as typeof client.query
  return client
}

const opened: PostgresNotices[] = []

function open(from: () => Promise<pg.Client> = () => connect()) {
  const notices = new PostgresNotices(from)
  const heard: string[] = []
  notices.listen((text) => heard.push(text))
  opened.push(notices)
  return { notices, heard }
}

async function until(isTrue: () => boolean): Promise<number> {
  const start = performance.now()
  await eventually(isTrue)
  return performance.now() - start
}

const LOOKS = 5

/** The least of some looks, until one is good enough: a busy machine can only delay heartbeats. */
async function least(look: () => Promise<number>, enough: number): Promise<number> {
  let found = Number.POSITIVE_INFINITY
  for (let i = 0; i < LOOKS && found > enough; i++) found = Math.min(found, await look())
  return found
}

/** How often the epoch changes under constant polling: each change makes the caches read everything again. */
async function changesOf(notices: PostgresNotices, forMs: number): Promise<number> {
  const end = performance.now() + forMs
  const first = notices.epoch()
  while (performance.now() < end) {
    notices.epoch()
    // Real time: the epoch is read all the time, as requests do.
    await Bun.sleep(20)
  }
  return notices.epoch() - first
}

async function settled(...all: PostgresNotices[]): Promise<void> {
  // Real time: the heartbeat of notices is the subject.
  await Bun.sleep(900)
  for (const notices of all) await until(() => notices.isLive)
}

describe.if(engines.includes('postgres'))('notices of PostgreSQL', () => {
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())
  afterEach(async () => {
    for (const notices of opened.splice(0)) await notices.close()
  })

  test('reach the other processes and keep what they have in memory', async () => {
    const [one, two] = [open(), open()]
    await settled(one.notices, two.notices)
    one.notices.broadcast(['first', 'second'])
    await until(() => two.heard.length === 2)
    expect([two.heard, one.heard]).toEqual([['first', 'second'], []])
    expect(await least(() => changesOf(two.notices, 2_000), 1)).toBeLessThanOrEqual(1)
  })

  test('that cannot arrive are replaced by the clock: everything is read again each second', async () => {
    const { notices } = open(connectThroughPooler)
    expect(await changesOf(notices, 2_500)).toBeGreaterThanOrEqual(2)
    const { notices: lost } = open(() => Promise.reject(new Error('away')))
    expect(await changesOf(lost, 2_500)).toBeGreaterThanOrEqual(2)
  })

  test('of a process that falls silent are missed: the others read everything again within a second', async () => {
    const missed = async () => {
      let isDead = false
      const name = `notices-${crypto.randomUUID()}`
      const [one, two] = [open(() => (isDead ? Promise.reject(new Error('dead')) : connect(name))), open()]
      await settled(one.notices, two.notices)
      const epoch = two.notices.epoch()
      isDead = true
      const cut = await connect()
      await cut.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name])
      await cut.end()
      return await until(() => two.notices.epoch() > epoch)
    }
    expect(await least(missed, 1_300)).toBeLessThan(1_300)
  })

  test('of a process that says goodbye are not missed', async () => {
    const missed = async () => {
      const [one, two] = [open(), open()]
      await settled(one.notices, two.notices)
      await one.notices.close()
      opened.splice(opened.indexOf(one.notices), 1)
      return await changesOf(two.notices, 1_500)
    }
    expect(await least(missed, 1)).toBeLessThanOrEqual(1)
  })
})
