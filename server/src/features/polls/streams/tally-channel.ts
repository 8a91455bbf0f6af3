import type { Counted } from '../../../db/vote-store.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import { presentPollTallies } from '../present-poll.ts'
import type { TallyRow } from '../queries.ts'
import { holdsAt, statusChangesAt } from '../status.ts'

/** A tallies event as bytes, shared by all listeners. */
export interface TallyFrame {
  /** A hash of the content alone, so that it reveals nothing else and is equal on every server. */
  readonly id: string
  readonly text: string
  readonly bytes: Uint8Array
  readonly madeAt: number
  /** When the clock changes its content. */
  readonly changesAt: number | null
}

export function tallyFrame(row: TallyRow, now: number): TallyFrame {
  const data = JSON.stringify(presentPollTallies(row, 'public', now))
  const id = etagOf(data).slice(1, -1)
  const text = `id: ${id}\nevent: tallies\ndata: ${data}\n\n`
  return { id, text, bytes: Buffer.from(text), madeAt: now, changesAt: statusChangesAt(row, now) }
}

/** At most two events in any second, with a margin for network jitter. */
const EVENT_GAP_MS = 600

export interface Hearer {
  /** The last frame that the listener has. */
  readonly frameId: string
  readonly sentAt: number
  send(frame: TallyFrame): void
  end(): void
}

/** A watched poll: its present state and its listeners. */
export class TallyChannel {
  readonly listeners = new Set<Hearer>()
  /** The last request or leave, to expire unused channels. */
  usedAt = performance.now()
  /** The public may no longer see the poll, or the channel is unused. New listeners must reconnect. */
  isOver = false
  readonly pollKey: number
  #row: TallyRow | null = null
  #readAs = 0
  /** Votes that were counted before the poll was loaded. */
  #counted: Counted | null = null
  #frame: TallyFrame | null = null
  #isChanged = false
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(pollKey: number) {
    this.pollKey = pollKey
  }

  /** Accepts a row that was read. `readAs` numbers the reads, because a later one may finish first. */
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

  /** False until the first row has been read. */
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

  /** Yields after each event, so that the sender can yield to the event loop. Each listener gets the state at its turn. */
  *sendAll(now: () => number): Generator<void> {
    this.#isChanged = false
    for (const listener of this.listeners) {
      const frame = this.frame(now())
      if (listener.frameId === frame.id) continue
      if (performance.now() - listener.sentAt < EVENT_GAP_MS) {
        // It just joined and got the state of that moment: the next event brings the rest.
        this.#isChanged = true
        continue
      }
      listener.send(frame)
      // Only sent events count: hidden votes must not delay visible changes.
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
