import { expect, test } from 'bun:test'
import { paced } from './delete-brand.ts'

test('a batch that left more is followed by a rest as long as itself', async () => {
  let took = 0
  const batch = async () => {
    const began = performance.now()
    // Real time: the rest is as long as a batch took.
    await Bun.sleep(100)
    took = performance.now() - began
    return true
  }
  const began = performance.now()
  expect(await paced(batch)).toBe(true)
  // Timers count in milliseconds.
  expect(performance.now() - began).toBeGreaterThanOrEqual(2 * took - 2)
})

test('a short batch is followed by a rest too, and the last one says that it was the last', async () => {
  const began = performance.now()
  expect(await paced(async () => true)).toBe(true)
  expect(performance.now() - began).toBeGreaterThanOrEqual(18)
  expect(await paced(async () => false)).toBe(false)
})
