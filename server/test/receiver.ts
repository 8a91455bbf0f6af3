import { Webhook } from 'standardwebhooks'
import { checkEvent } from './openapi-check.ts'

export interface Received {
  readonly id: string
  readonly timestamp: number
  readonly signatures: string[]
  readonly headers: Record<string, string>
  readonly body: string
  readonly payload: { type: string; timestamp: string; data: Record<string, unknown> }
  /** By the clock of the receiver. */
  readonly at: number
}

type Answer = (received: Received, count: number) => Response | Promise<Response>

const fine: Answer = () => new Response('thanks')

/** A brand's server on this machine: keeps what it got, holds it against openapi.json, and answers what a test says. */
export class Receiver {
  readonly received: Received[] = []
  answer: Answer = fine
  inFlight = 0
  /** Of an event that is not what openapi.json promises. */
  fault: unknown = null
  mostInFlight = 0
  readonly #server: ReturnType<typeof Bun.serve>

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

  /** Fails after a while, and then says what has come. */
  async until(isThere: (received: readonly Received[]) => boolean, withinMs = 10_000): Promise<readonly Received[]> {
    const deadline = performance.now() + withinMs
    while (!isThere(this.received)) {
      if (performance.now() > deadline) throw new Error(`not in time; received: ${this.types.join(' ') || 'nothing'}`)
      await Bun.sleep(2)
    }
    if (this.fault) throw this.fault
    return this.received
  }

  untilCount = (count: number, withinMs?: number): Promise<readonly Received[]> =>
    this.until((received) => received.length >= count, withinMs)

  stop(): Promise<void> {
    return this.#server.stop(true)
  }
}

/** By the public judge of Standard Webhooks: throws unless one of the signatures was made with this secret. */
export const verify = ({ headers, body }: Received, secret: string): unknown =>
  new Webhook(secret).verify(body, headers)

/** Whatever the time is: the judge signs the same, and the result must be among the signatures. */
export const isSignedWith = ({ id, timestamp, body, signatures }: Received, secret: string): boolean =>
  signatures.includes(new Webhook(secret).sign(id, new Date(timestamp * 1_000), body))
