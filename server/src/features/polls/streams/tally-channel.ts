import type { Ready } from '../../../http/answers/answer.ts'
import type { Snapshot } from '../snapshots/snapshot.ts'

/** A tallies event as bytes, shared by all listeners. */
export interface TallyFrame {
  /** A hash of the content alone, so that it reveals nothing else and is equal on every server. */
  readonly id: string
  readonly text: string
  readonly bytes: Uint8Array
}

const ENVELOPE = '{"data":'

/** The data of the answer to `GET /polls/{slug}/tallies`. */
function frameOf({ body, etag }: Ready): TallyFrame {
  const id = etag.slice(1, -1)
  const text = `id: ${id}\nevent: tallies\ndata: ${body.slice(ENVELOPE.length, -1)}\n\n`
  return { id, text, bytes: Buffer.from(text) }
}

/** At most two events in any second, with a margin for network jitter. */
const EVENT_GAP_MS = 600

/** A listener's place in the channel of one poll. */
export interface Hearer {
  /** The last frame that the listener has. */
  readonly frameId: string
  readonly sentAt: number
  send(frame: TallyFrame): void
  /** The public may no longer see the poll. */
  end(): void
}

/** A watched poll and its listeners. */
export class TallyChannel {
  readonly listeners = new Set<Hearer>()
  /** The last request or leave, to expire unused channels. */
  usedAt = performance.now()
  /** The public may no longer see the poll, or the channel is unused. New listeners must reconnect. */
  isOver = false
  /** The poll as it was last in memory. */
  poll: Pick<Snapshot, 'tallies'>
  /** The poll is being read again; listeners keep the known state. */
  isReading = false
  readonly pollKey: number
  #made: { readonly answer: Ready; readonly frame: TallyFrame } | null = null
  /** The frame that all listeners have, but those of later rounds. */
  #toldId = ''
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(pollKey: number, poll: Pick<Snapshot, 'tallies'>) {
    this.pollKey = pollKey
    this.poll = poll
  }

  frame(now: number): TallyFrame {
    const answer = this.poll.tallies(now)
    if (this.#made?.answer !== answer) this.#made = { answer, frame: frameOf(answer) }
    return this.#made.frame
  }

  isDue(now: number): boolean {
    return performance.now() - this.#sentAt >= EVENT_GAP_MS && this.frame(now).id !== this.#toldId
  }

  /** Yields after each event, so that the sender can yield to the event loop. Each listener gets the state at its turn. */
  *sendAll(now: () => number): Generator<void> {
    this.#toldId = this.frame(now()).id
    for (const listener of this.listeners) {
      const frame = this.frame(now())
      if (listener.frameId === frame.id) continue
      if (performance.now() - listener.sentAt < EVENT_GAP_MS) {
        // It just joined and got the state of that moment: the next event brings the rest.
        this.#toldId = ''
        continue
      }
      listener.send(frame)
      // Only sent events count: hidden votes must not delay visible changes.
      this.#sentAt = performance.now()
      yield
    }
  }
}
