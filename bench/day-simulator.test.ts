import { describe, expect, test } from 'bun:test'
import { LONGEST_QUEUE, LONGEST_WAIT_MS } from '../server/src/features/votes/ledger.ts'
import { type Place, type Played, play, TICKS_A_SECOND } from './day-simulator.ts'
import { arrivedAfter, atEightFifteen, trafficOf } from './day-traffic.ts'
import { type Costs, minuteOf } from './scale-model.ts'
import { placeOf } from './show-scenarios.ts'

const costs: Costs = {
  sqlite: {
    hotPerSecond: 20_000,
    spreadPerSecond: 10_000,
    serverMicroseconds: 50,
    hotMicroseconds: 20,
    bytesPerVote: 100,
  },
  postgres: {
    hotPerSecond: 10_000,
    spreadPerSecond: 5_000,
    serverMicroseconds: 40,
    hotMicroseconds: 20,
    databaseMicroseconds: 80,
    hotDatabaseMicroseconds: 30,
    bytesPerVote: 200,
  },
  redis: null,
  readsPerSecond: 100_000,
  bytesPerStream: 8_000,
  streamMicroseconds: 0,
  pageBytes: 20_000,
}
const sqlite = placeOf(costs, { engine: 'sqlite', servers: 1 })
const postgres = placeOf(costs, { engine: 'postgres', servers: 1 })

interface Constant {
  readonly perSecond: number
  readonly seconds: number
  /** Without arrivals, at the end. */
  readonly quietSeconds?: number
  readonly readsPerSecond?: number
  readonly staySeconds?: number
}

function constantly(place: Place, { quietSeconds = 0, readsPerSecond = 0, staySeconds = 3_600, ...busy }: Constant) {
  const { perSecond, seconds } = busy
  const ticks = (seconds + quietSeconds) * TICKS_A_SECOND
  const isBusy = (_: unknown, tick: number) => tick < seconds * TICKS_A_SECOND
  const each = (rate: number) => Array.from({ length: ticks }, isBusy).map((is) => (is ? rate / TICKS_A_SECOND : 0))
  return play(place, { votes: each(perSecond), reads: each(readsPerSecond), staySeconds })
}

const accountedFor = ({ stored, waiting, kept }: Played): number => stored + waiting + kept

