const SLOTS = 150

/** Visits each member once in a period, spread evenly even if all joined at once. */
export class HeartbeatWheel<Member> {
  readonly #slots = Array.from({ length: SLOTS }, () => new Set<Member>())
  readonly #places = new Map<Member, Set<Member>>()
  readonly #slotMs: number
  #turnedTo: number

  constructor(periodMs: number, now = performance.now()) {
    this.#slotMs = periodMs / SLOTS
    this.#turnedTo = Math.floor(now / this.#slotMs)
  }

  get size(): number {
    return this.#places.size
  }

  members(): Iterable<Member> {
    return this.#places.keys()
  }

  join(member: Member): void {
    const slot = this.#slots[Math.floor(Math.random() * SLOTS)]
    slot?.add(member)
    if (slot) this.#places.set(member, slot)
  }

  leave(member: Member): void {
    this.#places.get(member)?.delete(member)
    this.#places.delete(member)
  }

  /** The members that are due since the last call; each at most once. */
  *turn(now = performance.now()): Generator<Member> {
    const to = Math.floor(now / this.#slotMs)
    for (let at = Math.max(this.#turnedTo + 1, to - SLOTS + 1); at <= to; at++) {
      this.#turnedTo = at
      yield* this.#slots[at % SLOTS] ?? []
    }
  }
}
