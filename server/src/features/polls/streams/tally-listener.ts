import { EventStream, type StreamUser } from '../../../http/answers/event-stream.ts'
import type { TallyChannel, TallyFrame } from './tally-channel.ts'

/** Random for each listener, so that a crowd that lost its server does not reconnect at once. */
const RETRY_FROM_MS = 2_000
const RETRY_WITHIN_MS = 3_000

const HEARTBEAT = Buffer.from(':\n\n')

/** The registry of listeners. */
export interface Audience {
  now(): number
  join(listener: TallyListener): void
  leave(listener: TallyListener): void
  noteTooSlow(): void
}

export interface Opening {
  readonly channel: TallyChannel
  readonly lastEventId: string
  /** Called exactly once at the end of the stream. */
  readonly onEnd: () => void
}

/** One reader of a poll's tallies, with its last frame and the time of it. */
export class TallyListener implements StreamUser {
  readonly stream = new EventStream(this)
  readonly channel: TallyChannel
  readonly #audience: Audience
  readonly #onEnd: () => void
  frameId: string
  sentAt = Number.NEGATIVE_INFINITY

  constructor(audience: Audience, { channel, lastEventId, onEnd }: Opening) {
    this.#audience = audience
    this.channel = channel
    this.frameId = lastEventId
    this.#onEnd = onEnd
  }

  /** A reader that has the present state only gets the retry delay. */
  opened(): void {
    if (this.channel.isOver) {
      this.end()
      return
    }
    const frame = this.channel.frame(this.#audience.now())
    const retry = `retry: ${RETRY_FROM_MS + Math.floor(Math.random() * RETRY_WITHIN_MS)}\n\n`
    this.#audience.join(this)
    this.#write(frame.id === this.frameId ? retry : retry + frame.text)
    this.#sent(frame)
  }

  send(frame: TallyFrame): void {
    this.#write(frame.bytes)
    this.#sent(frame)
  }

  beat(): void {
    this.#write(HEARTBEAT)
  }

  end(): void {
    this.stream.end()
  }

  gone(): void {
    this.#audience.leave(this)
    this.#onEnd()
  }

  #sent({ id }: TallyFrame): void {
    this.frameId = id
    this.sentAt = performance.now()
  }

  #write(bytes: Uint8Array | string): void {
    if (!this.stream.write(bytes)) this.#audience.noteTooSlow()
  }
}
