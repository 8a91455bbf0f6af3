import { join } from 'node:path'
import { type LogError, openLog, verifyLog } from '../../../sdk/src/verify/index.ts'
import { Mirror } from '../../src/cli/commands/log.ts'

interface Watched {
  readonly folder: string
  readonly polls: readonly string[]
  /** The address of a server that runs at this moment, or soon. */
  readonly url: () => string
}

/** Follows the logs of polls as `tossup log mirror` does, while servers and their neighbours fail. */
export class Mirrors {
  readonly contradictions: string[] = []
  /** Checkpoints that were seen and hold votes. */
  checkpoints = 0
  readonly #url: () => string
  readonly #mirrors: ReadonlyMap<string, Mirror>
  readonly #stopping = new AbortController()
  readonly #following: Promise<void>

  constructor({ folder, polls, url }: Watched) {
    this.#url = url
    const note = ({ size }: { readonly size: number }) => {
      if (size > 0) this.checkpoints++
    }
    this.#mirrors = new Map(polls.map((poll) => [poll, new Mirror(join(folder, poll), note)]))
    this.#following = this.#followOn()
  }

  async #followOn(): Promise<void> {
    const { signal } = this.#stopping
    const all = [...this.#mirrors]
    for (let round = 0; !signal.aborted; round++) {
      // The server signs the logs together. Until it has, to ask for all of them would only keep it busy.
      const one = round % all.length
      await this.#follow(this.checkpoints > 0 ? all : all.slice(one, one + 1), signal)
      // Real time: another process makes the checkpoints.
      await Bun.sleep(20)
    }
  }

  async #follow(mirrors: Iterable<[poll: string, Mirror]>, signal?: AbortSignal): Promise<void> {
    for (const [poll, mirror] of mirrors) {
      if (signal?.aborted) return
      await this.#noting(poll, async () => {
        await mirror.follow(await openLog(this.#url(), poll, { patienceMs: 0, ...(signal && { signal }) }))
        return []
      })
    }
  }

  /** No answer is no contradiction. */
  async #noting(poll: string, look: () => Promise<readonly LogError[]>): Promise<void> {
    const faults = await look().catch((error: Error) => (error.name === 'AbortError' ? [] : [error as LogError]))
    for (const { code = '', message } of faults)
      if (code !== 'UNREACHABLE') this.contradictions.push(`${poll}: ${code} ${message}`)
  }

  /** Looks once more, at servers that run again. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#following
    await this.#follow(this.#mirrors)
  }

  /** Counts all again, once the logs have all votes. */
  async verify(): Promise<void> {
    for (const poll of this.#mirrors.keys())
      await this.#noting(poll, async () => (await verifyLog(await openLog(this.#url(), poll))).faults)
  }
}
