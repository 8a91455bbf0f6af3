import { setImmediate as nextTurn } from 'node:timers/promises'
import { OnDemandLoop } from '../base/work/on-demand-loop.ts'
import { ClientGone, type Incoming, type Peers } from './incoming.ts'
import { TookTooLong } from './limits/deadlines.ts'

const LOOK_EVERY = 8

/** How long reads keep the event loop in one turn before votes and other requests are served. */
const READS_MS = 5

/** Waiting reads run in slices. A vote needs several turns, and finds most of them free. */
const SLICE_MS = 2
const TURNS_BETWEEN = 4

/** Reads that wait for the database at once: the rows of all of them may arrive in one turn. */
const MOST_RUNNING = 4
/** A read that takes longer waits for another program, such as one that draws pictures, and must not hold up the others. */
const RUNNING_MS = 25

const OVER = Symbol('the turn is over')

/** The requests of one turn of the event loop, in which Bun starts all requests that lie in the sockets. */
export class Turn {
  #requests = 0
  #seen = ''
  #startedAt = 0
  #running = 0
  #onEnd: (() => void) | null = null
  readonly #waiting: (() => Promise<unknown>)[] = []
  readonly #loop = new OnDemandLoop(() => this.#serveWaiting())
  readonly #begin = () => {
    this.#requests = 0
    this.#seen = ''
  }

  /**
   * True if the answer must end the connection, so that the rest of its pipeline is not started: Bun can neither pause a
   * connection nor keep a second answer pending on it. Bun reads one socket after the other, so between two looks that find
   * the same connection there was no other. The answer is at the latest that of the connection's 16th request in this turn.
   */
  isLast(request: Request, peers: Peers): boolean {
    if (this.#requests === 0) {
      this.#startedAt = performance.now()
      setImmediate(this.#begin)
    }
    if (++this.#requests % LOOK_EVERY !== 0) return false
    const before = this.#seen
    this.#seen = peers.connectionOf(request)
    return this.#seen !== '' && this.#seen === before
  }

  /** Starts a read at once, or behind those that wait, where this turn has no time left. */
  read<T>(incoming: Incoming, start: () => Promise<T>): Promise<T> {
    const isFree = this.#running < MOST_RUNNING && performance.now() - this.#startedAt < READS_MS
    if (this.#waiting.length === 0 && isFree) return this.#run(start)
    // Read now: Bun notes a client that leaves only once its signal was read.
    const { signal } = incoming.request
    const work = async () => {
      if (signal.aborted) throw new ClientGone()
      if (incoming.answerBy <= performance.now()) throw new TookTooLong()
      return this.#run(start)
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => work().then(resolve, reject))
      this.#loop.start()
    })
  }

  async #run<T>(start: () => Promise<T>): Promise<T> {
    let isRunning = true
    const end = () => {
      if (isRunning) this.#running--
      isRunning = false
      this.#onEnd?.()
    }
    this.#running++
    const timer = setTimeout(end, RUNNING_MS)
    try {
      return await start()
    } finally {
      clearTimeout(timer)
      end()
    }
  }

  /** A read that waits for something else leaves its turn to others. */
  async #serveWaiting(): Promise<void> {
    await passTurns()
    let startedAt = performance.now()
    while (this.#waiting.length > 0) {
      while (this.#running >= MOST_RUNNING) await new Promise<void>((resolve) => (this.#onEnd = resolve))
      const began = await Promise.race([this.#waiting[0]?.(), nextTurn(OVER)])
      // Removed once it has run: until then, newcomers see that others wait.
      this.#waiting.shift()
      if (began !== OVER && performance.now() - startedAt < SLICE_MS) continue
      await passTurns()
      startedAt = performance.now()
    }
  }
}

async function passTurns(): Promise<void> {
  for (let i = 0; i < TURNS_BETWEEN; i++) await nextTurn()
}
