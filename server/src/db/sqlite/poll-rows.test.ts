import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { PollState } from '../vote-store.ts'
import { PollRows } from './poll-rows.ts'

const row: PollState = {
  opens_at: null,
  closes_at: null,
  archived_at: null,
  results_visibility: 'always',
  option_a: 2,
  option_b: 1,
  version: 3,
  campaign_count: 0,
  code_list_key: null,
}
const atOnce = 5_000

test('the polls used last are kept, however many others come', () => {
  using file = new Database(':memory:')
  const rows = new PollRows(file)
  for (let key = 0; key < 10 * atOnce; key++) {
    rows.set(key, row)
    expect(rows.get(Math.max(0, key - atOnce))).toEqual(row)
  }
  expect(rows.get(0)).toBeUndefined()
})

test('a row follows the votes of groups', () => {
  using file = new Database(':memory:')
  const rows = new PollRows(file)
  rows.set(7, row)
  for (let key = 100; key < 100 + 3 * atOnce; key++) rows.set(key, row)
  rows.advance({ pollKey: 7, a: 3, b: 1 })
  rows.advance({ pollKey: 8, a: 1, b: 0 })
  expect([rows.get(7), rows.get(8)]).toEqual([{ ...row, option_a: 5, option_b: 2, version: 4 }, undefined])
  // The row of a group that still reads it stays as it was.
  expect(row.option_a).toBe(2)
})

test('rows are trusted until anybody else has written', () => {
  using file = new Database(':memory:')
  file.run('create table others (key integer)')
  const rows = new PollRows(file)
  rows.refresh()
  rows.set(1, row)
  file.run('insert into others values (1)')
  rows.keep()
  rows.refresh()
  expect(rows.get(1)).toEqual(row)
  file.run('insert into others values (2)')
  rows.refresh()
  expect(rows.get(1)).toBeUndefined()
})
