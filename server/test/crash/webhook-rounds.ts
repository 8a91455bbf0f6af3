import { randomUUID } from 'node:crypto'
import { ChildService, createOwner, expectStatus, type Home, type Owner, OwnerClient } from '../child-service.ts'
import { hastyCommand } from '../command.ts'
import { eventually } from '../eventually.ts'
import { Receiver } from '../receiver.ts'
import type { WebhookData } from '../webhooks.ts'
import { UnreliableReceiver } from './unreliable-receiver.ts'

const SETTINGS = {
  WEBHOOK_ALLOW_PRIVATE: 'true',
  ACCESS_TOKEN_SECONDS: '3600',
  // A server that lives for half a second ends before optimised code pays for its compilation.
  BUN_JSC_useDFGJIT: '0',
}
const WRITERS = 16
/** A delivery that began just before its webhook was disabled or deleted may arrive this much later. */
const GRACE_MS = 1_000
const QUIET_MS = 20_000

export interface WebhookFindings {
  /** Acknowledged changes whose event did not arrive. */
  readonly lost: string[]
  readonly unsigned: string[]
  /** Events that arrived at a disabled or deleted webhook. */
  readonly unwanted: string[]
}

export interface WebhookResult {
  readonly acknowledged: number
  readonly attempts: number
  readonly kills: number
  readonly findings: WebhookFindings
}

export interface WebhookPlan {
  /** The number of changes to acknowledge before the round ends. */
  readonly events: number
  /** The least time between two kills; the longest is three times as much. */
  readonly killEveryMs: number
  /** The server that lives after this many kills stays until the changes are acknowledged. Default: unlimited. */
  readonly mostKills?: number
  readonly onArrival?: (count: number) => void
}

/** One database and one brand with unreliable receivers, served by one process after another. */
export class WebhookCrashTest {
  readonly #home: Home
  readonly #owner: Owner
  #server: ChildService
  #client: OwnerClient

  private constructor(parts: { home: Home; owner: Owner; server: ChildService; client: OwnerClient }) {
    this.#home = parts.home
    this.#owner = parts.owner
    this.#server = parts.server
    this.#client = parts.client
  }

  static async start(home: Home): Promise<WebhookCrashTest> {
    const owner = await createOwner(home, `hooks-${randomUUID().slice(0, 8)}`)
    const server = await ChildService.start(home, { program: hastyCommand(), settings: SETTINGS })
    return new WebhookCrashTest({ home, owner, server, client: await OwnerClient.connect(server.url, owner) })
  }

  stop(): Promise<void> {
    return this.#server.stop()
  }

  async round({
    events,
    killEveryMs,
    mostKills = Number.POSITIVE_INFINITY,
    onArrival = () => undefined,
  }: WebhookPlan): Promise<WebhookResult> {
    const polls = Array.from({ length: WRITERS }, () => `hooks-${randomUUID().slice(0, 13)}`)
    for (const poll of polls) await this.#client.createPoll(poll)
    const steady = await this.#listenWith((secret) => new UnreliableReceiver(secret))
    const deleted = await this.#listenWith(() => new Receiver())
    const gone = await this.#listenWith(() => new Receiver())
    const leaving = new Leaving(deleted, gone)
    const acknowledged = new Set<string>()
    const writing = new AbortController()
    const writers = polls.map((poll) => this.#write(poll, { acknowledged, signal: writing.signal }))
    let kills = 0
    try {
      while (acknowledged.size < events) {
        if (kills >= mostKills) {
          await eventually(() => acknowledged.size >= events, { withinMs: 60_000 })
          break
        }
        const before = acknowledged.size
        // Every other server gets to answer: on a busy machine the round would never end.
        if (kills % 2 === 1) await eventually(() => acknowledged.size > before, { withinMs: 60_000 })
        // Real time: the moment of a crash is the subject.
        await Bun.sleep(killEveryMs * (1 + 2 * Math.random()))
        await this.#kill()
        kills++
        await leaving.next(this.#client, kills)
        onArrival(steady.receiver.count)
      }
    } finally {
      writing.abort()
      await Promise.all(writers)
    }
    // A last process, which only delivers.
    await this.#kill()
    const lost = await this.#untilAllArrive(steady.receiver, acknowledged, onArrival)
    const unwanted = leaving.unwanted()
    await this.#forget([steady.webhook, gone.webhook])
    await Promise.all([steady.receiver.stop(), leaving.stop()])
    const { attempts, badSignatures } = steady.receiver
    const unsigned = badSignatures === 0 ? [] : [`${badSignatures} of ${attempts}`]
    return { acknowledged: acknowledged.size, attempts, kills: kills + 1, findings: { lost, unsigned, unwanted } }
  }

  /** A receiver starts before its webhook, and gets the webhook's secret afterwards. */
  async #listenWith<R extends { url: string }>(make: (secretOf: () => string) => R): Promise<Listening<R>> {
    let secret = ''
    const receiver = make(() => secret)
    const json = { url: receiver.url, events: ['poll.updated'] }
    const answer = await expectStatus(await this.#client.write('POST', 'brands/me/webhooks', json), 201)
    const webhook = (answer as { data: WebhookData }).data
    secret = webhook.secret
    return { receiver, webhook }
  }

  async #kill(): Promise<void> {
    await this.#server.kill()
    this.#server = await ChildService.start(this.#home, { program: hastyCommand(), settings: SETTINGS })
    const refusals: string[] = []
    // All writers come back at the same moment: on a busy machine some are told to try again.
    const connect = () =>
      OwnerClient.connect(this.#server.url, this.#owner).catch((error) => {
        if (!String(error).includes(' 503: ')) throw error
        refusals.push(String(error))
        return null
      })
    this.#client = await eventually(connect, { seen: () => refusals.at(-1) })
  }

