import { expect, test } from 'bun:test'
import { PressurePace } from './pressure-pace.ts'

const TOOK_MS = 120

/** How long the next picture waits after one that took so long. */
async function restAfter(pace: PressurePace, tookMs = TOOK_MS): Promise<number> {
  const endedAt = performance.now()
  pace.ended(tookMs)
  await pace.ready()
  return performance.now() - endedAt
}

test('without pressure the next picture begins at once', async () => {
  expect(await restAfter(new PressurePace(() => false))).toBeLessThan(TOOK_MS / 2)
})

test('under pressure there is a pause after each picture, half as long as the picture took', async () => {
  const pace = new PressurePace(() => true)
  for (let picture = 0; picture < 3; picture++) expect(await restAfter(pace)).toBeGreaterThanOrEqual(TOOK_MS / 2)
})

test('the first picture does not wait, be there pressure or not', async () => {
  const startedAt = performance.now()
  await new PressurePace(() => true).ready()
  expect(performance.now() - startedAt).toBeLessThan(TOOK_MS / 2)
})

test('the pause ends when the pressure ends', async () => {
  let isPressed = true
  // Real time: the pressure ends while the rest goes on.
  setTimeout(() => {
    isPressed = false
  }, 50)
  expect(await restAfter(new PressurePace(() => isPressed), 10 * TOOK_MS)).toBeLessThan(3 * TOOK_MS)
})
