/** Votes that were first sent in the same moment and have the same history. */
export interface Cohort {
  /** The tick of the first attempt. */
  readonly first: number
  /** The tick of this attempt. */
  readonly sent: number
  /** How often these votes were refused so far. */
  readonly refusals: number
  count: number
}

/** Votes in the order of their arrival. */
export class CohortQueue {
  #cohorts: Cohort[] = []
  #head = 0
  #votes = 0

  get votes(): number {
    return this.#votes
  }

  push(cohort: Cohort): void {
    if (cohort.count === 0) return
    this.#cohorts.push(cohort)
    this.#votes += cohort.count
  }

  /** Takes this many votes from the front, at most all of them. */
  take(votes: number): Cohort[] {
    const taken: Cohort[] = []
    let left = Math.min(votes, this.#votes)
    this.#votes -= left
    while (left > 0) {
      const front = this.#cohorts[this.#head] as Cohort
      if (front.count > left) {
        front.count -= left
        taken.push({ ...front, count: left })
        break
      }
      left -= front.count
      taken.push(front)
      this.#head++
    }
    this.#forget()
    return taken
  }

  /** Takes the votes from the front that were sent before this tick. */
  takeOlder(than: number): Cohort[] {
    const taken: Cohort[] = []
    for (let front = this.#cohorts[this.#head]; front && front.sent < than; front = this.#cohorts[this.#head]) {
      taken.push(front)
      this.#votes -= front.count
      this.#head++
    }
    this.#forget()
    return taken
  }

  #forget(): void {
    if (this.#head < 1_024 || this.#head * 2 < this.#cohorts.length) return
    this.#cohorts = this.#cohorts.slice(this.#head)
    this.#head = 0
  }
}

/** Votes that come back later. Those of one tick with nearly the same history are counted as one. */
export class CohortCalendar {
  readonly #days = new Map<number, Map<number, Cohort>>()
  readonly #grain: number
  #votes = 0

  /** First attempts within `grain` ticks of each other are the same history; the oldest of them counts. */
  constructor(grain: number) {
    this.#grain = grain
  }

  get votes(): number {
    return this.#votes
  }

  add(cohort: Cohort): void {
    if (cohort.count === 0) return
    const day = this.#days.get(cohort.sent) ?? new Map<number, Cohort>()
    this.#days.set(cohort.sent, day)
    const key = Math.floor(cohort.first / this.#grain) * 16 + cohort.refusals
    const same = day.get(key)
    this.#votes += cohort.count
    if (same) day.set(key, { ...same, first: Math.min(same.first, cohort.first), count: same.count + cohort.count })
    else day.set(key, cohort)
  }

  take(tick: number): Cohort[] {
    const day = this.#days.get(tick)
    if (!day) return []
    this.#days.delete(tick)
    const cohorts = [...day.values()]
    for (const { count } of cohorts) this.#votes -= count
    return cohorts
  }
}

/** Divides whole votes evenly over a number of places: the parts differ by at most one, and none is lost. */
export function evenly(votes: number, places: number): number[] {
  return Array.from({ length: places }, (_, i) => {
    const until = Math.floor((votes * (i + 1)) / places)
    return until - Math.floor((votes * i) / places)
  })
}
