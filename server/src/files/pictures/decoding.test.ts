import { expect, test } from 'bun:test'
import { eventually } from '../../../test/eventually.ts'
import { PressurePace } from './decoding.ts'

const TOOK_MS = 120

/** A pace whose clock and pressure a test sets. It looks at the pressure while the next picture waits. */
function pressed() {
  const state = { now: 1, isPressed: true, looks: 0 }
  const isPressed = () => {
    state.looks++
    return state.isPressed
  }
  const pace = new PressurePace(isPressed, () => state.now)
  const hasLooked = (times: number, from = state.looks) => eventually(() => state.looks >= from + times)
  return { state, pace, hasLooked }
}

test('without pressure the next picture begins at once', async () => {
  const { state, pace } = pressed()
  state.isPressed = false
  pace.ended(TOOK_MS)
  await pace.ready()
  expect(state.looks).toBe(1)
})

test('under pressure there is a pause after each picture, half as long as the picture took', async () => {
  const { state, pace, hasLooked } = pressed()
  for (let picture = 0; picture < 3; picture++) {
    pace.ended(TOOK_MS)
    let isReady = false
    const ready = pace.ready().then(() => {
      isReady = true
    })
    state.now += TOOK_MS / 2 - 1
    await hasLooked(2)
    expect(isReady).toBe(false)
    state.now++
    await ready
  }
})

test('the first picture does not wait, be there pressure or not', async () => {
  const { state, pace } = pressed()
  await pace.ready()
  expect(state.looks).toBe(0)
})

test('the pause ends when the pressure ends', async () => {
  const { state, pace, hasLooked } = pressed()
  pace.ended(TOOK_MS)
  const ready = pace.ready()
  await hasLooked(2)
  state.isPressed = false
  await ready
})
