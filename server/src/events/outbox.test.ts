import { describe, expect, test } from 'bun:test'
import { iso } from '../base/clock.ts'
import { isUuid } from '../base/ids.ts'
import { eventsOfRow, outboxRow, payloadOf, votedRow } from './outbox.ts'

const occurredAt = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
const read = (payload: string) => JSON.parse(payload) as { type: string; timestamp: string; data: Payload }

interface Payload {
  campaign?: Record<string, unknown>
  poll?: Record<string, unknown>
  tallies?: unknown
  omitted?: string[]
}

describe('a payload', () => {
  test('is type, timestamp and data', () => {
    const data = { poll: { id: 'a', slug: 'b' } }
    expect(payloadOf({ type: 'poll.deleted', at: occurredAt, data })).toBe(
      '{"type":"poll.deleted","timestamp":"2026-01-02T03:04:05.006Z","data":{"poll":{"id":"a","slug":"b"}}}',
    )
  })

  test('of just under 20 kB is whole, and a byte more costs its largest member', () => {
    const withText = (length: number) =>
      payloadOf({ type: 'poll.created', at: occurredAt, data: { poll: { id: 'a', title: 'x'.repeat(length) } } })
    const around = withText(0).length
    const largest = withText(19_999 - around)
    expect(Buffer.byteLength(largest)).toBe(19_999)
    expect(read(largest).data.omitted).toBeUndefined()
    const { data } = read(withText(20_000 - around))
    expect(data).toEqual({ poll: { id: 'a' }, omitted: ['poll.title'] })
  })

  test('counts bytes, not characters', () => {
    const data = { poll: { id: 'a', title: '€'.repeat(7_000) } }
    expect(read(payloadOf({ type: 'poll.created', at: occurredAt, data })).data.omitted).toEqual(['poll.title'])
  })

  test('drops the largest members first, no more than needed, and keeps the order of the rest', () => {
    const campaign = {
      campaignId: 'c',
      title: 't'.repeat(300),
      polsts: Array.from({ length: 100 }, (_, i) => ({ slug: `poll-${i}`, title: 'x'.repeat(300) })),
      brand: { theme: { embedOrigins: ['https://a.example'.repeat(1_100)] } },
      totalSteps: 100,
    }
    const payload = payloadOf({ type: 'campaign.created', at: occurredAt, data: { campaign } })
    expect(Buffer.byteLength(payload)).toBeLessThan(20_000)
    const { data } = read(payload)
    expect(data.omitted).toEqual(['campaign.polsts'])
    expect(Object.keys(data.campaign ?? {})).toEqual(['campaignId', 'title', 'brand', 'totalSteps'])
  })

  test('that cannot be made smaller throws', () => {
    const data = { poll: 'x'.repeat(20_000) }
    expect(() => payloadOf({ type: 'poll.created', at: occurredAt, data })).toThrow('even without its largest members')
  })
})

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
