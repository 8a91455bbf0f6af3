import { setTimeout as pause } from 'node:timers/promises'
import { reasonOf } from '../base/errors.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/store.ts'
import { type CdnPlace, PurgeRefused, purgeAt } from './cdn-request.ts'
import type { Changes, PublicChange } from './changes.ts'
import { GatheredChanges } from './gathered-changes.ts'

const MOST_ATTEMPTS = 4
/** Fastly takes 256; a header of 100 fits into the 8 KB that most servers read. */
const KEYS_AT_ONCE = 100

export interface PurgeTimes {
  /** From the first change until its request, which also has the keys of what changes meanwhile. */
  readonly gatherMs: number
  readonly timeoutMs: number
  /** Before the second attempt; each further one waits twice as long. */
  readonly backoffMs: number
  /** The time for the remaining requests when the process stops. */
  readonly stopMs: number
}

const TIMES: PurgeTimes = { gatherMs: 100, timeoutMs: 5_000, backoffMs: 1_000, stopMs: 2_000 }

interface Surroundings {
  readonly db: Db
  readonly log: { warn(fields: { reason: string }, message: string): void }
  readonly times?: Partial<PurgeTimes>
}

/** Surrogate keys, by what became of their purge. */
export interface PurgeCounts {
  purged: number
  failed: number
}

const noPurges = (): PurgeCounts => ({ purged: 0, failed: 0 })

/**
 * Tells a CDN which answers the transactions of this process changed: one request at a time, and no write waits for it. What the CDN
 * does not take in a few attempts is dropped, because its copy ends by itself.
 */
export class CdnPurges {
  readonly #place: CdnPlace
  readonly #surroundings: Surroundings
  readonly #times: PurgeTimes
  readonly #stopping = new AbortController()
  /** Ends the requests themselves, later than `#stopping`. */
  readonly #ended = new AbortController()
  #gathered = new GatheredChanges()
  #running: Promise<void> | null = null
  readonly counts = noPurges()

  constructor(place: CdnPlace, surroundings: Surroundings) {
    this.#place = place
    this.#surroundings = surroundings
    this.#times = { ...TIMES, ...surroundings.times }
  }

  note(change: PublicChange): void {
    this.#gathered.add(change)
    this.#running ??= this.#run()
  }

  /** Sends what is left, each once, but for no longer than `stopMs`. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const late = setTimeout(() => this.#ended.abort(), this.#times.stopMs)
    await this.#running
    clearTimeout(late)
  }

  async #run(): Promise<void> {
    while (this.#gathered.size > 0) {
      await this.#pause(this.#times.gatherMs)
      const changes = this.#gathered
      this.#gathered = new GatheredChanges()
      await this.#purge(changes)
    }
    this.#running = null
  }

  async #purge(changes: GatheredChanges): Promise<void> {
    const keys: string[] = []
    const areRead = await this.#succeeds(async () => {
      keys.push(...(await changes.surrogateKeys(this.#surroundings.db)))
    })
    if (!areRead) this.counts.failed += changes.size
    for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
      const some = keys.slice(at, at + KEYS_AT_ONCE)
      const isPurged = await this.#succeeds(() => purgeAt(this.#place, some, this.#deadline()))
      this.counts[isPurged ? 'purged' : 'failed'] += some.length
    }
  }

  async #succeeds(work: () => Promise<void>): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await work()
        return true
      } catch (error) {
        // While the process stops there is no time for a second attempt.
        const isLast = error instanceof PurgeRefused || attempt >= MOST_ATTEMPTS || this.#stopping.signal.aborted
        if (isLast) {
          this.#surroundings.log.warn({ reason: reasonOf(error) }, 'a change was not purged from the CDN')
          return false
        }
        await this.#pause(this.#times.backoffMs * 2 ** (attempt - 1))
      }
    }
  }

  #deadline(): AbortSignal {
    return AbortSignal.any([this.#ended.signal, AbortSignal.timeout(this.#times.timeoutMs)])
  }

  /** Ends early when the process stops. */
  #pause(milliseconds: number): Promise<void> {
    return pause(milliseconds, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined)
  }
}

/** Does nothing without CDN_PURGE_URL. */
export function purgeChanges(
  { cdnPurgeUrl: url, cdnPurgeHeaders: headers }: Pick<Config, 'cdnPurgeUrl' | 'cdnPurgeHeaders'>,
  changes: Changes,
  surroundings: Surroundings,
): Pick<CdnPurges, 'counts' | 'stop'> {
  if (url === null) return { counts: noPurges(), stop: () => Promise.resolve() }
  const purges = new CdnPurges({ url, headers }, surroundings)
  changes.subscribe({ changedHere: (change) => purges.note(change) })
  return purges
}
