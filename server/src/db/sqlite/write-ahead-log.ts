import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { reasonOf } from '../../base/errors.ts'
import { OnDemandLoop } from '../../base/on-demand-loop.ts'
import { OutcomeUnknown } from '../vote-store.ts'

const syncData = promisify(fdatasync)

/**
 * Makes durable what SQLite has written to its log, outside the event loop: others are served while the disk works.
 * One sync serves all who asked before it began.
 */
export class WriteAheadLog {
  readonly #path: string
  readonly #sync: (fd: number) => Promise<void>
  #fd: number | null = null
  /** The sync that runs, and the one that those wait for who asked since it began. */
  #running: Promise<void> | null = null
  #next: PromiseWithResolvers<void> | null = null
  readonly #syncs = new OnDemandLoop(() => this.#run())
  #isBroken = false

  constructor(path: string, sync: (fd: number) => Promise<void> = syncData) {
    this.#path = path
    this.#sync = sync
  }

  /** Resolves when all that was written before the call is on the disk. */
  makeDurable(): Promise<void> {
    this.#next ??= Promise.withResolvers()
    const { promise } = this.#next
    this.#syncs.start()
    return promise
  }

  /** As `makeDurable`, for who has written nothing: waits for those who have. */
  whenDurable(): Promise<void> {
    return this.#next?.promise ?? this.#running ?? Promise.resolve()
  }

  /**
   * Call it before anything is written. A failed sync is final: nobody knows what the disk holds, and a later success would
   * say nothing about it. A log that cannot be opened now, for want of descriptors, is opened by a later call.
   */
  assertSound(): void {
    if (this.#isBroken) throw new LogBroken('The log could not be made durable; a restart reads what there is.')
    try {
      this.#fd ??= openDurably(this.#path)
    } catch (error) {
      throw new LogBroken(`The log cannot be opened: ${reasonOf(error)}`)
    }
  }

  async close(): Promise<void> {
    await this.#syncs.idle()
    if (this.#fd !== null) closeSync(this.#fd)
    this.#fd = null
  }

  async #run(): Promise<void> {
    while (this.#next) {
      const { promise, resolve, reject } = this.#next
      this.#next = null
      this.#running = promise
      await this.#syncOnce().then(resolve, reject)
    }
    this.#running = null
  }

  async #syncOnce(): Promise<void> {
    try {
      this.assertSound()
    } catch (error) {
      // Not a failure to sync: once the log is open again, a sync covers these writes as well.
      throw new LogNotDurable(reasonOf(error))
    }
    try {
      await this.#sync(this.#fd as number)
    } catch (error) {
      this.#isBroken = true
      throw new LogNotDurable(`The log could not be made durable: ${reasonOf(error)}`)
    }
  }
}

/** What was written may be there, and must not be acknowledged. */
export class LogNotDurable extends OutcomeUnknown {}

/** Nothing is written to it. */
export class LogBroken extends Error {}

/** A file that is new may itself be lost, until its folder is on the disk. */
function openDurably(path: string): number {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
  return openSync(path, 'r+')
}
