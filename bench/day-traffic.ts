import { TICK_MS, TICKS_A_SECOND, type Traffic } from './day-simulator.ts'
import { SUPPOSED } from './scale-model.ts'

const DAY_SECONDS = 86_400
/** The busiest hour of an ordinary day against its average, in the evening; the night has as much less. */
const EVENING = 0.8
const EVENING_AT = 20.25 / 24

/** A programme on television asks its question. */
export interface Show {
  readonly votes: number
  readonly atSecond: number
  /** Until the votes arrive at their full rate. */
  readonly rampSeconds: number
  /** The part of the votes that arrives in the first minute; the others follow ever more slowly. */
  readonly firstMinute: number
  /** The length of its first minute: less for a short show. */
  readonly minuteSeconds: number
}

export const atEightFifteen = (votes: number): Show => ({
  votes,
  atSecond: EVENING_AT * DAY_SECONDS,
  rampSeconds: SUPPOSED.rampSeconds,
  firstMinute: SUPPOSED.firstMinute,
  minuteSeconds: 60,
})

/** The part of a show's votes that has arrived so many seconds after its beginning. */
export function arrivedAfter({ rampSeconds, firstMinute, minuteSeconds }: Show, seconds: number): number {
  if (seconds <= 0) return 0
  const rate = firstMinute / (minuteSeconds - rampSeconds / 2)
  if (seconds <= rampSeconds) return (rate * seconds ** 2) / (2 * rampSeconds)
  if (seconds <= minuteSeconds) return rate * (seconds - rampSeconds / 2)
  return 1 - (1 - firstMinute) * Math.exp(-(seconds - minuteSeconds) / minuteSeconds)
}

interface DayPlan {
  readonly seconds?: number
  /** Votes besides the shows, over the whole day. */
  readonly votes: number
  readonly shows: readonly Show[]
  readonly viewsPerVote: number
  /** The most page views a second that a cache in front lets through; null without one. */
  readonly mostReads: number | null
  readonly staySeconds: number
  readonly seed: number
}

export function trafficOf({ seconds = DAY_SECONDS, ...plan }: DayPlan): Traffic {
  const { votes, shows, viewsPerVote, mostReads, staySeconds, seed } = plan
  const ticks = seconds * TICKS_A_SECOND
  const random = randomBySeed(seed)
  const arrivals = new Uint32Array(ticks)
  const reads = new Float64Array(ticks)
  const most = (mostReads ?? Number.POSITIVE_INFINITY) / TICKS_A_SECOND
  for (let tick = 0; tick < ticks; tick++) {
    const from = tick / TICKS_A_SECOND
    let expected = (votes * ordinary(from)) / DAY_SECONDS / TICKS_A_SECOND
    for (const show of shows) {
      const since = from - show.atSecond
      expected += show.votes * (arrivedAfter(show, since + TICK_MS / 1_000) - arrivedAfter(show, since))
    }
    arrivals[tick] = randomCount(expected, random)
    reads[tick] = Math.min(expected * viewsPerVote, most)
  }
  return { votes: arrivals, reads, staySeconds }
}

const ordinary = (second: number): number => 1 + EVENING * Math.cos(2 * Math.PI * (second / DAY_SECONDS - EVENING_AT))

/** mulberry32: short, and the same on every machine. */
function randomBySeed(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const MANY = 30

/** Poisson: people decide to vote independently of each other. A normal distribution is close enough for many. */
function randomCount(expected: number, random: () => number): number {
  if (expected > MANY) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return Math.max(0, Math.round(expected + Math.sqrt(expected) * normal))
  }
  const limit = Math.exp(-expected)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count++
  return count
}
