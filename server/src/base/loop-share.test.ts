import { describe, expect, test } from 'bun:test'
import { eventually } from '../../test/eventually.ts'
import { LoopShare } from './loop-share.ts'

const PIECE_MS = 5

function busyFor(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** Runs so many pieces of 5 ms; resolves with their order, the time of all, and the longest time in which no timer ran. */
function runPieces(share: LoopShare, count: number) {
  return new Promise<{ order: number[]; ms: number; longestMs: number }>((resolve) => {
    const order: number[] = []
    const startedAt = performance.now()
    let lastAt = startedAt
    let longestMs = 0
    const turns = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - lastAt)
      lastAt = performance.now()
    }, 1)
    for (let i = 0; i < count; i++) {
      share.run(() => {
        busyFor(PIECE_MS)
        order.push(i)
        if (order.length < count) return
        clearInterval(turns)
        resolve({ order, ms: performance.now() - startedAt, longestMs })
      })
    }
  })
}

describe('work on the event loop', () => {
  test('gets its share, in order, with pauses for others', async () => {
    const { order, ms, longestMs } = await runPieces(new LoopShare({ share: 0.25, burstMs: 10 }), 40)
    expect(order).toEqual(Array.from({ length: 40 }, (_, i) => i))
    expect(ms).toBeGreaterThan(((40 * PIECE_MS - 10) / 0.25) * 0.9)
    expect(longestMs).toBeLessThan(100)
  })

  test('runs at once while the share is unused', async () => {
    const { ms } = await runPieces(new LoopShare({ share: 0.25, burstMs: 100 }), 10)
    expect(ms).toBeLessThan(100)
  })

  test('pays for its native cost as well', async () => {
    let now = 0
    let done = 0
    const share = new LoopShare({ share: 0.5, burstMs: 10, now: () => now })
    for (let i = 0; i < 3; i++) share.run(() => void done++, 8)
    expect(done).toBe(2)
    now = 100
    await eventually(() => done === 3)
  })
})
