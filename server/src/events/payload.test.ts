import { describe, expect, test } from 'bun:test'
import { payloadOf } from './payload.ts'

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
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
    expect(payloadOf({ type: 'poll.deleted', at, data })).toBe(
      '{"type":"poll.deleted","timestamp":"2026-01-02T03:04:05.006Z","data":{"poll":{"id":"a","slug":"b"}}}',
    )
  })

  test('of just under 20 kB is whole, and a byte more costs its largest member', () => {
    const withText = (length: number) =>
      payloadOf({ type: 'poll.created', at, data: { poll: { id: 'a', title: 'x'.repeat(length) } } })
    const around = withText(0).length
    const largest = withText(19_999 - around)
    expect(Buffer.byteLength(largest)).toBe(19_999)
    expect(read(largest).data.omitted).toBeUndefined()
    const { data } = read(withText(20_000 - around))
    expect(data).toEqual({ poll: { id: 'a' }, omitted: ['poll.title'] })
  })

  test('counts bytes, not characters', () => {
    const data = { poll: { id: 'a', title: '€'.repeat(7_000) } }
    expect(read(payloadOf({ type: 'poll.created', at, data })).data.omitted).toEqual(['poll.title'])
  })

  test('drops the largest members first, no more than needed, and keeps the order of the rest', () => {
    const campaign = {
      campaignId: 'c',
      title: 't'.repeat(300),
      polsts: Array.from({ length: 100 }, (_, i) => ({ slug: `poll-${i}`, title: 'x'.repeat(300) })),
      brand: { theme: { embedOrigins: ['https://a.example'.repeat(1_100)] } },
      totalSteps: 100,
    }
    const payload = payloadOf({ type: 'campaign.created', at, data: { campaign } })
    expect(Buffer.byteLength(payload)).toBeLessThan(20_000)
    const { data } = read(payload)
    expect(data.omitted).toEqual(['campaign.polsts'])
    expect(Object.keys(data.campaign ?? {})).toEqual(['campaignId', 'title', 'brand', 'totalSteps'])
  })

  test('that cannot be made smaller throws', () => {
    const data = { poll: 'x'.repeat(20_000) }
    expect(() => payloadOf({ type: 'poll.created', at, data })).toThrow('even without its largest members')
  })
})
