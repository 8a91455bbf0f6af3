import { describe, expect, test } from 'bun:test'
import { SingleFlight } from './single-flight.ts'

const WAYS = {
  'is there at once': async () => 'made',
  'is refused before it is a promise': () => {
    throw new Error('refused')
  },
  'is refused at once': async () => {
    throw new Error('refused')
  },
  'is there later': async () => {
    // Real time: a later turn of the event loop.
    await Bun.sleep(0)
    return 'made'
  },
  'is refused later': async () => {
    // Real time: a later turn of the event loop.
    await Bun.sleep(0)
    throw new Error('refused')
  },
} as const

describe('work that callers share', () => {
  test.each(Object.entries(WAYS))(
    '%s: runs once for all callers during the run, and again for the next caller',
    async (_, work) => {
      const flight = new SingleFlight<string, string>()
      let runs = 0
      const ask = () =>
        flight.run('tea', () => {
          runs++
          return work()
        })
      for (let round = 1; round <= 3; round++) {
        const answers = await Promise.allSettled([ask(), ask(), ask()])
        expect(new Set(answers.map(({ status }) => status)).size).toBe(1)
        expect([runs, flight.size, flight.has('tea')]).toEqual([round, 0, false])
      }
    },
  )

  test('one key does not wait for another', async () => {
    const flight = new SingleFlight<string, string>()
    const tea = Promise.withResolvers<string>()
    const waiting = flight.run('tea', () => tea.promise)
    expect(await flight.run('coffee', async () => 'coffee')).toBe('coffee')
    expect([flight.size, flight.has('tea')]).toEqual([1, true])
    tea.resolve('tea')
    expect(await waiting).toBe('tea')
  })

  test('a caller right after an answer starts a new run', async () => {
    const flight = new SingleFlight<string, number>()
    let runs = 0
    const ask = () => flight.run('tea', async () => ++runs)
    expect(await ask().then(ask)).toBe(2)
  })

  test('work that asks for its own key gets its own promise, and is started once', async () => {
    const flight = new SingleFlight<string, boolean>()
    let runs = 0
    const ask = (): Promise<boolean> =>
      flight.run('tea', async () => {
        const own = runs++ === 0 ? ask() : null
        return own !== null
      })
    expect([await ask(), runs]).toEqual([true, 1])
  })
})
