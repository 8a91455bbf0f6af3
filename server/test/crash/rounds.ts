import { randomUUID } from 'node:crypto'
import { ChildService, createOwner, type Home, type Owner, OwnerClient } from '../child-service.ts'
import { audit, type Findings, isClean } from './audit.ts'
import { type Load, startLoad, vote } from './load.ts'
import { type Attempt, Witness } from './witness.ts'

const POLLS = 4
const REPEATED = 100
/** So many more must be accepted after a database has come back. */
const AFTERWARDS = 200
const RECOVER_WITHIN_MS = 30_000

export interface RoundResult {
  readonly acknowledged: number
  readonly findings: Findings
}

/** One database, served by one process after another. */
export class CrashTest {
  readonly #home: Home
  readonly #owner: Owner
  #server: ChildService

  private constructor(parts: { home: Home; owner: Owner; server: ChildService }) {
    this.#home = parts.home
    this.#owner = parts.owner
    this.#server = parts.server
  }

  static async start(home: Home): Promise<CrashTest> {
    const owner = await createOwner(home, 'crash')
    return new CrashTest({ home, owner, server: await ChildService.start(home) })
  }

  /** kill -9 of the server once so many votes are acknowledged, and a new one on what it left. */
  killServer(votes: number): Promise<RoundResult> {
    return this.#round(async (load) => {
      await load.untilAccepted(votes)
      await this.#server.kill()
      await load.stop()
      this.#server = await ChildService.start(this.#home)
    })
  }

  /** The database is killed and comes back; the server and its voters live through it. */
  killDatabase(votes: number, database: { kill(): Promise<void>; start(): Promise<void> }): Promise<RoundResult> {
    return this.#round(async (load) => {
      await load.untilAccepted(votes)
      await database.kill()
      await database.start()
      await load.untilAccepted(votes + AFTERWARDS)
      await load.stop()
    })
  }

  stop(): Promise<void> {
    return this.#server.stop()
  }

  async #round(strike: (load: Load) => Promise<void>): Promise<RoundResult> {
    const polls = await this.#createPolls()
    const witness = new Witness()
    const load = startLoad({ url: this.#server.url, polls, witness })
    try {
      await strike(load)
    } finally {
      await load.stop()
    }
    const look = () => audit({ home: this.#home, url: this.#server.url, polls, witness })
    const findings = await look()
    const { accepted } = witness
    if (!isClean(findings)) return { acknowledged: accepted, findings }
    // Not before: a vote that was lost would be stored now, by its repetition.
    await this.#repeatSome(witness)
    return { acknowledged: accepted, findings: await look() }
  }

  async #createPolls(): Promise<string[]> {
    const client = await OwnerClient.connect(this.#server.url, this.#owner)
    const polls = Array.from({ length: POLLS }, () => `crash-${randomUUID().slice(0, 13)}`)
    for (const poll of polls) await client.createPoll(poll)
    return polls
  }

  /** Votes that were never answered are sent again, as a voter would; some that were, too, and must be refused. */
  async #repeatSome(witness: Witness): Promise<void> {
    const unanswered = witness.attempts.filter((attempt) => witness.told(attempt) === undefined)
    const answered = witness.attempts.filter((attempt) => witness.told(attempt) !== undefined)
    const step = Math.max(1, Math.floor(answered.length / REPEATED))
    const chosen = [...unanswered.slice(-REPEATED), ...answered.filter((_, i) => i % step === 0)]
    for (const attempt of chosen) await this.#voteUntilAnswered(attempt, witness)
  }

  async #voteUntilAnswered(attempt: Attempt, witness: Witness): Promise<void> {
    const deadline = performance.now() + RECOVER_WITHIN_MS
    while (!(await vote({ url: this.#server.url, witness }, attempt))) {
      if (performance.now() > deadline) throw new Error('no vote is accepted any more')
      await Bun.sleep(20)
    }
  }
}
