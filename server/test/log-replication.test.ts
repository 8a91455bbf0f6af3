import { Database } from 'bun:sqlite'
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newPlace, serve, tossup, tossupJson } from './command.ts'
import { startLoad } from './crash/load.ts'
import { Witness } from './crash/witness.ts'

setDefaultTimeout(60_000)

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

const SETTINGS = {
  DEMO: 'true',
  LOG_LEVEL: 'warn',
  VOTES_PER_MINUTE: '1000000',
  NETWORK_VOTES_PER_MINUTE: '0',
  NETWORK_BRAND_VOTES_PER_MINUTE: '0',
}

/** Imitates a program that ships the log: its own tables, a read transaction that keeps the log, and its own checkpoints. */
test('a program that ships the log can copy all of it, and its tables and checkpoints disturb no vote', async () => {
  const [place, copy] = [await newPlace('sqlite'), await newPlace('sqlite')]
  undo.push(place.clear, copy.clear)
  const server = await serve({ ...place.settings, ...SETTINGS })
  undo.push(() => server.kill('SIGTERM'))
  const witness = new Witness()
  const load = startLoad({ url: server.url, polls: ['tea-or-coffee', 'mountains-or-sea'], witness })
  undo.push(() => load.stop())
  await load.untilAccepted(100)

  const path = join(place.dataDir, 'tossup.sqlite')
  const other = new Database(path)
  undo.push(() => other.close())
  other.run('pragma busy_timeout = 5000')
  other.run('pragma wal_autocheckpoint = 0')
  other.run('create table _shipped_seq (id integer primary key, seq integer)')
  other.run('pragma wal_checkpoint(truncate)')
  other.run('begin')
  other.query('select count(*) from _shipped_seq').get()
  const header = readFileSync(`${path}-wal`).subarray(0, 32)
  const base = readFileSync(path)
  await load.untilAccepted(1_500)
  const log = readFileSync(`${path}-wal`)
  // No checkpoint has started the log over: the frames from the first on are still there.
  expect(header.length === 0 || Buffer.compare(log.subarray(0, 32), header) === 0).toBe(true)
  other.run('rollback')
  for (const mode of ['passive', 'full', 'restart', 'truncate']) {
    other.run(`pragma wal_checkpoint(${mode})`)
    await load.untilAccepted(witness.accepted + 100)
  }
  await load.stop()
  expect([witness.doubled, witness.contradictions]).toEqual([[], []])
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(await tossupJson(['verify'], place.settings)).toMatchObject({ isSound: true })

  // The base and the frames that were shipped are a database.
  writeFileSync(join(copy.dataDir, 'tossup.sqlite'), base)
  writeFileSync(join(copy.dataDir, 'tossup.sqlite-wal'), log)
  const { stdout } = await tossup(['verify', '--json'], copy.settings)
  const { wrongPolls, damage, counts } = JSON.parse(stdout)
  expect([wrongPolls, damage, counts.votes > 1_500]).toEqual([[], [], true])
  server.kill('SIGTERM')
  const { stderr } = await server.ended
  expect(stderr).not.toContain('damaged')
  expect(statSync(path).size).toBeGreaterThan(base.length)
})
