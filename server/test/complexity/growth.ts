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
  /** The cost of the longest text. */
  readonly ms: number
  /** The cost of a text divided by the cost of an eighth of it: 8 is linear, 64 quadratic. */
  readonly ratio: number
}

const SMALLEST = 512
const DOUBLINGS = 3
/** A text that costs less is harmless, and too short to measure. */
const LEAST_MS = 5
/** A cost large enough to show how it grows: longer texts are not tried. */
const ENOUGH_MS = 16
/** A little more than enough, so that a cost that varies rarely needs another, longer text. */
const AIMED_MS = 18
/** How much longer the next text is. With the most of it a quadratic cost is still short: below 64 times 2.25 ms. */
const LEAST_STEP = 1.25
const MOST_STEP = 2 ** DOUBLINGS
/** n·log n stays below 12, a cold cache or a collected heap below 20; n to the power of 1.5 comes to 23. */
const MOST_RATIO = 20
/** Linux counts the processor time of a thread in microseconds. Elsewhere it may be counted in steps that are too long for one run. */
const isExact = process.platform === 'linux'
/** This much is measured for one figure: several collections of the heap, or several steps of a clock that is not exact. */
const MEASURED_MS = isExact ? 40 : 80
const MOST_REPEATS = 2_000
/** The least of this many measurements, because other programs on the machine slow some of them. */
const LOOKS = 3

/** Null if the cost grows no faster than the size, up to the longest text; otherwise the figures that show it. */
export function superlinearGrowth(measured: Measured): Growth | null {
  const { make, parse, most } = measured
  // The longest text may be refused early, so the costliest one shows the growth.
  let costliest: Cost = [0, 0]
  for (let size = SMALLEST; ; ) {
    const ms = costOf(parse, make(size))
    if (size >= SMALLEST * 2 ** DOUBLINGS && ms >= costliest[1]) costliest = [size, ms]
    if (size === most || costliest[1] >= ENOUGH_MS)
      return costliest[1] < LEAST_MS ? null : growthAt(costliest, measured)
    size = Math.min(Math.ceil(size * stepAfter(ms)), most)
  }
}

/** Steps to the size that would cost enough under linear growth, so that earlier texts cost little. */
const stepAfter = (ms: number): number => Math.min(Math.max(AIMED_MS / ms, LEAST_STEP), MOST_STEP)

/** Null unless a second and careful measurement shows it too. The cost of one run is at least the true cost: if it is small enough, it is enough. */
function growthAt([size, ms]: Cost, measured: Measured): Growth | null {
  const { make, parse } = measured
  const eighth = shortestOf(parse, make(size / 2 ** DOUBLINGS))
  if (ms / eighth <= MOST_RATIO || shortestOf(parse, make(size)) / eighth <= MOST_RATIO) return null
  return growthUpTo(size, measured)
}

/**
 * Measures processor time, because on a busy machine elapsed time looks like growth. Both lengths in turn, because the machine
 * may be slower for a while: every turn has to show the growth. Null at the first that shows none.
 */
function growthUpTo(size: number, { make, parse }: Measured): Growth | null {
  const figureAt = (each: number): Cost => [each, processorTime(parse, make(each))]
  const turns: [Cost, Cost][] = []
  while (turns.length < LOOKS) {
    const turn: [Cost, Cost] = [figureAt(size / 2 ** DOUBLINGS), figureAt(size)]
    if (ratioOf(turn) <= MOST_RATIO) return null
    turns.push(turn)
  }
  const [shortest, longest] = turns.toSorted((one, other) => ratioOf(one) - ratioOf(other))[0] as (typeof turns)[number]
  const [ms, ratio] = [longest[1], ratioOf([shortest, longest])]
  if (ms < LEAST_MS) return null
  // Measured only for the message, because each figure takes long.
  const between = Array.from({ length: DOUBLINGS - 1 }, (_, i) => figureAt(size / 2 ** (DOUBLINGS - 1 - i)))
  return { costs: [shortest, ...between, longest], ms, ratio }
}

const ratioOf = ([[, shortest], [, longest]]: readonly [Cost, Cost]): number => longest / shortest

/** The cost of one run. A busy machine lengthens the elapsed time, which then looks like growth and is measured again and again. */
function costOf(parse: Measured['parse'], text: string): number {
  const before = process.threadCpuUsage()
  const startedAt = performance.now()
  parse(text)
  const elapsed = performance.now() - startedAt
  if (!isExact) return elapsed
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000 || elapsed
}

const least = (measure: () => number): number => Math.min(...Array.from({ length: LOOKS }, measure))

const shortestOf = (parse: Measured['parse'], text: string): number => least(() => costOf(parse, text))

/** Measures this thread only, without the threads of the garbage collector and the compiler. */
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
