interface Purge {
  readonly keys: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly method: string
}

type Answering = (attempt: number) => Response | Promise<Response>

/** A CDN that records what it is told to purge, and answers as the test decides. */
export class Cdn {
  readonly purges: Purge[] = []
  readonly faults: string[] = []
  answer: Answering = () => new Response('{"status":"ok"}')
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) => this.#take(request),
  })
  #arrival = Promise.withResolvers<void>()

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/purge`
  }

  /** All keys so far, sorted, each as often as it was purged. */
  get keys(): string[] {
    return this.purges.flatMap(({ keys }) => keys).sort()
  }

  /** Waits for the number of requests; the time limit of the test is its own. */
  async until(count: number): Promise<void> {
    while (this.purges.length < count) await this.#arrival.promise
  }

  stop(): Promise<void> {
    return this.#server.stop(true)
  }

  async #take(request: Request): Promise<Response> {
    const headers = Object.fromEntries(request.headers)
    const body = await request.text()
    const keys = (headers['surrogate-key'] ?? '').split(' ')
    if (body !== JSON.stringify({ surrogate_keys: keys })) this.faults.push(`header ${keys}, body ${body}`)
    this.purges.push({ keys, headers, method: request.method })
    this.#arrival.resolve()
    this.#arrival = Promise.withResolvers()
    return this.answer(this.purges.length)
  }
}
