import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChildService, createOwner, type Home, type Launch, type Owner, OwnerClient } from '../child-service.ts'
import { eventually } from '../eventually.ts'
import { audit, type Findings, isClean } from './audit.ts'
import { type Load, startLoad, type Target, vote } from './load.ts'
import { Mirrors } from './mirrors.ts'
import { type Attempt, Witness } from './witness.ts'

/** More than SQLite writes at once (server/src/db/sqlite/vote-store.ts). */
const POLLS = 32
/** Every other poll asks for codes. */
const THOUSANDS_OF_CODES = 5
const REPEATED = 100
/** A server that was killed is silent for six seconds before a log goes on. */
const SIGNED_WITHIN_MS = 60_000
/** Each log still gets votes for its checkpoint, and the machine does little else. */
const CALM_PAUSE_MS = 200
/** So many answers later, every voter votes at full speed. */
const IN_FLIGHT = 32
/** Just after a checkpoint, more are on their way; the next run of the job is three seconds later. */
const PAUSES_MS = [0, 20, 200, 3_100]
/** The number of further votes that must be accepted after a database has come back. */
const AFTERWARDS = 200
const RECOVER_WITHIN_MS = 30_000

export interface RoundResult {
  readonly acknowledged: number
  /** Checkpoints that the mirrors of logs have seen. */
  readonly checkpoints: number
  readonly findings: Findings
}

/** One database, served by one process after another, or by two at once. */
export class CrashTest {
  readonly #home: Home
  readonly #owner: Owner
  readonly #launch: Launch
  readonly #servers: ChildService[]
  /** Outside the home of the service, whose disk may be full. */
  readonly #mirrorsFolder: string
  #codes: { codeListId: string; codes: string[] } | undefined
  #rounds = 0
  #mirrors: Mirrors | undefined

  private constructor(parts: {
    home: Home
    owner: Owner
    launch: Launch
    servers: ChildService[]
    mirrorsFolder: string
  }) {
    this.#home = parts.home
    this.#owner = parts.owner
    this.#launch = parts.launch
    this.#servers = parts.servers
    this.#mirrorsFolder = parts.mirrorsFolder
  }

  static async start(home: Home, launch: Launch = {}, { servers: count = 1 } = {}): Promise<CrashTest> {
    const owner = await createOwner(home, 'crash')
    const servers = [await ChildService.start(home, launch)]
    while (servers.length < count) servers.push(await ChildService.start(home, launch))
    const mirrorsFolder = await mkdtemp(join(tmpdir(), 'tossup-mirrors-'))
    return new CrashTest({ home, owner, launch, servers, mirrorsFolder })
  }

  get server(): ChildService {
    return this.#servers[0] as ChildService
  }

  get owner(): Owner {
    return this.#owner
  }

