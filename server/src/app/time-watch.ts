import type { Log } from '../base/log.ts'

const LOOK_EVERY_MS = 1_000
/** Longer than any work of the event loop, and shorter than what a visitor waits for. */
const LONG_PAUSE_MS = 3_000
/** A clock that is adjusted in small steps jumps by less. */
const JUMP_MS = 2_000

/** Both in milliseconds: `steady` never jumps, `wall` is the time of day. */
interface Times {
  readonly steady: number
  readonly wall: number
}

const readTimes = (): Times => ({ steady: performance.now(), wall: Date.now() })

/**
 * Logs when the process did not run for seconds (stopped, swapped out, or on a machine that was suspended) and when the
 * time of day jumped: both explain requests, sessions and schedules that look wrong.
 */
export class TimeWatch {
  readonly #log: Log
  readonly #read: () => Times
  readonly #timer: NodeJS.Timeout
  #last: Times

  constructor(log: Log, read: () => Times = readTimes) {
    this.#log = log
    this.#read = read
    this.#last = read()
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  look(): void {
    const { steady, wall } = this.#read()
    const passed = steady - this.#last.steady
    const jump = wall - this.#last.wall - passed
    this.#last = { steady, wall }
    const late = passed - LOOK_EVERY_MS
    if (late > LONG_PAUSE_MS) this.#log.warn({ seconds: seconds(late) }, 'the process did not run for some seconds')
    if (Math.abs(jump) > JUMP_MS) this.#log.warn({ seconds: seconds(jump) }, 'the clock of the machine was set')
  }
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10