  /** Titles are unique, so that events can be told apart. */
  async #write(poll: string, { acknowledged, signal }: { acknowledged: Set<string>; signal: AbortSignal }) {
    for (let i = 0; !signal.aborted; i++) {
      const title = `${poll} ${i}`
      const status = await this.#client.write('PATCH', `brands/me/polls/${poll}`, { title }).then(
        async (answer) => {
          await answer.arrayBuffer()
          return answer.status
        },
        () => null,
      )
      if (status === 200) acknowledged.add(title)
      // Real time: another process has to come back.
      else await Bun.sleep(10)
    }
  }

  async #untilAllArrive(
    receiver: UnreliableReceiver,
    acknowledged: ReadonlySet<string>,
    onArrival: (count: number) => void,
  ): Promise<string[]> {
    let count = -1
    let changedAt = performance.now()
    for (;;) {
      const lost = receiver.missing(acknowledged)
      if (lost.length === 0 || performance.now() - changedAt > QUIET_MS) return lost
      if (receiver.count !== count) {
        count = receiver.count
        changedAt = performance.now()
        onArrival(count)
      }
      // Real time: another process delivers.
      await Bun.sleep(50)
    }
  }

  async #forget(webhooks: readonly WebhookData[]): Promise<void> {
    for (const { id } of webhooks) await this.#client.write('DELETE', `brands/me/webhooks/${id}`)
  }
}

interface Listening<R> {
  readonly receiver: R
  readonly webhook: WebhookData
}

/** Two webhooks that end during the run: one is deleted by its owner, the other answers 410. */
class Leaving {
  readonly #deleted: Listening<Receiver>
  readonly #gone: Listening<Receiver>
  #deletedAt: number | null = null
  #disabledAt: number | null = null

  constructor(deleted: Listening<Receiver>, gone: Listening<Receiver>) {
    this.#deleted = deleted
    this.#gone = gone
  }

  /** One step after each kill. */
  async next(client: OwnerClient, kills: number): Promise<void> {
    if (kills === 1) {
      await expectStatus204(await client.write('DELETE', `brands/me/webhooks/${this.#deleted.webhook.id}`))
      this.#deletedAt = Date.now()
      this.#gone.receiver.answer = () => new Response('gone', { status: 410 })
    }
    if (this.#disabledAt !== null) return
    const { status } = await client.read<WebhookData>(`brands/me/webhooks/${this.#gone.webhook.id}`)
    if (status === 'DISABLED') this.#disabledAt = Date.now()
  }

  unwanted(): string[] {
    const after = (name: string, { receiver }: Listening<Receiver>, left: number | null) => {
      const late = left === null ? [] : receiver.received.filter(({ at }) => at > left + GRACE_MS)
      return late.length === 0 ? [] : [`${late.length} to a webhook that was ${name}`]
    }
    return [...after('deleted', this.#deleted, this.#deletedAt), ...after('disabled', this.#gone, this.#disabledAt)]
  }

  async stop(): Promise<void> {
    await Promise.all([this.#deleted.receiver.stop(), this.#gone.receiver.stop()])
  }
}

async function expectStatus204(answer: Response): Promise<void> {
  await answer.arrayBuffer()
  if (answer.status !== 204) throw new Error(`${answer.url} answered ${answer.status}`)
}