  /** Kills a server with SIGKILL once this many votes are acknowledged and some are in a checkpoint, and starts a new one on its data. */
  killServer(votes: number): Promise<RoundResult> {
    const at = this.#rounds % this.#servers.length
    return this.round(async (load) => {
      await load.untilAccepted(votes)
      await this.#untilSigned(load)
      await this.#servers[at]?.kill()
      if (this.#servers.length > 1) await load.untilAccepted(load.accepted() + AFTERWARDS)
      await load.stop()
      await this.startAgain(at)
    })
  }

  async startAgain(at = 0): Promise<void> {
    this.#servers[at] = await ChildService.start(this.#home, this.#launch)
  }

  /** Voters wait for the checkpoint slowly, and vote as fast as they can again before the kill. */
  async #untilSigned(load: Load): Promise<void> {
    load.pace(CALM_PAUSE_MS)
    await eventually(() => (this.#mirrors?.checkpoints ?? 0) > 0, { withinMs: SIGNED_WITHIN_MS, everyMs: 1 })
    const [shortest = 0] = PAUSES_MS.toSorted(() => Math.random() - 0.5)
    // Real time: the moment of the kill is the subject.
    await Bun.sleep(shortest * Math.random())
    load.pace(0)
    await load.untilAccepted(load.accepted() + IN_FLIGHT)
  }

  /** Kills the database and starts it again, while the server and its voters continue. */
  killDatabase(votes: number, database: { kill(): Promise<void>; start(): Promise<void> }): Promise<RoundResult> {
    return this.round(async (load) => {
      await load.untilAccepted(votes)
      await this.#untilSigned(load)
      await database.kill()
      await database.start()
      await load.untilAccepted(votes + AFTERWARDS)
      await load.stop()
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
    await rm(this.#mirrorsFolder, { recursive: true, force: true })
  }

  /** Strikes while many vote, then compares every answer with the stored votes. */
  async round(
    strike: (load: Load) => Promise<void>,
    { polls: count = POLLS, ...pace }: Pick<Target, 'pauseMs'> & { readonly polls?: number } = {},
  ): Promise<RoundResult> {
    const { polls, codes } = await this.#createPolls(count)
    const witness = new Witness()
    const before = this.#mirrors
    const url = () => this.#servers[Math.floor(Math.random() * this.#servers.length)]?.url ?? ''
    const mirrors = new Mirrors({ folder: this.#mirrorsFolder, polls, url })
    this.#mirrors = mirrors
    const [{ url: one } = this.server, other] = this.#servers
    const load = startLoad({ url: one, ...(other && { otherUrl: other.url }), polls, witness, codes, ...pace })
    try {
      await strike(load)
    } finally {
      await load.stop()
      await mirrors.stop()
    }
    // By now the logs of the last round have all of its votes.
    await before?.verify()
    const look = async () => {
      const findings = await audit({ home: this.#home, url: this.server.url, polls, witness })
      findings.contradicted.push(...mirrors.contradictions, ...(before?.contradictions ?? []))
      return findings
    }
    const findings = await look()
    const { accepted: acknowledged } = witness
    const { checkpoints } = mirrors
    if (!isClean(findings)) return { acknowledged, checkpoints, findings }
    // Repeat only after the first audit: repeating a vote would store a lost one.
    await this.#repeatSome(witness)
    return { acknowledged, checkpoints, findings: await look() }
  }

  async #createPolls(count: number) {
    const client = await OwnerClient.connect(this.server.url, this.#owner)
    this.#codes ??= await client.createCodes(THOUSANDS_OF_CODES)
    const { codeListId, codes: all } = this.#codes
    const polls = Array.from({ length: count }, () => `crash-${randomUUID().slice(0, 13)}`)
    // The first gets most votes.
    const coded = new Set(polls.filter((_, i) => (i + this.#rounds) % 2 === 0))
    this.#rounds++
    for (const poll of polls) await client.createPoll(poll, coded.has(poll) ? { codeListId } : {})
    return { polls, codes: { all, polls: coded } }
  }

  /** Repeats votes that were never answered, as a voter would, and some that were answered, which must be refused. */
  async #repeatSome(witness: Witness): Promise<void> {
    const unanswered = witness.attempts.filter((attempt) => !witness.hasVoted(attempt))
    const answered = witness.attempts.filter((attempt) => witness.hasVoted(attempt))
    const step = Math.max(1, Math.floor(answered.length / REPEATED))
    const chosen = [...unanswered.slice(-REPEATED), ...answered.filter((_, i) => i % step === 0)]
    for (const attempt of chosen) await this.#voteUntilAnswered(attempt, witness)
  }

  async #voteUntilAnswered(attempt: Attempt, witness: Witness): Promise<void> {
    const deadline = performance.now() + RECOVER_WITHIN_MS
    while (!(await vote({ url: this.server.url, witness }, attempt))) {
      if (performance.now() > deadline) throw new Error('no vote is accepted any more')
      // Real time: another process has to come back.
      await Bun.sleep(20)
    }
  }
}
