import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../migrate.ts'
import type { Decision, GroupFacts } from '../vote-store.ts'
import { openSqlite } from './engine.ts'
import { FreshVotes } from './fresh-votes.ts'
import { Soundness } from './soundness.ts'
import { createSqliteVoteStore } from './vote-store.ts'
import { Voters } from './voters.ts'
import { LogBroken, LogNotDurable, WriteAheadLog } from './write-ahead-log.ts'

let folder: string
let file: Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
  const engine = openSqlite(folder)
  await migrate(engine, 1)
  await engine.close()
  file = new Database(join(folder, 'tossup.sqlite'), { strict: true })
  file.run('pragma journal_mode = wal')
  file.run('pragma synchronous = full')
})
afterEach(async () => {
  file.close()
  await rm(folder, { recursive: true })
})

const ballots = [{ pollKey: 1, device: new Uint8Array(16), option: 'A' as const }]
const accept = (): Decision<string> => ({
  votes: ballots.map((ballot) => ({ ballot, position: 1 })),
  counted: new Map(),
  outcomes: ['accepted'],
})
const refuse = (): Decision<string> => ({ votes: [], counted: new Map(), outcomes: ['refused'] })
const storeOn = (sync: () => Promise<void>) =>
  createSqliteVoteStore({
    file,
    fresh: new FreshVotes(file),
    log: new WriteAheadLog(join(folder, 'tossup.sqlite-wal'), sync),
    voters: new Voters(file),
    soundness: new Soundness({ path: join(folder, 'tossup.sqlite'), size: () => 0, onDamaged: () => undefined }),
    alone: async (work) => work(),
  })
const stored = () => file.query('select count(*) as votes from fresh_votes').get()

test('a group is durable once the disk has synced, and every other transaction waits for its own sync', async () => {
  let syncs = 0
  const sync = Promise.withResolvers<void>()
  const store = storeOn(() => {
    syncs++
    return sync.promise
  })
  const { decision, durable } = await store.commit(ballots, accept)
  expect([decision.outcomes, stored(), syncs]).toEqual([['accepted'], { votes: 1 }, 1])
  expect(file.query('pragma synchronous').get()).toEqual({ synchronous: 2 })
  let isDurable = false
  const repeat = await store.commit(ballots, refuse)
  const both = Promise.all([durable, repeat.durable]).then(() => {
    isDurable = true
  })
  // Real time: long enough to show that the commit is not durable yet.
  await Bun.sleep(5)
  expect([isDurable, syncs]).toEqual([false, 1])
  sync.resolve()
  await both
})

test('a group that fails leaves nothing, and causes no sync', async () => {
  let syncs = 0
  const store = storeOn(async () => {
    syncs++
  })
  const failing = (_facts: GroupFacts): Decision<string> => ({
    ...accept(),
    votes: [...accept().votes, ...accept().votes],
  })
  await expect(store.commit(ballots, failing)).rejects.toThrow('twice')
  expect([stored(), syncs, file.query('pragma synchronous').get()]).toEqual([{ votes: 0 }, 0, { synchronous: 2 }])
  await (await store.commit(ballots, accept)).durable
  expect(stored()).toEqual({ votes: 1 })
})

test('after a failed sync no vote is accepted any more', async () => {
  const store = storeOn(() => Promise.reject(new Error('EIO')))
  const { durable } = await store.commit(ballots, accept)
  await expect(durable).rejects.toBeInstanceOf(LogNotDurable)
  await expect(store.commit(ballots, refuse)).rejects.toBeInstanceOf(LogBroken)
})

test('only the vote stores insert votes: others on the connection of the server would be missed in memory', () => {
  const root = join(import.meta.dir, '../../')
  const paths = [...new Bun.Glob('**/*.ts').scanSync(root)].filter((path) => !path.endsWith('.test.ts'))
  const inserting = paths.filter((path) =>
    /insert into (?:fresh_)?votes\b|insertInto\('(?:fresh_)?votes'\)/.test(readFileSync(join(root, path), 'utf8')),
  )
  expect(inserting.toSorted()).toEqual(['db/postgres/vote-store.ts', 'db/sqlite/fresh-votes.ts', 'db/sqlite/voters.ts'])
})
