import { randomBytes } from 'node:crypto'

export const CALLBACK = 'http://127.0.0.1:33418/callback'

interface Document {
  readonly [name: string]: unknown
}

/** A server of metadata documents. Each is at its own address, which is the client's id. */
export class ClientSite {
  readonly #documents = new Map<string, (url: string) => Response | Promise<Response>>()
  /** The paths that were asked for. */
  readonly asked: string[] = []
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      this.asked.push(pathname)
      return this.#documents.get(pathname)?.(request.url) ?? new Response('no such client', { status: 404 })
    },
  })

  get origin(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  get host(): string {
    return new URL(this.origin).host
  }

  /** Returns the id. */
  add(document: Document = {}, name = `/client-${randomBytes(4).toString('hex')}.json`): string {
    const id = `${this.origin}${name}`
    const whole = { client_id: id, client_name: 'Poll writer', redirect_uris: [CALLBACK], ...document }
    this.#documents.set(name, () => Response.json(whole))
    return id
  }

  answer(name: string, work: () => Response | Promise<Response>): string {
    this.#documents.set(name, work)
    return `${this.origin}${name}`
  }

  /** Lets the process end without a stop. */
  unref(): this {
    this.#server.unref()
    return this
  }

  stop(): void {
    void this.#server.stop(true)
  }
}
