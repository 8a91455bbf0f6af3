import { SECOND } from '../../../base/clock.ts'
import type { Deps } from '../../deps.ts'
import { type TallyRow, tallyRows } from '../queries.ts'
import { type TallyChannel, tallyFrame } from './tally-channel.ts'

/** Streams of a healthy server are at most a second behind. */
const BEHIND_MS = 5 * SECOND
const LOG_EVERY_MS = 60 * SECOND
const BATCH = 500

interface Watched {
  channels(): Iterable<TallyChannel>
}

interface Expected {
  readonly frameId: string
  readonly since: number
}

/**
 * Finds streams that were sent nothing for 5 seconds although their poll changed. Reads the polls itself, independent of the
 * loop and the reader that feed the streams, so it notices when one of those stops.
 */
export class StreamWatchdog {
  readonly #deps: Pick<Deps, 'engine' | 'log'>
  readonly #streams: Watched
  readonly #behindMs: number
  readonly #expected = new WeakMap<TallyChannel, Expected>()
  #lookedAt = Number.NEGATIVE_INFINITY
  #loggedAt = Number.NEGATIVE_INFINITY
  /** Streams that were behind at the last look. */
  behind = 0

  constructor(deps: Pick<Deps, 'engine' | 'log'>, streams: Watched, behindMs = BEHIND_MS) {
    this.#deps = deps
    this.#streams = streams
    this.#behindMs = behindMs
  }

  /** Compares with the polls read by the previous look. Does nothing if called sooner than a stream can be behind. */
  async look(now: number): Promise<void> {
    const since = performance.now()
    if (since - this.#lookedAt < this.#behindMs) return
    this.#lookedAt = since
    const channels = [...this.#streams.channels()]
    let [streams, polls] = [0, 0]
    for (let at = 0; at < channels.length; at += BATCH) {
      const batch = channels.slice(at, at + BATCH)
      const rows = await tallyRows(
        this.#deps.engine.db,
        batch.map(({ pollKey }) => pollKey),
      )
      const rowOf = new Map(rows.map((row) => [row.key, row]))
      for (const channel of batch) {
        const present = { frameId: frameIdOf(rowOf.get(channel.pollKey), now), since }
        const behind = this.#behindOf(channel, present)
        streams += behind
        if (behind > 0) polls++
      }
    }
    this.behind = streams
    if (streams > 0) this.#log(streams, polls)
  }

  #behindOf(channel: TallyChannel, present: Expected): number {
    const expected = this.#expected.get(channel)
    this.#expected.set(channel, present)
    if (!expected) return 0
    let behind = 0
    for (const { frameId, sentAt } of channel.listeners) {
      const isTold = sentAt >= expected.since || frameId === expected.frameId || frameId === present.frameId
      if (!isTold) behind++
    }
    return behind
  }

  #log(streams: number, polls: number): void {
    const now = performance.now()
    if (now - this.#loggedAt < LOG_EVERY_MS) return
    this.#loggedAt = now
    this.#deps.log.error({ streams, polls }, `live tallies are more than ${this.#behindMs} ms behind their polls`)
  }
}

/** Empty for a poll that the public may not see: its streams should have ended. */
const frameIdOf = (row: TallyRow | undefined, now: number): string => (row ? tallyFrame(row, now).id : '')
