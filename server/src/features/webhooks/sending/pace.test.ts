import { expect, test } from 'bun:test'
import { DeliveryPace } from './pace.ts'

/** A pace, and the permits that it has granted so far. */
function open() {
  const pressure = { isOn: true }
  const stopping = new AbortController()
  const pace = new DeliveryPace(() => pressure.isOn, stopping.signal)
  const granted: string[] = []
  const ask = (name: string, wanted: number) => pace.turn(wanted).then((count) => granted.push(`${name} ${count}`))
  return { pace, pressure, stopping, granted, ask }
}

test('without pressure every attempt starts at once', async () => {
  const { pace, pressure, granted, ask } = open()
  pressure.isOn = false
  await Promise.all([ask('a', 5), ask('b', 3)])
  expect([granted, pace.isSlow]).toEqual([['a 5', 'b 3'], false])
})

test('under pressure a few attempts start at a time, in the order of arrival, and all start in the end', async () => {
  const { granted, ask } = open()
  const started = performance.now()
  await Promise.all([ask('a', 5), ask('b', 3), ask('c', 5), ask('d', 5)])
  expect(granted).toEqual(['a 5', 'b 3', 'c 2', 'd 5'])
  expect(performance.now() - started).toBeGreaterThan(180)
})

test('under pressure at most a hundred attempts start in a second', async () => {
  const { granted, pressure, ask } = open()
  const all = Promise.all(Array.from({ length: 200 }, (_, i) => ask(String(i), 1)))
  const started = performance.now()
  // Real time: the pace is the subject.
  await Bun.sleep(500)
  expect(granted.length).toBeGreaterThan(0)
  expect(granted.length).toBeLessThanOrEqual(((performance.now() - started) / 100 + 1) * 10)
  pressure.isOn = false
  await all
  expect(granted).toHaveLength(200)
})

test('waiting attempts start when the pressure ends, and when the service stops', async () => {
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
