import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** One address for several servers: each connection goes to the next one. */
export class RoundRobin {
  readonly #ports: readonly number[]
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  #next = 0
  #writes = 0

  private constructor(urls: readonly string[]) {
    this.#ports = urls.map((url) => Number(new URL(url).port))
    // A client may end its half and still wait for the answer.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#join(socket))
  }

  static async open(urls: readonly string[]): Promise<RoundRobin> {
    const front = new RoundRobin(urls)
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve))
    return front
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Changes with everything that may be no read. */
  get writes(): number {
    return this.#writes
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(near: Socket): void {
    const port = this.#ports[this.#next++ % this.#ports.length] ?? 0
    near.on('data', (bytes: Buffer) => {
      if (bytes.toString('latin1', 0, 4) !== 'GET ') this.#writes++
    })
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from)
      from.setNoDelay(true)
      from.pipe(to)
      // `close` follows.
      from.on('error', () => undefined)
      from.on('close', () => this.#sockets.delete(from))
    }
    near.on('close', () => far.destroy())
    far.on('close', () => {
      // A server may answer and close while the client still sends: the client gets the answer.
      near.end()
      near.resume()
    })
  }
}
