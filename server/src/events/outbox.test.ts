import { expect, test } from 'bun:test'
import { iso } from '../base/clock.ts'
import { isUuid } from '../base/ids.ts'
import { eventsOfRow, outboxRow, votedRow } from './outbox.ts'

const at = Date.UTC(2026, 0, 31, 12)
const poll = { id: 'the id', slug: 'tea-or-coffee' }

test('an event is stored as it will be sent', () => {
  const row = outboxRow({ brandKey: 7, type: 'poll.deleted', at, data: { poll } }, at + 5)
  expect(row).toMatchObject({ brand_key: 7, type: 'poll.deleted', created_at: at + 5 })
  const payload = JSON.stringify({ type: 'poll.deleted', timestamp: iso(at), data: { poll } })
  expect(eventsOfRow(row)).toEqual([{ id: row.id, payload }])
})

test('votes stored together become one event each, with the counts after that vote', () => {
  const row = votedRow(7, {
    poll,
    at,
    optionA: 10,
    optionB: 5,
    votes: [
      ['B', 'one'],
      ['A', 'two'],
      ['B', 'three'],
    ],
  })
  expect(row).toMatchObject({ brand_key: 7, type: 'poll.voted', created_at: at })
  const events = eventsOfRow(row)
  const tallies = [
    { optionA: 10, optionB: 6, total: 16 },
    { optionA: 11, optionB: 6, total: 17 },
    { optionA: 11, optionB: 7, total: 18 },
  ]
  expect(events.map(({ payload }) => JSON.parse(payload))).toEqual(
    [...'BAB'].map((option, i) => ({
      type: 'poll.voted',
      timestamp: iso(at),
      data: { poll, option, votedAt: iso(at), respondentId: ['one', 'two', 'three'][i], tallies: tallies[i] },
    })),
  )
})

test('the events of a row have unique ids, the same at each read', () => {
  const votes = Array.from({ length: 256 }, (_, i) => ['A', `respondent ${i}`] as const)
  const rows = Array.from({ length: 40 }, () => votedRow(7, { poll, at, optionA: 0, optionB: 0, votes: [...votes] }))
  const ids = rows.flatMap((row) => eventsOfRow(row).map(({ id }) => id))
  expect(ids.every(isUuid)).toBe(true)
  expect(new Set(ids).size).toBe(40 * 256)
  expect(rows.flatMap((row) => eventsOfRow(row).map(({ id }) => id))).toEqual(ids)
})
