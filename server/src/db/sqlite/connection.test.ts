import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery } from 'kysely'
import { OneConnection } from './connection.ts'
import { Soundness } from './soundness.ts'

let folder: string
let file: Database
let connection: OneConnection

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
  const path = join(folder, 'file')
  file = new Database(path, { create: true, strict: true })
  file.run('create table kept (n integer) strict')
  connection = new OneConnection(file, new Soundness({ path, size: () => 0, onDamaged: () => undefined }))
})
afterEach(async () => {
  file.close()
  await rm(folder, { recursive: true })
})

const add = (n: number) => connection.executeQuery(CompiledQuery.raw('insert into kept (n) values (?)', [n]))
const kept = () =>
  file
    .query<{ n: number }, []>('select n from kept')
    .all()
    .map(({ n }) => n)

test('exclusive use of the connection waits for the open transaction, in the order of the requests', async () => {
  const order: string[] = []
  await connection.acquireConnection()
  await connection.beginTransaction()
  await add(1)
  const waiting = [
    connection.alone(() => order.push('first')),
    connection.acquireConnection().then(() => order.push('second')),
    connection.alone(() => order.push('third')),
  ]
  await connection.rollbackTransaction()
  expect(order).toEqual([])
  await connection.releaseConnection()
  await waiting[1]
  expect([order, kept()]).toEqual([['first', 'second'], []])
  await connection.releaseConnection()
  await Promise.all(waiting)
  expect(order).toEqual(['first', 'second', 'third'])
})

test('work that fails lets go of the connection', async () => {
  const failing = connection.alone(() => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await connection.alone(() => 1)).toBe(1)
})

test('a transaction that the disk has ended already can be rolled back', async () => {
  await connection.beginTransaction()
  await add(1)
  file.run('rollback')
  await connection.rollbackTransaction()
  expect(kept()).toEqual([])
})
