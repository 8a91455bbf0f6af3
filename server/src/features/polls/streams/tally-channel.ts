import type { Counted } from '../../../db/vote-store.ts'
import type { TallyRow } from '../queries.ts'
import { holdsAt, type TallyFrame, tallyFrame } from './tally-frame.ts'

/** Two events in any second, with room for a busy moment between us and the reader. */
const EVENT_GAP_MS = 600

export interface Hearer {
  /** The state that it knows. */
  readonly frameId: string
  readonly sentAt: number
  send(frame: TallyFrame): void
  end(): void
}

/** A poll that is listened to: what it says now, and who has heard what. */
export class TallyChannel {
  readonly listeners = new Set<Hearer>()
  /** When it was last asked for or left, to tell when it can be forgotten. */
  usedAt = performance.now()
  /** The public may no longer see it, or nobody wants it any more: a listener that comes now is told to come again. */
  isOver = false
  readonly pollKey: number
  #row: TallyRow | null = null
  #readAs = 0
  /** Votes that were counted before the poll had been read. */
  #counted: Counted | null = null
  #frame: TallyFrame | null = null
  #isChanged = false
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(pollKey: number) {
    this.pollKey = pollKey
  }

  /** What was read; `readAs` is the number of the reading, for one may overtake another. */
  show(row: TallyRow, readAs: number): void {
    if (readAs < this.#readAs) return
    this.#readAs = readAs
    const known = this.#row ?? this.#counted
    const isNewer = known === null || row.version >= known.version
    this.#set(isNewer ? row : { ...row, ...countsOf(known) })
  }

  count(counted: Counted): void {
    const known = this.#row ?? this.#counted
    if (known && counted.version <= known.version) return
    if (this.#row) this.#set({ ...this.#row, ...counted })
    else this.#counted = counted
  }

  /** Whether there is something to show. */
  get isRead(): boolean {
    return this.#row !== null
  }

  frame(now: number): TallyFrame {
    if (!this.#row) throw new Error('a poll was to be shown before it was read')
    if (!this.#frame || !holdsAt(this.#frame, now)) this.#frame = tallyFrame(this.#row, now)
    return this.#frame
  }

  isDue(now: number): boolean {
    const isOutdated = this.#isChanged || (this.#frame !== null && !holdsAt(this.#frame, now))
    return isOutdated && performance.now() - this.#sentAt >= EVENT_GAP_MS
  }

  /** Yields after each event, so that the sender can give others their turn; each gets what is true by then. */
  *sendAll(now: () => number): Generator<void> {
    this.#isChanged = false
    for (const listener of this.listeners) {
      const frame = this.frame(now())
      if (listener.frameId === frame.id) continue
      if (performance.now() - listener.sentAt < EVENT_GAP_MS) {
        // It came a moment ago and was told what was true then: it hears the rest with the next event.
        this.#isChanged = true
        continue
      }
      listener.send(frame)
      // Only what is sent counts: votes whose results are hidden may not delay what is shown.
      this.#sentAt = performance.now()
      yield
    }
  }

  #set(row: TallyRow): void {
    this.#row = row
    this.#frame = null
    this.#isChanged = true
  }
}

const countsOf = ({ option_a, option_b, version, counted_at }: Counted): Counted => ({
  option_a,
  option_b,
  version,
  counted_at,
})
