import { randomUUID } from 'node:crypto'
import { ChildService, createOwner, type Home, type Launch, type Owner, OwnerClient } from '../child-service.ts'
import { audit, type Findings, isClean } from './audit.ts'
import { type Load, startLoad, type Target, vote } from './load.ts'
import { type Attempt, Witness } from './witness.ts'

/** More than SQLite writes at once (server/src/db/sqlite/vote-store.ts). */
const POLLS = 32
const REPEATED = 100
/** The number of further votes that must be accepted after a database has come back. */
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
  readonly #launch: Launch
  #server: ChildService

  private constructor(parts: { home: Home; owner: Owner; launch: Launch; server: ChildService }) {
    this.#home = parts.home
    this.#owner = parts.owner
    this.#launch = parts.launch
    this.#server = parts.server
  }

  static async start(home: Home, launch: Launch = {}): Promise<CrashTest> {
    const owner = await createOwner(home, 'crash')
    return new CrashTest({ home, owner, launch, server: await ChildService.start(home, launch) })
  }

  get server(): ChildService {
    return this.#server
  }

  get owner(): Owner {
    return this.#owner
  }

  /** Kills the server with SIGKILL once this many votes are acknowledged, and starts a new one on its data. */
  killServer(votes: number): Promise<RoundResult> {
    return this.round(async (load) => {
      await load.untilAccepted(votes)
      await this.#server.kill()
      await load.stop()
      await this.startAgain()
    })
  }

  async startAgain(): Promise<void> {
    this.#server = await ChildService.start(this.#home, this.#launch)
  }

  /** Kills the database and starts it again, while the server and its voters continue. */
  killDatabase(votes: number, database: { kill(): Promise<void>; start(): Promise<void> }): Promise<RoundResult> {
    return this.round(async (load) => {
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

  /** Strikes while many vote, then compares every answer with the stored votes. */
  async round(
    strike: (load: Load) => Promise<void>,
    { polls: count = POLLS, ...pace }: Pick<Target, 'pauseMs'> & { readonly polls?: number } = {},
  ): Promise<RoundResult> {
    const polls = await this.#createPolls(count)
    const witness = new Witness()
    const load = startLoad({ url: this.#server.url, polls, witness, ...pace })
    try {
      await strike(load)
    } finally {
      await load.stop()
    }
    const look = () => audit({ home: this.#home, url: this.#server.url, polls, witness })
    const findings = await look()
    const { accepted } = witness
    if (!isClean(findings)) return { acknowledged: accepted, findings }
    // Repeat only after the first audit: repeating a vote would store a lost one.
    await this.#repeatSome(witness)
    return { acknowledged: accepted, findings: await look() }
  }

  async #createPolls(count: number): Promise<string[]> {
    const client = await OwnerClient.connect(this.#server.url, this.#owner)
    const polls = Array.from({ length: count }, () => `crash-${randomUUID().slice(0, 13)}`)
    for (const poll of polls) await client.createPoll(poll)
    return polls
  }

  /** Repeats votes that were never answered, as a voter would, and some that were answered, which must be refused. */
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
      // Real time: another process has to come back.
      await Bun.sleep(20)
    }
  }
}
