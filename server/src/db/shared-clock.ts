import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Engine } from './store.ts'

const ASK_EVERY_MS = 10_000
/** A slower answer says too little about the time. */
const LONGEST_ANSWER_MS = 1_000
/** A machine whose clock is farther off is worth a line in the log. */
const WORTH_SAYING_MS = 2_000

/** Both in milliseconds: `steady` never jumps, `wall` is the time of day of this machine. */
interface Times {
  steady(): number
  wall(): number
}

const OF_THIS_MACHINE: Times = { steady: () => performance.now(), wall: () => Date.now() }

/**
 * The time of the database, for servers that share one and compare the times that others write, such as the end of a token.
 * Between two reads, the steady clock of this process counts on.
 */
export class SharedClock implements Clock {
  readonly #engine: Pick<Engine, 'db' | 'votingTime'>
  readonly #log: Log
  readonly #times: Times
  /** The time of the database when the steady clock was at zero. */
  #begin: number
  /** By how much the clock of this machine is ahead, as the log has it. */
  #said = 0
  #timer: NodeJS.Timeout | null = null

  constructor(engine: Pick<Engine, 'db' | 'votingTime'>, log: Log, times = OF_THIS_MACHINE) {
    this.#engine = engine
    this.#log = log
    this.#times = times
    this.#begin = times.wall() - times.steady()
  }

  now(): number {
    return Math.round(this.#begin + this.#times.steady())
  }

  /** The first question is answered when it resolves. */
  async start(): Promise<void> {
    await this.ask()
    this.#timer = setInterval(() => void this.ask(), ASK_EVERY_MS).unref()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
  }

  /** If the database does not answer, the clock counts on from its last answer. */
  async ask(): Promise<void> {
    const asked = this.#times.steady()
    let told: number
    try {
      told = await this.#engine.votingTime(this.#engine.db)
    } catch (err) {
      this.#log.warn({ err }, 'the database did not tell its time')
      return
    }
    const answered = this.#times.steady()
    const took = answered - asked
    if (took > LONGEST_ANSWER_MS) return
    const begin = told - (asked + answered) / 2
    // The answer is that exact. Without a margin the time would tremble.
    if (Math.abs(begin - this.#begin) > took / 2 + 1) this.#begin = begin
    this.#say(this.#times.wall() - this.now())
  }

  #say(ahead: number): void {
    if (Math.abs(ahead - this.#said) < WORTH_SAYING_MS) return
    this.#said = ahead
    this.#log.warn(
      { seconds: Math.round(ahead / 100) / 10 },
      'the clock of this machine is ahead of that of the database by so many seconds; times are taken from the database',
    )
  }
}