describe('a simulated day', () => {
  test('loses no vote and invents none', () => {
    for (const votes of [10_000, 1_000_000, 5_000_000]) {
      for (const staySeconds of [5, 120]) {
        for (const place of [sqlite, postgres, { ...postgres, votesPerSecond: 1_500 }]) {
          const show = { ...atEightFifteen(votes), atSecond: 10 }
          const plan = { votes: 8_640_000, shows: [show], viewsPerVote: 10, mostReads: null, staySeconds, seed: 7 }
          const played = play(place, trafficOf({ seconds: 90, ...plan }))
          expect(played.arrived).toBeGreaterThan(votes * 0.7)
          expect(accountedFor(played)).toBe(played.arrived)
        }
      }
    }
  })

  test('is the same for the same seed, and another for another one', () => {
    const plan = { votes: 1_000_000, shows: [], viewsPerVote: 10, mostReads: 1_500, staySeconds: 120 }
    const beginningOf = (seed: number) => play(sqlite, trafficOf({ ...plan, seconds: 3_600, seed }))
    expect(beginningOf(1)).toEqual(beginningOf(1))
    expect(beginningOf(2).arrived).not.toBe(beginningOf(1).arrived)
    expect(play(sqlite, trafficOf({ ...plan, seed: 1 })).arrived / 1_000_000).toBeCloseTo(1, 2)
  })

  test('refuses nothing below capacity, and stores each vote at once', () => {
    const played = constantly(postgres, { perSecond: 9_900, seconds: 60, quietSeconds: 1 })
    expect(played).toMatchObject({ refusals: 0, silences: 0, waiting: 0, kept: 0, saturatesFirst: null })
    expect(played.storedWithinSecond).toBe(played.arrived)
    expect(played.longestWaitSeconds).toBeLessThanOrEqual(1 / TICKS_A_SECOND)
    expect(played.busiest.ledger).toBeCloseTo(0.99)
    expect(played.busiest.server).toBeCloseTo(9_900 * 20e-6)
    expect(played.busiest.database).toBeCloseTo(9_900 * 30e-6)
  })

  test.each(['sqlite', 'postgres'] as const)('stores a constant rate on %s as soon as the tables say', (engine) => {
    for (const votes of [300_000, 1_800_000]) {
      const formula = minuteOf(costs, votes)[`${engine}Seconds`]
      const place = placeOf(costs, { engine, servers: 1 })
      const within = (quietSeconds: number) =>
        constantly(place, { perSecond: votes / 60, seconds: 60, quietSeconds: Math.round(quietSeconds) })
      // The last refused votes come back when their pauses are over, and not when the queue has room.
      const longestPause = 3
      expect(within(formula - 60 + longestPause).stored).toBe(votes)
      if (formula > 60) expect(within(formula - 60 - 1).stored).toBeLessThan(votes)
    }
  })

  test('keeps no more votes in the queue than a server does, and refuses the others', () => {
    const played = constantly(postgres, { perSecond: 40_000, seconds: 60 })
    expect(played.longestQueue).toBe(LONGEST_QUEUE)
    expect(played.refusals).toBeGreaterThan(0)
    expect(played.saturatesFirst).toBe('ledger')
    expect(constantly({ ...postgres, servers: 3 }, { perSecond: 40_000, seconds: 60 }).longestQueue).toBe(
      3 * LONGEST_QUEUE,
    )
  })

  test('refuses the same number of a crowd that comes at once as the queue of a server', () => {
    const idle = { ...postgres, votesPerSecond: 1e-9 }
    const crowd = LONGEST_QUEUE + 5_000
    expect(play(idle, { votes: [crowd], reads: [0], staySeconds: 3_600 })).toMatchObject({
      longestQueue: LONGEST_QUEUE,
      refusals: 5_000,
      waiting: crowd,
    })
  })

  test('refuses what waited too long, so that no vote is stored after its request has timed out', () => {
    const slow = { ...postgres, votesPerSecond: 1_000 }
    const played = constantly(slow, { perSecond: 1_500, seconds: 30 })
    expect(played.longestQueue).toBeLessThan(LONGEST_QUEUE)
    expect(played.longestQueue).toBeGreaterThan(LONGEST_WAIT_MS - 1)
    expect(played.refusals).toBeGreaterThan(0)
  })

  test('is never worse with more capacity', () => {
    const loads = [8_000, 10_000, 12_000, 16_000, 24_000, 48_000]
    const all = loads.map((votesPerSecond) =>
      constantly(
        { ...sqlite, serverMicroseconds: 1e6 / 50_000, votesPerSecond },
        { perSecond: 20_000, seconds: 30, quietSeconds: 60 },
      ),
    )
    for (const [i, played] of all.slice(1).entries()) {
      const slower = all[i] as Played
      expect(played.storedWithinSecond).toBeGreaterThanOrEqual(slower.storedWithinSecond)
      expect(played.longestWaitSeconds).toBeLessThanOrEqual(slower.longestWaitSeconds)
      expect(played.refusals).toBeLessThanOrEqual(slower.refusals)
      expect(played.stored).toBeGreaterThanOrEqual(slower.stored)
    }
  })

  test('keeps a refused vote in the browser when its voter has left', () => {
    const crowded = { perSecond: 40_000, seconds: 60, quietSeconds: 240 }
    const patient = constantly(postgres, crowded)
    expect(patient).toMatchObject({ kept: 0, waiting: 0, stored: 2_400_000 })
    const hasty = constantly(postgres, { ...crowded, staySeconds: 20 })
    expect(hasty.kept).toBeGreaterThan(1_000_000)
    expect(hasty.longestWaitSeconds).toBeLessThanOrEqual(20 + LONGEST_WAIT_MS / 1_000)
  })

  test('shares the processor between votes and readers', () => {
    const load = { perSecond: 10_000, seconds: 30 }
    expect(constantly(sqlite, { ...load, readsPerSecond: 70_000 })).toMatchObject({ waiting: 0, saturatesFirst: null })
    const full = constantly(sqlite, { ...load, readsPerSecond: 200_000 })
    expect(full.saturatesFirst).toBe('server')
    expect(full.longestWaitSeconds).toBeGreaterThan(1)
  })

  test('asks for more streams than a server has where more voters stay than that', () => {
    const played = constantly(sqlite, { perSecond: 3_000, seconds: 20, staySeconds: 10 })
    expect(played.busiest.streams).toBeCloseTo(2)
  })
})

test('a show rises within seconds, has most of its votes in the first minute, and all in the end', () => {
  const show = { ...atEightFifteen(100), firstMinute: 0.7, rampSeconds: 5 }
  const arrived = (seconds: number) => arrivedAfter(show, seconds)
  expect([arrived(-1), arrived(0)]).toEqual([0, 0])
  expect(arrived(60)).toBeCloseTo(0.7)
  expect(arrived(5) - arrived(4)).toBeLessThan(arrived(6) - arrived(5))
  expect(arrived(7) - arrived(6)).toBeCloseTo(arrived(59) - arrived(58))
  expect(arrived(3_600)).toBeCloseTo(1)
})
