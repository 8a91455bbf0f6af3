import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SpilledRows } from './spilled-rows.ts'

let folder: string
let spilled: SpilledRows
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tossup-spilled-'))
  spilled = new SpilledRows(join(folder, 'rows'))
})
afterEach(() => {
  spilled.close()
  rmSync(folder, { recursive: true })
})

test('come back in their order, table by table, as often as they are read', () => {
  const part = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ n: from + i, text: 'é🗳' }))
  spilled.add('votes', JSON.stringify(part(0, 3)), 3)
  spilled.add('counts', JSON.stringify(part(100, 1)), 1)
  spilled.add('votes', JSON.stringify(part(3, 2)), 2)
  for (let reading = 0; reading < 2; reading++) {
    expect([...spilled.rows('votes')]).toEqual([part(0, 3), part(3, 2)])
    expect([...spilled.rows('counts')]).toEqual([part(100, 1)])
  }
  expect([...spilled.rows('none')]).toEqual([])
  expect(['votes', 'counts', 'none'].map((table) => spilled.count(table))).toEqual([5, 1, 0])
})

test('bytes of devices come back as bytes', () => {
  spilled.add('votes', JSON.stringify([{ device: 'a5ff' }]), 1)
  expect([...spilled.rows('votes')]).toEqual([[{ device: Buffer.from([0xa5, 0xff]) }]])
})

test('have no name in the folder, so that nothing is left of them', () => {
  spilled.add('votes', '[{"n":1}]', 1)
  expect(readdirSync(folder)).toEqual([])
  spilled.close()
  spilled.close()
})
