import { expect, test } from 'bun:test'
import { Decoding } from './decoding.ts'

const TOOK_MS = 120

/** When each began and ended, of works that are all handed in at once. */
async function timesOf(decoding: Decoding, works: number) {
  const times: { from: number; to: number }[] = []
  const work = async () => {
    const from = performance.now()
    await Bun.sleep(TOOK_MS)
    times.push({ from, to: performance.now() })
  }
  await Promise.all(Array.from({ length: works }, () => decoding.run(work)))
  return times
}

/** From the end of each to the beginning of the next. */
async function restsOf(decoding: Decoding): Promise<number[]> {
  const times = await timesOf(decoding, 3)
  return times.slice(1).map(({ from }, i) => from - (times[i]?.to ?? 0))
}

test('one picture after the other', async () => {
  for (const rest of await restsOf(new Decoding())) {
    expect(rest).toBeGreaterThanOrEqual(0)
    expect(rest).toBeLessThan(TOOK_MS / 2)
  }
})

test('while something presses, half as long as a picture took passes before the next', async () => {
  for (const rest of await restsOf(new Decoding({ isPressed: () => true }))) {
    expect(rest).toBeGreaterThanOrEqual(TOOK_MS / 2)
  }
})

test('who waits is answered when the picture is done, not when the rest is over, and a failure rests as well', async () => {
  const decoding = new Decoding({ isPressed: () => true })
  const fail = async () => {
    await Bun.sleep(TOOK_MS)
    throw new Error('no picture')
  }
  const startedAt = performance.now()
  await expect(decoding.run(fail)).rejects.toThrow('no picture')
  const failedAfter = performance.now() - startedAt
  expect(failedAfter).toBeLessThan(1.5 * TOOK_MS)
  const [next] = await timesOf(decoding, 1)
  expect((next?.from ?? 0) - startedAt).toBeGreaterThanOrEqual(1.5 * TOOK_MS)
})

test('what no longer presses is not waited for', async () => {
  let isPressed = true
  const decoding = new Decoding({ isPressed: () => isPressed })
  await decoding.run(() => Bun.sleep(10 * TOOK_MS))
  const startedAt = performance.now()
  setTimeout(() => {
    isPressed = false
  }, 50)
  const [next] = await timesOf(decoding, 1)
  expect((next?.from ?? 0) - startedAt).toBeLessThan(3 * TOOK_MS)
})
