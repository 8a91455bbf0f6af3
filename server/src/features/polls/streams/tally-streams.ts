// features/polls/streams: live tallies as server-sent events.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '../../../base/clock.ts'
import { unavailable } from '../../../base/errors.ts'
import { OnDemandLoop } from '../../../base/work/on-demand-loop.ts'
import type { Deps } from '../../deps.ts'
import type { PollSnapshots } from '../snapshots/poll-snapshots.ts'
import { type Hearer, TallyChannel } from './tally-channel.ts'
import { type Opening, TallyListener } from './tally-listener.ts'

const ROUND_MS = 100
/** Events in a row before yielding: about a millisecond. */
const SLICE = 200
/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15 * SECOND
/** Channels are kept this long for reconnects. */
const FORGOTTEN_MS = 10 * SECOND
const AFTER_FAILURE_MS = SECOND

type Polls = Pick<PollSnapshots, 'find' | 'present'>

/**
 * All live tally streams. A vote sends nothing: every 100 ms a round looks at the watched polls in memory, which votes, their
 * owner, another process and the clock change, and sends each listener what it lacks.
 */
export class TallyStreams {
  readonly #deps: Pick<Deps, 'clock' | 'log'>
  readonly #polls: Polls
  readonly #channels = new Map<number, TallyChannel>()
  readonly #listeners = new Set<TallyListener>()
  readonly #heartbeatMs: number
  readonly #forgottenMs: number
  readonly #ended: Hearer[] = []
  readonly #loop = new OnDemandLoop(
    () => this.#run(),
    (error) => this.#deps.log.error({ err: error }, 'live tallies stopped'),
  )
  #isClosed = false
  #failedAt = Number.NEGATIVE_INFINITY
  readonly counts = { events: 0, tooSlow: 0 }

  constructor(
    deps: Pick<Deps, 'clock' | 'log'>,
    polls: Polls,
    times: { heartbeatMs?: number; forgottenMs?: number } = {},
  ) {
    const { heartbeatMs = HEARTBEAT_MS, forgottenMs = FORGOTTEN_MS } = times
    this.#deps = deps
    this.#polls = polls
    this.#heartbeatMs = heartbeatMs
    this.#forgottenMs = forgottenMs
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** Resolves when there are no listeners and no channels left. */
  idle(): Promise<void> {
    return this.#loop.idle()
  }

  /** Null if the public may not see such a poll. */
  async channel(pollKey: number): Promise<TallyChannel | null> {
    const known = this.#channels.get(pollKey)
    const poll = this.#isClosed
      ? null
      : await this.#polls.find(pollKey).catch((error: unknown) => lastKnown(known, error))
    // The streams may also have been closed in the meantime.
    if (this.#isClosed) throw unavailable(1, { reason: 'the server is stopping' })
    if (!poll) return null
    const channel = this.#channels.get(pollKey) ?? new TallyChannel(pollKey, poll)
    channel.poll = poll
    channel.usedAt = performance.now()
    this.#channels.set(pollKey, channel)
    this.#loop.start()
    return channel
  }

  open(opening: Opening): ReadableStream<Uint8Array> {
    return new TallyListener(this, opening).stream.body
  }

  now(): number {
    return this.#deps.clock.now()
  }

  join(listener: TallyListener): void {
    this.#listeners.add(listener)
    // Spread, because many may have joined at once.
    listener.beatsAt = performance.now() + Math.random() * this.#heartbeatMs
  }

  leave(listener: TallyListener): void {
    this.#listeners.delete(listener)
  }

  noteTooSlow(): void {
    this.counts.tooSlow++
  }

  /** Ends every stream at once, and accepts no more. */
  close(): void {
    this.#isClosed = true
    for (const channel of this.#channels.values()) channel.isOver = true
    for (const listener of [...this.#listeners]) listener.endStream()
    this.#channels.clear()
  }

  /** A poll that was changed here, or may have been elsewhere. While the database is slow, listeners keep the known state. */
  async #readAgain(channel: TallyChannel): Promise<void> {
    if (channel.isReading || performance.now() - this.#failedAt < AFTER_FAILURE_MS) return
    channel.isReading = true
    try {
      const poll = await this.#polls.find(channel.pollKey)
      if (poll) channel.poll = poll
      else this.#endChannel(channel)
    } catch (error) {
      this.#failedAt = performance.now()
      this.#deps.log.warn({ err: error }, 'reading live tallies failed: listeners get the last known state')
    } finally {
      channel.isReading = false
    }
  }

  #endChannel(channel: TallyChannel): void {
    channel.isOver = true
    this.#channels.delete(channel.pollKey)
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
    let sent = 0
    for (const _ of this.#work()) if (++sent % SLICE === 0) await nextTurn()
  }

  *#work(): Generator<void> {
    for (let listener = this.#ended.pop(); listener; listener = this.#ended.pop()) {
      listener.end()
      yield
    }
    for (const channel of this.#channels.values()) {
      this.#refresh(channel)
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
      // Each keeps its own moment in the period, also when a stall has delayed them all.
      listener.beatsAt += this.#heartbeatMs * (1 + Math.floor((now - listener.beatsAt) / this.#heartbeatMs))
      if (now - listener.sentAt < this.#heartbeatMs / 2) continue
      listener.beat()
      yield
    }
  }

  #refresh(channel: TallyChannel): void {
    const poll = this.#polls.present(channel.pollKey)
    if (this.#isForgotten(channel)) this.#endChannel(channel)
    else if (poll) channel.poll = poll
    else void this.#readAgain(channel)
  }

  #isForgotten({ listeners, usedAt }: TallyChannel): boolean {
    return listeners.size === 0 && performance.now() - usedAt > this.#forgottenMs
  }
}

/** While the database is away, a new listener of a watched poll gets the known state too. */
function lastKnown(known: TallyChannel | undefined, error: unknown): TallyChannel['poll'] {
  if (!known) throw error
  return known.poll
}
