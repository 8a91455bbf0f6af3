import { randomUUID } from 'node:crypto'
import { type Owner, OwnerClient } from '../child-service.ts'
import { paint } from '../pictures.ts'
import { pathOf, type TicketData, type UploadedData } from '../uploads.ts'
import type { Findings } from './audit.ts'

const UPLOADERS = 2
const PAUSE_MS = 300
/** Five seconds of silence, and time for a busy machine. The promise of the API is ten. */
const ANSWERED_WITHIN_MS = 10_000

interface Uploaded {
  readonly publicUrl: string
  readonly picture: number
}

interface Target {
  readonly url: string
  readonly owner: Owner
  /** The bytes that the service made of each picture, if earlier uploads of the same service have learned them. */
  readonly stored?: readonly Uint8Array[]
}

/** Pictures with contents of their own. What the service makes of one is always the same. */
const PICTURES = [40, 120, 200].map((red) => paint({ width: 120, height: 80 }, (x, y) => [red, x & 255, y & 255]))

/** Uploads pictures continuously, and knows which ones were acknowledged. */
export class Uploads {
  readonly #url: string
  readonly #client: OwnerClient
  readonly #poll: string
  readonly #stopping = new AbortController()
  readonly #stored: readonly Uint8Array[]
  readonly #acknowledged: Uploaded[] = []
  readonly #problems: string[] = []
  #refused = 0
  #next = 0
  #workers: readonly Promise<void>[] = []

  private constructor(parts: { url: string; client: OwnerClient; poll: string; stored: readonly Uint8Array[] }) {
    this.#url = parts.url
    this.#client = parts.client
    this.#poll = parts.poll
    this.#stored = parts.stored
  }

  static async start({ url, owner, stored }: Target): Promise<Uploads> {
    const client = await OwnerClient.connect(url, owner)
    const poll = `pictured-${randomUUID().slice(0, 13)}`
    await client.createPoll(poll)
    const uploads = new Uploads({ url, client, poll, stored: stored ?? (await Uploads.#learn({ url, client, poll })) })
    uploads.#workers = Array.from({ length: UPLOADERS }, () => uploads.#work())
    return uploads
  }

  /** Uploads each picture once while nothing fails: the bytes that the service makes of it. */
  static async #learn(place: { url: string; client: OwnerClient; poll: string }): Promise<Uint8Array[]> {
    const first = new Uploads({ ...place, stored: [] })
    const stored: Uint8Array[] = []
    for (const picture of PICTURES.keys()) {
      const uploaded = await first.#upload(picture)
      if (!uploaded) throw new Error(`no picture can be uploaded: ${first.#problems}`)
      stored.push(await (await fetch(place.url + pathOf(uploaded.publicUrl))).bytes())
    }
    return stored
  }

  get stored(): readonly Uint8Array[] {
    return this.#stored
  }

  get acknowledged(): number {
    return this.#acknowledged.length
  }

  get refused(): number {
    return this.#refused
  }

  /** A further upload: true if it was acknowledged. */
  async once(): Promise<boolean> {
    return (await this.#upload(this.#next++ % PICTURES.length)) !== null
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#workers)
  }

  /** Pictures that were acknowledged and are not there byte for byte, and answers that no fault excuses; one line each. */
  async audit(): Promise<Pick<Findings, 'lost' | 'otherwise'>> {
    const lost: string[] = []
    for (const { publicUrl, picture } of this.#acknowledged) {
      const answer = await fetch(this.#url + pathOf(publicUrl))
      const bytes = await answer.bytes()
      const isThere = answer.status === 200 && Buffer.compare(bytes, this.#stored[picture] ?? new Uint8Array()) === 0
      if (!isThere) lost.push(`${publicUrl}: acknowledged, and now ${answer.status} with ${bytes.length} bytes`)
    }
    return { lost, otherwise: this.#problems }
  }

  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.once()
      // Real time: pictures are costly, and the votes need the machine as well.
      await Bun.sleep(PAUSE_MS)
    }
  }

  /** Null if it was refused. */
  async #upload(picture: number): Promise<Uploaded | null> {
    const path = `brands/me/polls/${this.#poll}/images/upload-url`
    const ask = () => this.#client.write('POST', path, { slot: 'optionA', contentType: 'image/png' })
    const ticket = await this.#answer<TicketData>('a ticket', ask)
    if (!ticket) return null
    const { uploadUrl, headers } = ticket
    const put = () => fetch(this.#url + pathOf(uploadUrl), { method: 'PUT', headers, body: PICTURES[picture] ?? null })
    const made = await this.#answer<UploadedData>('an upload', put)
    if (!made) return null
    const uploaded = { publicUrl: made.publicUrl, picture }
    this.#acknowledged.push(uploaded)
    return uploaded
  }

  /** The data of a 200; null for a 503 in time, which is what a fault may cause. */
  async #answer<Data>(what: string, send: () => Promise<Response>): Promise<Data | null> {
    const sentAt = performance.now()
    try {
      const answer = await send()
      const text = await answer.text()
      const took = performance.now() - sentAt
      if (took > ANSWERED_WITHIN_MS) this.#problems.push(`${what} was answered after ${Math.round(took)} ms`)
      if (answer.status === 200) return (JSON.parse(text) as { data: Data }).data
      if (answer.status !== 503) this.#problems.push(`${what} was answered ${answer.status} ${text}`)
    } catch (error) {
      this.#problems.push(`${what} was not answered: ${error}`)
    }
    this.#refused++
    return null
  }
}
