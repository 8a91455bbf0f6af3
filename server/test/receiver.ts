import { Webhook } from 'standardwebhooks'
import { checkEvent } from './openapi-check.ts'

export interface Received {
  readonly id: string
  readonly timestamp: number
  readonly signatures: string[]
  readonly headers: Record<string, string>
  readonly body: string
  readonly payload: { type: string; timestamp: string; data: Record<string, unknown> }
  /** By the receiver's clock. */
  readonly at: number
}

type Answer = (received: Received, count: number) => Response | Promise<Response>

const fine: Answer = () => new Response('thanks')

/** A local brand server: records what it receives, validates it against openapi.json, and answers as the test decides. */
export class Receiver {
  readonly received: Received[] = []
  answer: Answer = fine
  inFlight = 0
  /** The first validation error of an event against openapi.json. */
  fault: unknown = null
  mostInFlight = 0
  readonly #server: ReturnType<typeof Bun.serve>
  #arrival = Promise.withResolvers<void>()

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 60,
      fetch: (request) => this.#take(request),
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/hook`
  }

  get types(): string[] {
    return this.received.map(({ payload }) => payload.type)
  }

  async #take(request: Request): Promise<Response> {
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight)
    try {
      const headers = Object.fromEntries(request.headers)
      const body = await request.text()
      const received: Received = {
        id: headers['webhook-id'] ?? '',
        timestamp: Number(headers['webhook-timestamp']),
        signatures: (headers['webhook-signature'] ?? '').split(' '),
        headers,
        body,
        payload: JSON.parse(body),
        at: Date.now(),
      }
      this.received.push(received)
      this.#check(received)
      this.#noteArrival()
      return await this.answer(received, this.received.length)
    } finally {
      this.inFlight--
    }
  }

  #check({ payload }: Received): void {
    try {
      checkEvent(payload)
    } catch (error) {
      this.fault ??= error
    }
  }

  /** Waits for a condition. On timeout, the failure lists the received events. */
  async until(isThere: (received: readonly Received[]) => boolean, withinMs = 20_000): Promise<readonly Received[]> {
    let isLate = false
    // Real time: a deadline.
    const deadline = setTimeout(() => {
      isLate = true
      this.#noteArrival()
    }, withinMs)
    try {
      while (!isThere(this.received)) {
        if (isLate) throw new Error(`not in time; received: ${this.types.join(' ') || 'nothing'}`)
        await this.#arrival.promise
      }
    } finally {
      clearTimeout(deadline)
    }
    if (this.fault) throw this.fault
    return this.received
  }

  /** Wakes waiting tests, which check their condition again. */
  #noteArrival(): void {
    this.#arrival.resolve()
    this.#arrival = Promise.withResolvers()
  }

  untilCount = (count: number, withinMs?: number): Promise<readonly Received[]> =>
    this.until((received) => received.length >= count, withinMs)

  stop(): Promise<void> {
    return this.#server.stop(true)
  }
}

/** Verifies with the reference library of Standard Webhooks: throws unless a signature was made with this secret. */
export const verify = ({ headers, body }: Received, secret: string): unknown =>
  new Webhook(secret).verify(body, headers)

/** Ignores the age of the event: signs it again with the reference library and compares the signatures. */
export const isSignedWith = ({ id, timestamp, body, signatures }: Received, secret: string): boolean =>
  signatures.includes(new Webhook(secret).sign(id, new Date(timestamp * 1_000), body))
