import { setTimeout as pause } from 'node:timers/promises'

/** Share of one core for the connections of all attempts together. */
const SHARE = 0.4
/** Unused time that is kept for later. */
const SAVED_MS = 10
/** Processor time of a request with its connection, a TLS handshake, and each KiB of an answer in the costliest form. */
const START_MS = 0.5
const HANDSHAKE_MS = 0.8
const KIB_MS = 0.03

/** Spaces the starts of attempts by what they and their answers cost, so that hundreds of them leave the event loop to others. */
export class Spacing {
  #freeAt = 0
  #last: Promise<void> = Promise.resolve()

  /** Resolves in the order of the calls. */
  turn(isSecure: boolean): Promise<void> {
    this.#last = this.#last.then(async () => {
      while (this.#freeAt > performance.now()) await pause(this.#freeAt - performance.now())
      this.#spend(START_MS + (isSecure ? HANDSHAKE_MS : 0))
    })
    return this.#last
  }

  answered(bytes: number): void {
    this.#spend((bytes / 1_024) * KIB_MS)
  }

  #spend(ms: number): void {
    this.#freeAt = Math.max(this.#freeAt, performance.now() - SAVED_MS) + ms / SHARE
  }
}
