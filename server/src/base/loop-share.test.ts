import { describe, expect, test } from 'bun:test'
import { eventually } from '../../test/eventually.ts'
import { LoopShare } from './loop-share.ts'

const PIECE_MS = 5

/** Runs so many pieces of 5 ms; resolves with their order, the time of all, and the most in a row without a turn of the event loop. */
function runPieces(options: { share: number; burstMs: number }, count: number) {
  return new Promise<{ order: number[]; ms: number; mostInARow: number }>((resolve) => {
    let now = 0
    let inARow = 0
    let mostInARow = 0
    const order: number[] = []
    const share = new LoopShare({ ...options, now: () => now })
    // The clock moves with the turns and the pieces, so that a busy machine changes nothing.
    const turns = setInterval(() => {
      now++
      inARow = 0
    }, 1)
    for (let i = 0; i < count; i++) {
      share.run(() => {
        now += PIECE_MS
        order.push(i)
        mostInARow = Math.max(mostInARow, ++inARow)
        if (order.length < count) return
        clearInterval(turns)
        resolve({ order, ms: now, mostInARow })
      })
    }
  })
}

describe('work on the event loop', () => {
  test('gets its share, in order, with pauses for others', async () => {
    const { order, ms, mostInARow } = await runPieces({ share: 0.25, burstMs: 10 }, 40)
    expect(order).toEqual(Array.from({ length: 40 }, (_, i) => i))
    expect(ms).toBeGreaterThan(((40 * PIECE_MS - 10) / 0.25) * 0.9)
    expect(mostInARow).toBeLessThanOrEqual(3)
  })

  test('runs at once while the share is unused', async () => {
    const { ms, mostInARow } = await runPieces({ share: 0.25, burstMs: 100 }, 10)
    expect([ms, mostInARow]).toEqual([10 * PIECE_MS, 10])
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
