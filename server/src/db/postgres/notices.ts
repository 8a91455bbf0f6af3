import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Notices, Tx } from '../store.ts'

const CHANNEL = 'tossup'
/** Without evidence that notices arrive, cached data is trusted for this long. */
const TRUSTED_MS = 800
/** Caches are refreshed this often even while notices arrive, as a safety net against unknown faults. */
const REFRESH_MS = 10_000
const BEAT_MS = 300
/** A process that was silent for this long may have stored votes without sending a notice. */
const SILENT_MS = 700
const RECONNECT_MS = 500

/** `broadcast` is for the other processes, `commit` for all of them. */
type Kind = 'beat' | 'bye' | 'broadcast' | 'commit'

/**
 * LISTEN and NOTIFY. PostgreSQL delivers notices in commit order, so our own heartbeat, when it comes back, proves that no
 * earlier notice is missing. If none comes back, `epoch` advances by the clock instead.
 */
export class PostgresNotices implements Notices {
  readonly #connect: () => Promise<pg.Client>
  readonly #id = randomBytes(12).toString('base64url')
  readonly #peers = new Map<string, number>()
  #client: pg.Client | null = null
  #onNotice: ((text: string) => void) | null = null
  #timer: ReturnType<typeof setInterval> | null = null
  #isConnecting = false
  #connectAt = Number.NEGATIVE_INFINITY
  #epoch = 0
  #epochAt = Number.NEGATIVE_INFINITY
  #trustedUntil = Number.NEGATIVE_INFINITY
  #heardUntil = Number.NEGATIVE_INFINITY

  constructor(connect: () => Promise<pg.Client>) {
    this.#connect = connect
  }

  /** True if a heartbeat came back recently. */
  get isLive(): boolean {
    return performance.now() < this.#heardUntil
  }

  /** Changes whenever another process may have written without its notice having arrived. */
  epoch(): number {
    const now = performance.now()
    if (now >= this.#trustedUntil) {
      this.#epoch++
      this.#epochAt = now
      this.#trustedUntil = now + TRUSTED_MS
    }
    return this.#epoch
  }

  async send(tx: Tx, text: string): Promise<void> {
    await sql`select pg_notify(${CHANNEL}, ${this.#worded('commit', text)})`.execute(tx)
  }

  broadcast(texts: readonly string[]): void {
    const worded = texts.map((text) => this.#worded('broadcast', text))
    this.#notify(worded)
  }

  listen(onNotice: (text: string) => void): void {
    this.#onNotice = onNotice
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
    this.#timer.unref()
    this.#beat()
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    const client = this.#client
    this.#client = null
    if (!client) return
    // Other processes that receive the goodbye need not read everything again.
    await client.query('select pg_notify($1, $2)', [CHANNEL, this.#worded('bye')]).catch(() => undefined)
    await client.end().catch(() => undefined)
  }

  #beat(): void {
    const now = performance.now()
    for (const [peer, heardAt] of this.#peers) {
      if (now - heardAt < SILENT_MS) continue
      this.#peers.delete(peer)
      this.#distrust()
    }
    if (this.#client) this.#notify([this.#worded('beat', String(Math.floor(now)))])
    else void this.#open()
  }

  async #open(): Promise<void> {
    const now = performance.now()
    if (this.#isConnecting || now - this.#connectAt < RECONNECT_MS) return
    this.#isConnecting = true
    this.#connectAt = now
    try {
      const client = await this.#connect()
      client.on('notification', ({ payload = '' }) => this.#take(payload))
      client.on('error', () => this.#lose(client))
      client.on('end', () => this.#lose(client))
      await client.query(`listen ${CHANNEL}`)
      if (this.#timer === null) return await client.end()
      this.#client = client
      // Notices sent before LISTEN are lost.
      this.#distrust()
    } catch {
      // The pool reports an unreachable database. Until the next attempt, `epoch` advances by the clock.
      this.#distrust()
    } finally {
      this.#isConnecting = false
    }
  }

  #notify(payloads: readonly string[]): void {
    const client = this.#client
    if (!client || payloads.length === 0) return
    const text = 'select pg_notify($1, payload) from unnest($2::text[]) as payload'
    client.query({ name: 'tossup-notify', text, values: [CHANNEL, payloads] }).catch(() => this.#lose(client))
  }

  #take(payload: string): void {
    const [sender = '', kind, text = ''] = split(payload)
    if (kind === 'commit') this.#onNotice?.(text)
    else if (sender === this.#id) {
      if (kind === 'beat') this.#trustFrom(Number(text))
    } else if (kind === 'broadcast') this.#onNotice?.(text)
    else if (kind === 'beat') this.#peers.set(sender, performance.now())
    else if (kind === 'bye') this.#peers.delete(sender)
  }

  #trustFrom(sentAt: number): void {
    this.#heardUntil = sentAt + TRUSTED_MS
    if (performance.now() - this.#epochAt > REFRESH_MS) return
    this.#trustedUntil = Math.max(this.#trustedUntil, sentAt + TRUSTED_MS)
  }

  /** Called at once: a heartbeat that returns later must not prove anything about the time before. */
  #distrust(): void {
    this.#epoch++
    this.#epochAt = performance.now()
    this.#trustedUntil = Number.NEGATIVE_INFINITY
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    this.#peers.clear()
    this.#distrust()
    void client.end().catch(() => undefined)
    // Until it listens again, other processes' votes are shown late.
    if (this.#timer) void this.#open()
  }

  #worded(kind: Kind, text = ''): string {
    return `${this.#id} ${kind} ${text}`
  }
}

function split(payload: string): [sender: string, kind: string, text: string] {
  const first = payload.indexOf(' ')
  const second = payload.indexOf(' ', first + 1)
  return [payload.slice(0, first), payload.slice(first + 1, second), payload.slice(second + 1)]
}
