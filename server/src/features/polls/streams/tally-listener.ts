import { EventStream, type StreamUser } from '../../../http/answers/event-stream.ts'
import type { Hearer, TallyChannel, TallyFrame } from './tally-channel.ts'

/** Random for each listener, so that a crowd that lost its server does not reconnect at once. */
const RETRY_FROM_MS = 2_000
const RETRY_WITHIN_MS = 3_000

const HEARTBEAT = Buffer.from(':\n\n')

/** The reader of several polls learns that one of them cannot be seen: there is none, or no longer. */
const goneFrame = (poll: string): string => `event: gone\ndata: ${JSON.stringify({ poll })}\n\n`

/** A poll to listen to, and the name that the reader has for it. */
export interface Watched {
  readonly channel: TallyChannel
  readonly reference: string
}

export interface Opening {
  readonly watched: readonly Watched[]
  /** The polls of the request that cannot be seen. Null for the stream of one poll, which ends with its poll and says no more. */
  readonly missing: readonly string[] | null
  readonly lastEventId: string
  /** Called exactly once at the end of the stream. */
  readonly onEnd: () => void
}

/** All streams, which a listener joins when its response has begun. */
interface Streams {
  now(): number
  join(listener: TallyListener): void
  leave(listener: TallyListener): void
  noteTooSlow(): void
}

/** One connection and the polls that its reader listens to. */
export class TallyListener implements StreamUser {
  readonly stream = new EventStream(this)
  readonly #streams: Streams
  #seats: readonly Seat[]
  readonly #missing: readonly string[] | null
  readonly #onEnd: () => void
  sentAt = Number.NEGATIVE_INFINITY
  /** When the next heartbeat is due. */
  beatsAt = 0

  constructor(streams: Streams, { watched, missing, lastEventId, onEnd }: Opening) {
    this.#streams = streams
    this.#seats = watched.map((each) => new Seat(this, each, lastEventId))
    this.#missing = missing
    this.#onEnd = onEnd
  }

  /** The present state of each poll; none of a poll whose present state the reader has. */
  opened(): void {
    const retry = `retry: ${RETRY_FROM_MS + Math.floor(Math.random() * RETRY_WITHIN_MS)}\n\n`
    const first = [retry, ...(this.#missing ?? []).map(goneFrame)]
    const now = this.#streams.now()
    for (const seat of this.#seats)
      if (!seat.channel.isOver) first.push(seat.take(now))
      else if (this.#missing) first.push(goneFrame(seat.reference))
    this.#seats = this.#seats.filter(({ channel }) => !channel.isOver)
    if (this.#seats.length === 0) {
      this.endStream()
      return
    }
    this.#streams.join(this)
    this.write(first.join(''))
  }

  write(bytes: Uint8Array | string): void {
    this.sentAt = performance.now()
    if (!this.stream.write(bytes)) this.#streams.noteTooSlow()
  }

  beat(): void {
    this.write(HEARTBEAT)
  }

  /** A poll is gone; the stream ends with its last poll. */
  lose(seat: Seat): void {
    if (!this.#seats.includes(seat)) return
    this.#seats = this.#seats.filter((each) => each !== seat)
    if (this.#missing) this.write(goneFrame(seat.reference))
    if (this.#seats.length === 0) this.endStream()
  }

  endStream(): void {
    this.stream.end()
  }

  gone(): void {
    for (const seat of this.#seats) seat.leave()
    this.#streams.leave(this)
    this.#onEnd()
  }
}

/** A listener in the channel of one poll, with the last frame of that poll and the time of it. */
class Seat implements Hearer {
  readonly channel: TallyChannel
  readonly reference: string
  readonly #listener: TallyListener
  frameId: string
  sentAt = Number.NEGATIVE_INFINITY

  constructor(listener: TallyListener, { channel, reference }: Watched, frameId: string) {
    this.#listener = listener
    this.channel = channel
    this.reference = reference
    this.frameId = frameId
  }

  /** Joins the channel. Returns the text of the present state; empty if the reader has it. */
  take(now: number): string {
    const frame = this.channel.frame(now)
    const text = frame.id === this.frameId ? '' : frame.text
    this.channel.listeners.add(this)
    this.#sent(frame)
    return text
  }

  send(frame: TallyFrame): void {
    this.#sent(frame)
    this.#listener.write(frame.bytes)
  }

  end(): void {
    this.leave()
    this.#listener.lose(this)
  }

  leave(): void {
    this.channel.listeners.delete(this)
    this.channel.usedAt = performance.now()
  }

  #sent({ id }: TallyFrame): void {
    this.frameId = id
    this.sentAt = performance.now()
  }
}
