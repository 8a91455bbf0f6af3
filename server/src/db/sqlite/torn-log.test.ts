import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { copyFile, mkdtemp, open, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTornLog } from './torn-log.ts'

const ROWS = 200

let folder: string
let path: string
let file: Database
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tossup-torn-'))
  path = join(folder, 'a.sqlite')
  file = new Database(path, { create: true })
  file.run('pragma journal_mode = wal')
  file.run('create table notes (text text)')
})
afterEach(async () => {
  file.close()
  await rm(folder, { recursive: true })
})

const write = (rows = ROWS) => {
  for (let i = 0; i < rows; i++) file.run('insert into notes values (?)', ['x'.repeat(300)])
}

/** A copy of the database, as a killed process leaves it. */
async function killed(): Promise<string> {
  const copy = join(folder, 'b.sqlite')
  await copyFile(path, copy)
  await copyFile(`${path}-wal`, `${copy}-wal`)
  return copy
}

async function turn(log: string, at: number): Promise<void> {
  const handle = await open(log, 'r+')
  const byte = Buffer.alloc(1)
  await handle.read(byte, 0, 1, at)
  await handle.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
  await handle.close()
}

const rowsOf = (database: string): number => {
  const opened = new Database(database)
  const { rows } = opened.query<{ rows: number }, []>('select count(*) as rows from notes').get() ?? { rows: 0 }
  opened.close()
  return rows
}

test('no log, an empty log and a whole log have lost nothing', async () => {
  expect(findTornLog(join(folder, 'none-wal'))).toBeNull()
  file.run('pragma wal_checkpoint(truncate)')
  expect(findTornLog(`${path}-wal`)).toBeNull()
  write()
  expect(findTornLog(`${path}-wal`)).toBeNull()
})

test('a log that overwrites an earlier one has lost nothing', () => {
  write()
  file.run('pragma wal_checkpoint(restart)')
  write(1)
  expect(findTornLog(`${path}-wal`)).toBeNull()
})

test('a frame that a killed process did not complete was never acknowledged', async () => {
  write()
  const copy = await killed()
  await truncate(`${copy}-wal`, (await stat(`${copy}-wal`)).size - 100)
  expect(findTornLog(`${copy}-wal`)).toBeNull()
})

test('as many transactions are said to be lost as SQLite drops, and the log is kept', async () => {
  write()
  const copy = await killed()
  const log = `${copy}-wal`
  await turn(log, Math.floor((await stat(log)).size / 2))
  const message = findTornLog(log)?.message ?? ''
  const [, lost] = /its last (\d+) transactions are lost\. A copy of the log is /.exec(message) ?? []
  const [kept = ''] = (await readdir(folder)).filter((name) => name.startsWith('b.sqlite-wal.torn-'))
  expect((await stat(join(folder, kept))).size).toBe((await stat(log)).size)
  expect(rowsOf(copy)).toBe(ROWS - Number(lost))
  expect(Number(lost)).toBeGreaterThan(0)
})

test('without a readable header all transactions of the log are lost', async () => {
  write()
  const copy = await killed()
  await turn(`${copy}-wal`, 17)
  expect(findTornLog(`${copy}-wal`)?.message).toContain('all its transactions are lost')
})
