import { eventually } from './eventually.ts'
import type { TalliesData } from './service.ts'

export interface TalliesEvent {
  readonly id: string
  readonly event: string
  readonly data: { slug: string; status: string; tallies: TalliesData; updatedAt: string }
  /** The arrival time, by the clock of `performance`. */
  readonly at: number
}

const STOPS_WITHIN_MS = 20_000

/** A client of server-sent events that keeps every event. */
export class StreamClient {
  readonly status: number
  readonly headers: Headers
  readonly events: TalliesEvent[] = []
  retry: number | null = null
  isEnded = false
  /** The body of an answer that is not a stream. */
  text = ''
  readonly #leaving: AbortController
  #unread = ''

  private constructor(response: Response, leaving: AbortController) {
    this.status = response.status
    this.headers = response.headers
    this.#leaving = leaving
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<StreamClient> {
    const leaving = new AbortController()
    const response = await fetch(url, { headers, signal: leaving.signal })
    const client = new StreamClient(response, leaving)
    if (response.headers.get('content-type') === 'text/event-stream') void client.#read(response)
    else client.text = await response.text()
    return client
  }

  get last(): TalliesEvent | undefined {
    return this.events.at(-1)
  }

  get totals(): number[] {
    return this.events.map(({ data }) => data.tallies.total)
  }

  leave(): void {
    this.#leaving.abort()
  }

  /** Resolves when `isTrue` returns true, and fails after a timeout. */
  async until(isTrue: (client: this) => boolean): Promise<void> {
    await eventually(() => isTrue(this), { withinMs: STOPS_WITHIN_MS, everyMs: 2, seen: () => this.events })
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder()
    try {
      for await (const part of response.body ?? []) this.#take(decoder.decode(part, { stream: true }))
    } catch {
      // Either side closed the connection.
    }
    this.isEnded = true
  }

  #take(text: string): void {
    const blocks = (this.#unread + text).split('\n\n')
    this.#unread = blocks.pop() ?? ''
    for (const block of blocks) this.#takeBlock(block.split('\n'))
  }

  #takeBlock(lines: readonly string[]): void {
    const fields = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
    const value = (name: string) => fields.get(name)?.trim() ?? ''
    if (fields.has('retry')) this.retry = Number(value('retry'))
    if (!fields.has('data')) return
    const data = JSON.parse(value('data')) as TalliesEvent['data']
    this.events.push({ id: value('id'), event: value('event'), data, at: performance.now() })
  }
}
