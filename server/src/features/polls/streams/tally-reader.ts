import { SECOND } from '../../../base/clock.ts'
import { OnDemandLoop } from '../../../base/work/on-demand-loop.ts'
import { SingleFlight } from '../../../base/work/single-flight.ts'
import type { Deps } from '../../deps.ts'
import { tallyRows } from '../queries.ts'
import { TallyChannel } from './tally-channel.ts'

const BATCH = 500
const AFTER_FAILURE_MS = SECOND

/**
 * Keeps watched polls in step with the database: reads a poll at its first request and when it was changed
 * here, and all of them in batches when another process may have changed one.
 */
export class TallyReader {
  readonly #deps: Pick<Deps, 'engine' | 'log'>
  readonly #channels: Map<number, TallyChannel>
  readonly #onGone: (channel: TallyChannel) => void
  readonly #loading = new SingleFlight<number, TallyChannel | null>()
  readonly #wanted = new Set<number>()
  readonly #readingWanted = new OnDemandLoop(
    () => this.#readWanted(),
    (error) => this.#deps.log.error({ err: error }, 'reading live tallies failed'),
  )
  #readings = 0
  #epoch = Number.NaN
  #failedAt = Number.NEGATIVE_INFINITY

  /** `onGone` is called for a poll that the public may no longer see, after it was removed from `channels`. */
  constructor(
    deps: Pick<Deps, 'engine' | 'log'>,
    channels: Map<number, TallyChannel>,
    onGone: (channel: TallyChannel) => void,
  ) {
    this.#deps = deps
    this.#channels = channels
    this.#onGone = onGone
  }

  async find(pollKey: number): Promise<TallyChannel | null> {
    // A channel that is still loading is in `channels` too, but has no state yet.
    const kept = this.#loading.has(pollKey) ? undefined : this.#channels.get(pollKey)
    if (!kept) return this.#loading.run(pollKey, () => this.#load(pollKey))
    kept.usedAt = performance.now()
    return kept
  }

  want(pollKey: number): void {
    this.#wanted.add(pollKey)
  }

  /** Runs in the background: while the database is slow, listeners keep the known state. */
  readWhatChanged(): void {
    const epoch = this.#deps.engine.epoch()
    if (epoch !== this.#epoch) for (const pollKey of this.#channels.keys()) this.#wanted.add(pollKey)
    this.#epoch = epoch
    if (this.#wanted.size === 0 || performance.now() - this.#failedAt < AFTER_FAILURE_MS) return
    this.#readingWanted.start()
  }

  /** Registered while it loads, so that votes counted meanwhile are not missed. */
  async #load(pollKey: number): Promise<TallyChannel | null> {
    const channel = new TallyChannel(pollKey)
    this.#channels.set(pollKey, channel)
    try {
      await this.#read([pollKey])
    } catch (error) {
      this.#channels.delete(pollKey)
      throw error
    }
    return this.#channels.get(pollKey) === channel ? channel : null
  }

  async #readWanted(): Promise<void> {
    while (this.#wanted.size > 0) {
      const keys = [...this.#wanted].slice(0, BATCH)
      for (const key of keys) this.#wanted.delete(key)
      try {
        await this.#read(keys)
      } catch (error) {
        for (const key of keys) this.#wanted.add(key)
        this.#failedAt = performance.now()
        this.#deps.log.warn({ err: error }, 'reading live tallies failed: listeners get the last known state')
        return
      }
    }
  }

  async #read(keys: readonly number[]): Promise<void> {
    const readAs = ++this.#readings
    const rows = new Map((await tallyRows(this.#deps.engine.db, keys)).map((row) => [row.key, row]))
    for (const key of keys) {
      const channel = this.#channels.get(key)
      const row = rows.get(key)
      if (row) channel?.show(row, readAs)
      else if (channel) {
        this.#channels.delete(key)
        this.#onGone(channel)
      }
    }
  }
}
