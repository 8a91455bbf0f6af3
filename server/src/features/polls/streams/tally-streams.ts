// features/polls/streams: live tallies as server-sent events.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '../../../base/clock.ts'
import { unavailable } from '../../../base/errors.ts'
import { OnDemandLoop } from '../../../base/work/on-demand-loop.ts'
import type { Counted } from '../../../db/vote-store.ts'
import { EventStream, type StreamUser } from '../../../http/answers/event-stream.ts'
import type { Deps } from '../../deps.ts'
import type { TallyChannel, TallyFrame } from './tally-channel.ts'
import { TallyReader } from './tally-reader.ts'

const ROUND_MS = 100
/** Events in a row before yielding: about a millisecond. */
const SLICE = 200
/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15 * SECOND
/** Channels are kept this long for reconnects. */
const FORGOTTEN_MS = 10 * SECOND

/**
 * All live tally streams. A vote sends nothing: every 100 ms a round finds the polls that
 * changed, by votes, their owner, another process or the clock, and sends each listener what it lacks.
 */
export class TallyStreams {
  readonly #deps: Pick<Deps, 'engine' | 'clock' | 'log'>
  readonly #channels = new Map<number, TallyChannel>()
  readonly #listeners = new Set<TallyListener>()
  readonly #heartbeatMs: number
  readonly #forgottenMs: number
  readonly #reader: TallyReader
  readonly #ended: { end(): void }[] = []
  readonly #loop = new OnDemandLoop(
    () => this.#run(),
    (error) => this.#deps.log.error({ err: error }, 'live tallies stopped'),
  )
  #isClosed = false
  readonly counts = { events: 0, tooSlow: 0 }

  constructor(
    deps: Pick<Deps, 'engine' | 'clock' | 'log'>,
    times: { heartbeatMs?: number; forgottenMs?: number } = {},
  ) {
    const { heartbeatMs = HEARTBEAT_MS, forgottenMs = FORGOTTEN_MS } = times
    this.#deps = deps
    this.#heartbeatMs = heartbeatMs
    this.#forgottenMs = forgottenMs
    this.#reader = new TallyReader(deps, this.#channels, (channel) => this.#endChannel(channel))
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** The polls that have listeners. */
  channels(): Set<TallyChannel> {
    return new Set(this.#listeners.values().map(({ channel }) => channel))
  }

  /** Resolves when there are no listeners and no channels left. */
  idle(): Promise<void> {
    return this.#loop.idle()
  }

  /** Null if the public may not see such a poll. */
  async channel(pollKey: number): Promise<TallyChannel | null> {
    if (this.#isClosed) throw unavailable(1, { reason: 'the server is stopping' })
    const channel = await this.#reader.find(pollKey)
    // The streams may have been closed in the meantime.
    if (this.#isClosed) throw unavailable(1, { reason: 'the server is stopping' })
    this.#loop.start()
    return channel
  }

  open(opening: Opening): ReadableStream<Uint8Array> {
    return new TallyListener(this, opening).stream.body
  }

  count(counts: ReadonlyMap<number, Counted>): void {
    for (const [pollKey, counted] of counts) this.#channels.get(pollKey)?.count(counted)
  }

  /** Called when the owner changed the poll, or the outcome of its votes is unknown. */
  reread(pollKey: number): void {
    if (this.#channels.has(pollKey)) this.#reader.want(pollKey)
  }

  now(): number {
    return this.#deps.clock.now()
  }

  join(listener: TallyListener): void {
    listener.channel.listeners.add(listener)
    this.#listeners.add(listener)
    // Spread, because many may have joined at once.
    listener.beatsAt = performance.now() + Math.random() * this.#heartbeatMs
  }

  leave(listener: TallyListener): void {
    const { channel } = listener
    channel.listeners.delete(listener)
    channel.usedAt = performance.now()
    this.#listeners.delete(listener)
  }

  noteTooSlow(): void {
    this.counts.tooSlow++
  }

  /** Ends every stream at once, and accepts no more. */
  close(): void {
    this.#isClosed = true
    for (const channel of this.#channels.values()) channel.isOver = true
    for (const listener of [...this.#listeners]) listener.end()
    this.#channels.clear()
  }

  #endChannel(channel: TallyChannel): void {
    channel.isOver = true
    for (const listener of channel.listeners) this.#ended.push(listener)
  }

  async #run(): Promise<void> {
    while (this.#channels.size > 0 || this.#ended.length > 0) {
      try {
        await this.#round()
      } catch (error) {
        this.#deps.log.error({ err: error }, 'a round of live tallies failed')
        await pause(SECOND, undefined, { ref: false })
      }
      await pause(ROUND_MS, undefined, { ref: false })
    }
  }

  async #round(): Promise<void> {
    this.#reader.readWhatChanged()
    let sent = 0
    for (const _ of this.#work()) if (++sent % SLICE === 0) await nextTurn()
  }

  *#work(): Generator<void> {
    for (let listener = this.#ended.pop(); listener; listener = this.#ended.pop()) {
      listener.end()
      yield
    }
    for (const [pollKey, channel] of this.#channels) {
      if (this.#isForgotten(channel)) {
        this.#channels.delete(pollKey)
        channel.isOver = true
      }
      if (!channel.isOver && channel.isDue(this.now())) {
        for (const _ of channel.sendAll(() => this.now())) {
          this.counts.events++
          yield
        }
      }
    }
    for (const listener of this.#listeners) {
      const now = performance.now()
      if (now < listener.beatsAt) continue
      listener.beatsAt = now + this.#heartbeatMs
      if (now - listener.sentAt < this.#heartbeatMs / 2) continue
      listener.beat()
      yield
    }
  }

  #isForgotten({ isRead, listeners, usedAt }: TallyChannel): boolean {
    return isRead && listeners.size === 0 && performance.now() - usedAt > this.#forgottenMs
  }
}

/** Random for each listener, so that a crowd that lost its server does not reconnect at once. */
const RETRY_FROM_MS = 2_000
const RETRY_WITHIN_MS = 3_000

const HEARTBEAT = Buffer.from(':\n\n')

interface Opening {
  readonly channel: TallyChannel
  readonly lastEventId: string
  /** Called exactly once at the end of the stream. */
  readonly onEnd: () => void
}

/** One reader of a poll's tallies, with its last frame and the time of it. */
class TallyListener implements StreamUser {
  readonly stream = new EventStream(this)
  readonly channel: TallyChannel
  readonly #streams: TallyStreams
  readonly #onEnd: () => void
  frameId: string
  sentAt = Number.NEGATIVE_INFINITY
  /** When the next heartbeat is due. */
  beatsAt = 0

  constructor(streams: TallyStreams, { channel, lastEventId, onEnd }: Opening) {
    this.#streams = streams
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
    const frame = this.channel.frame(this.#streams.now())
    const retry = `retry: ${RETRY_FROM_MS + Math.floor(Math.random() * RETRY_WITHIN_MS)}\n\n`
    this.#streams.join(this)
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
    this.#streams.leave(this)
    this.#onEnd()
  }

  #sent({ id }: TallyFrame): void {
    this.frameId = id
    this.sentAt = performance.now()
  }

  #write(bytes: Uint8Array | string): void {
    if (!this.stream.write(bytes)) this.#streams.noteTooSlow()
  }
}
