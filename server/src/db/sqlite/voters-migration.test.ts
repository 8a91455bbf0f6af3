import type { Database } from 'bun:sqlite'
import { Database as Sqlite } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOUR, MINUTE } from '../../base/clock.ts'
import { migrate, migrationNames, migrationScript } from '../migrate.ts'
import { openSqlite } from './engine.ts'

const NAME = '0020-voters.sql'

let folder: string
let file: Database

/** A database as the version before left it. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
  const engine = openSqlite(folder)
  await engine.db.transaction().execute(async (tx) => {
    for (const name of migrationNames().filter((each) => each < NAME))
      await engine.runScript(tx, migrationScript(name, engine))
  })
  await engine.close()
  file = new Sqlite(join(folder, 'tossup.sqlite'), { strict: true })
  file.run('create table migrations (name text primary key, applied_at bigint not null)')
  for (const name of migrationNames().filter((each) => each < NAME))
    file.run('insert into migrations values (?, 1)', [name])
})
afterEach(async () => {
  file.close()
  await rm(folder, { recursive: true })
})

interface Packed {
  readonly pollKey: number
  readonly position: number
  readonly option: 'A' | 'B'
  readonly device: Uint8Array
}

function packed(votes: readonly Packed[]): Uint8Array {
  const bytes = new Uint8Array(29 * votes.length)
  const words = new DataView(bytes.buffer)
  for (const [i, { pollKey, position, option, device }] of votes.entries()) {
    words.setFloat64(29 * i, pollKey)
    words.setUint32(29 * i + 8, position)
    words.setUint8(29 * i + 12, option.charCodeAt(0))
    bytes.set(device, 29 * i + 13)
  }
  return bytes
}

async function upgrade(): Promise<void> {
  const engine = openSqlite(folder)
  expect((await migrate(engine, 2))[0]).toBe(NAME)
  await engine.close()
}

function addPoll(key: number, votes = 0): void {
  file.run(
    `insert into polls (key, id, short_id, slug, brand_key, title, title_folded, label_a, label_b, is_draft,
       is_private, results_visibility, created_at, updated_at)
     values (?1, 'id' || ?1, 'short' || ?1, 'slug' || ?1, 1, 'Tea?', 'tea?', 'Yes', 'No', 0, 0, 'always', 1, 1)`,
    [key],
  )
  file.run('insert into tallies (poll_key, option_a, version, updated_at) values (?, ?, ?, 1)', [key, votes, votes])
}
const addVote = (pollKey: number, position: number) =>
  file.run("insert into votes (poll_key, device, option, voted_at, position) values (?, ?, 'A', 1, ?)", [
    pollKey,
    new Uint8Array(randomBytes(16)),
    position,
  ])

test('packed votes move to their tables, with any key of their poll, and none twice', async () => {
  file.run('pragma foreign_keys = off')
  const keys = [1, 2, 3, 255, 4_097, 1_000_003, 2 ** 40 + 7, 2 ** 53 - 1]
  for (const key of keys) addPoll(key)
  // The first vote on poll 1 had moved already.
  addVote(1, 1)
  file.run('update tallies set option_a = 1, version = 1 where poll_key = 1')
  const device = () => new Uint8Array(randomBytes(16))
  const at = 1_700_000_000_123
  const votes = keys.flatMap((pollKey) => [
    { pollKey, position: 1, option: 'A', device: device() } as const,
    { pollKey, position: 2, option: 'B', device: device() } as const,
  ])
  const more = keys.map((pollKey) => ({ pollKey, position: 3, option: 'B', device: device() }) as const)
  for (const group of [votes, more])
    file.run('insert into pending_votes (voted_at, votes) values (?, ?)', [at, packed(group)])
  await upgrade()
  for (const key of keys) {
    const stored = file.query('select option, voted_at from votes where poll_key = ? order by position').values(key)
    expect(stored).toEqual([
      ['A', key === 1 ? 1 : at],
      ['B', at],
      ['B', at],
    ])
    const tally = file
      .query('select option_a, option_b, version, updated_at from tallies where poll_key = ?')
      .values(key)
    expect(tally).toEqual([[1, 2, key === 1 ? 3 : 2, at]])
    const counts = file.query('select width, at, option_a, option_b from vote_counts where poll_key = ?').values(key)
    const a = key === 1 ? 0 : 1
    expect(counts).toEqual([MINUTE, HOUR].map((width) => [width, at - (at % width), a, 2]))
  }
  const devices = file
    .query('select device from votes where voted_at > 1')
    .values()
    .map(([bytes]) => Buffer.from(bytes as Uint8Array).toString('hex'))
  const cast = [...votes.slice(1), ...more].map((vote) => Buffer.from(vote.device).toString('hex'))
  expect(devices.toSorted()).toEqual(cast.toSorted())
})

test('positions with gaps or below 1 are renumbered in their order, others stay', async () => {
  file.run('pragma foreign_keys = off')
  for (const key of [1, 2, 3]) addPoll(key, 3)
  for (const position of [-5, 7, 2 ** 33]) addVote(1, position)
  for (const position of [1, 2, 3]) addVote(2, position)
  for (const position of [2, 3, 4]) addVote(3, position)
  const devicesOf = (key: number) =>
    file.query('select hex(device) from votes where poll_key = ? order by position').values(key)
  const before = [1, 2, 3].map(devicesOf)
  await upgrade()
  expect([1, 2, 3].map(devicesOf)).toEqual(before)
  const positions = file.query('select position from votes order by poll_key, position').values().flat()
  expect(positions).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3])
})
