import { closeSync, openSync } from 'node:fs'
import type { Log } from '../log.ts'

const LOOK_EVERY_MS = 250
/** Short: each turn of the event loop still serves every open connection that has sent something. */
const REST_MS = 2
/** With this many free descriptors, connections are accepted again. */
const ENOUGH = 8
const NONE_LEFT =
  'out of file descriptors: new connections wait until others close. Raise the limit (ulimit -n, or LimitNOFILE= of systemd).'

/**
 * Logs when no file descriptor is left for a new connection. Bun then retries the accept in every turn of the event loop,
 * which would use a whole core, so each turn pauses a little until descriptors are free again.
 */
export class DescriptorWatch {
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  #isExhausted = false

  constructor(log: Log) {
    this.#log = log
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#isExhausted = false
  }

  #look(): void {
    const wasExhausted = this.#isExhausted
    this.#isExhausted = !areFree(wasExhausted ? ENOUGH : 1)
    if (this.#isExhausted === wasExhausted) return
    if (wasExhausted) {
      this.#log.warn('file descriptors are available again')
    } else {
      this.#log.error(NONE_LEFT)
      this.#rest()
    }
  }

  #rest(): void {
    if (!this.#isExhausted) return
    Bun.sleepSync(REST_MS)
    setImmediate(() => this.#rest())
  }
}

function areFree(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync('/dev/null', 'r'))
    return true
  } catch {
    return false
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}
