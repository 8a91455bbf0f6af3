import { expect, test } from 'bun:test'
import { Pace } from './pace.ts'

/** A pace, and what it has granted so far. */
function open() {
  const pressure = { isOn: true }
  const stopping = new AbortController()
  const pace = new Pace(() => pressure.isOn, stopping.signal)
  const granted: string[] = []
  const ask = (name: string, wanted: number) => pace.turn(wanted).then((count) => granted.push(`${name} ${count}`))
  return { pace, pressure, stopping, granted, ask }
}

test('without pressure everybody begins at once, with all that is wanted', async () => {
  const { pace, pressure, granted, ask } = open()
  pressure.isOn = false
  await Promise.all([ask('a', 5), ask('b', 3)])
  expect([granted, pace.isSlow]).toEqual([['a 5', 'b 3'], false])
})

test('under pressure a few begin at a time, in the order in which they came, and nobody is left out', async () => {
  const { granted, ask } = open()
  const started = performance.now()
  await Promise.all([ask('a', 5), ask('b', 3), ask('c', 5), ask('d', 5)])
  expect(granted).toEqual(['a 5', 'b 3', 'c 2', 'd 5'])
  expect(performance.now() - started).toBeGreaterThan(180)
})

test('a hundred a second at most, however many want to', async () => {
  const { granted, pressure, ask } = open()
  const all = Promise.all(Array.from({ length: 200 }, (_, i) => ask(String(i), 1)))
  const started = performance.now()
  await Bun.sleep(500)
  expect(granted.length).toBeGreaterThan(0)
  expect(granted.length).toBeLessThanOrEqual(((performance.now() - started) / 100 + 1) * 10)
  pressure.isOn = false
  await all
  expect(granted).toHaveLength(200)
})

test('who waits goes on when the pressure ends, and when all is to stop', async () => {
  for (const end of ['pressure', 'stopping'] as const) {
    const { granted, pressure, stopping, ask } = open()
    const all = Promise.all(Array.from({ length: 50 }, (_, i) => ask(String(i), 5)))
    if (end === 'pressure') pressure.isOn = false
    else stopping.abort()
    await all
    expect(granted).toHaveLength(50)
    await ask('later', 5)
  }
})
