import { closeSync, fdatasync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { reasonOf } from '../../base/errors.ts'
import { syncPath } from '../../base/machine.ts'
import { OnDemandLoop } from '../../base/work/on-demand-loop.ts'
import { OutcomeUnknown } from '../vote-store.ts'

const syncData = promisify(fdatasync)

/**
 * Syncs SQLite's log to the disk outside the event loop, so that other requests are served meanwhile. One sync covers all
 * writes made before it began.
 */
export class WriteAheadLog {
  readonly #path: string
  readonly #sync: (fd: number) => Promise<void>
  #fd: number | null = null
  /** The sync that is running, and the next one, for calls made since that sync began. */
  #running: Promise<void> | null = null
  #next: PromiseWithResolvers<void> | null = null
  readonly #syncs = new OnDemandLoop(() => this.#run())
  #isBroken = false

  constructor(path: string, sync: (fd: number) => Promise<void> = syncData) {
    this.#path = path
    this.#sync = sync
  }

  /** Resolves when everything written before the call is on the disk. */
  makeDurable(): Promise<void> {
    this.#next ??= Promise.withResolvers()
    const { promise } = this.#next
    this.#syncs.start()
    return promise
  }

  /** For readers: waits for the syncs that others have requested, without requesting one. */
  whenDurable(): Promise<void> {
    return this.#next?.promise ?? this.#running ?? Promise.resolve()
  }

  /**
   * Call it before writing. A failed sync is final: the disk's state is unknown, and a later success would prove nothing
   * about it. A log that cannot be opened for lack of file descriptors is opened by a later call.
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
      // No sync has failed yet: once the log can be opened again, a sync covers these writes too.
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

/** The writes may have been stored, and must not be acknowledged. */
export class LogNotDurable extends OutcomeUnknown {}

/** The log must not be written any more. */
export class LogBroken extends Error {}

/** Syncs the folder first, because a new file can be lost until its folder is on the disk. */
function openDurably(path: string): number {
  syncPath(dirname(path))
  return openSync(path, 'r+')
}
