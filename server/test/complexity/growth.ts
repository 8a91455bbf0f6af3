/** A text of one kind, about `size` characters long. */
export type MakeText = (size: number) => string

export interface Measured {
  readonly make: MakeText
  readonly parse: (text: string) => unknown
  /** The longest text that the service accepts. */
  readonly most: number
}

type Cost = readonly [size: number, ms: number]

export interface Growth {
  readonly costs: readonly Cost[]
  /** Of the longest text. */
  readonly ms: number
  /** The cost of a text to the cost of an eighth of it: 8 is linear, 64 quadratic. */
  readonly ratio: number
}

const SMALLEST = 512
const DOUBLINGS = 3
/** A text that costs less is no danger, and too short to measure. */
const LEAST_MS = 5
/** A cost that is large enough to show how it grows: longer texts are not tried. */
const ENOUGH_MS = 16
/** n·log n stays below 12, a cold cache or a collected heap below 20; n to the power of 1.5 comes to 23. */
const MOST_RATIO = 20
/** Processor time is counted in steps of up to 10 ms: this much of it is measured for one figure. */
const MEASURED_MS = 80
const MOST_REPEATS = 2_000
/** The shortest of so many: whoever else runs on this machine makes some of them longer. */
const LOOKS = 3

/** Null where cost grows no faster than size, up to the longest text; else the figures that show it. */
export function superlinearGrowth(measured: Measured): Growth | null {
  const { make, parse, most } = measured
  const costs: Cost[] = []
  for (let size = SMALLEST; ; size = Math.min(2 * size, most)) {
    const text = make(size)
    const ms = shortestOf(parse, text)
    costs.push([size, ms])
    if (ms >= LEAST_MS && ratioOf(costs) > MOST_RATIO) {
      const growth = growthUpTo(size, measured)
      if (growth.ratio > MOST_RATIO && growth.ms >= LEAST_MS) return growth
    }
    if (size === most || (ms >= ENOUGH_MS && costs.length > DOUBLINGS)) return null
  }
}

/** By processor time, because a busy machine makes elapsed time look like growth. */
function growthUpTo(size: number, { make, parse }: Measured): Growth {
  const costs = Array.from({ length: DOUBLINGS + 1 }, (_, i): Cost => {
    const each = size / 2 ** (DOUBLINGS - i)
    return [each, processorTime(parse, make(each))]
  })
  return { costs, ms: costs.at(-1)?.[1] ?? 0, ratio: ratioOf(costs) }
}

function ratioOf(costs: readonly Cost[]): number {
  const [first, last] = [costs.at(-1 - DOUBLINGS), costs.at(-1)]
  return first && last ? last[1] / first[1] : 0
}

/** Elapsed milliseconds. */
function shortestOf(parse: Measured['parse'], text: string): number {
  const times = Array.from({ length: LOOKS }, () => {
    const startedAt = performance.now()
    parse(text)
    return performance.now() - startedAt
  })
  return Math.min(...times)
}

/** Of this thread alone: the collector's and the compiler's threads are not counted. */
function processorTime(parse: Measured['parse'], text: string): number {
  const before = process.threadCpuUsage()
  let ms = 0
  let repeats = 0
  while (ms < MEASURED_MS && repeats < MOST_REPEATS) {
    parse(text)
    repeats++
    const { user, system } = process.threadCpuUsage(before)
    ms = (user + system) / 1_000
  }
  return Math.max(ms, 1) / repeats
}
