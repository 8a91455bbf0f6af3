// features/polls/streams: live tallies as server-sent events.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '../../../base/clock.ts'
import { unavailable } from '../../../base/errors.ts'
import { OnDemandLoop } from '../../../base/work/on-demand-loop.ts'
import type { Counted } from '../../../db/vote-store.ts'
import type { Deps } from '../../deps.ts'
import type { TallyChannel } from './tally-channel.ts'
import { type Audience, type Opening, TallyListener } from './tally-listener.ts'
import { TallyReader } from './tally-reader.ts'

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

const ROUND_MS = 100
/** Events in a row before yielding: about a millisecond. */
const SLICE = 200
/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15 * SECOND
/** Channels are kept this long for reconnects. */
const FORGOTTEN_MS = 10 * SECOND

interface Times {
  readonly heartbeatMs?: number
  readonly forgottenMs?: number
}

/**
 * All live tally streams. A vote sends nothing: every 100 ms a round finds the polls that
 * changed, by votes, their owner, another process or the clock, and sends each listener what it lacks.
 */
export class TallyStreams implements Audience {
  readonly #deps: Pick<Deps, 'engine' | 'clock' | 'log'>
  readonly #channels = new Map<number, TallyChannel>()
  readonly #wheel: HeartbeatWheel<TallyListener>
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

  constructor(deps: Pick<Deps, 'engine' | 'clock' | 'log'>, times: Times = {}) {
    const { heartbeatMs = HEARTBEAT_MS, forgottenMs = FORGOTTEN_MS } = times
    this.#deps = deps
    this.#heartbeatMs = heartbeatMs
    this.#forgottenMs = forgottenMs
    this.#wheel = new HeartbeatWheel(heartbeatMs)
    this.#reader = new TallyReader(deps, this.#channels, (channel) => this.#endChannel(channel))
  }

  get listeners(): number {
    return this.#wheel.size
  }

  /** The polls that have listeners. */
  channels(): Set<TallyChannel> {
    const channels = new Set<TallyChannel>()
    for (const { channel } of this.#wheel.members()) channels.add(channel)
    return channels
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
    this.#wheel.join(listener)
  }

  leave(listener: TallyListener): void {
    const { channel } = listener
    channel.listeners.delete(listener)
    channel.usedAt = performance.now()
    this.#wheel.leave(listener)
  }

  noteTooSlow(): void {
    this.counts.tooSlow++
  }

  /** Ends every stream at once, and accepts no more. */
  close(): void {
    this.#isClosed = true
    for (const channel of this.#channels.values()) channel.isOver = true
    for (const listener of [...this.#wheel.members()]) listener.end()
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
    for (const listener of this.#wheel.turn()) {
      if (performance.now() - listener.sentAt < this.#heartbeatMs / 2) continue
      listener.beat()
      yield
    }
  }

  #isForgotten({ isRead, listeners, usedAt }: TallyChannel): boolean {
    return isRead && listeners.size === 0 && performance.now() - usedAt > this.#forgottenMs
  }
}
