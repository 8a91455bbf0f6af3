/** Times in ascending order: added at the end, forgotten at the start, both at a cost that does not grow with their number. */
export class Moments {
  #times: number[]
  /** Times before this index are forgotten. */
  #first = 0

  constructor(...times: number[]) {
    this.#times = times
  }

  get length(): number {
    return this.#times.length - this.#first
  }

  get oldest(): number | undefined {
    return this.#times[this.#first]
  }

  add(time: number): void {
    this.#times.push(time)
  }

  forgetBefore(start: number): void {
    const times = this.#times
    while (this.#first < times.length && (times[this.#first] as number) < start) this.#first++
    if (2 * this.#first <= times.length) return
    // Copies fewer times than were forgotten since the last copy.
    this.#times = times.slice(this.#first)
    this.#first = 0
  }

  /** Removes one of the times that equal this one. */
  remove(time: number): void {
    const at = this.#times.lastIndexOf(time)
    if (at >= this.#first) this.#times.splice(at, 1)
  }
}
