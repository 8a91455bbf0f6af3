import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * The fate of a request: it passes, its connection is cut before the service receives it, its answer never arrives, or only
 * half of its answer does.
 */
export type Fault = 'pass' | 'refuse' | 'lose' | 'halve'

/** A proxy before a service that spoils requests in the order of `plan`; requests after the plan pass. */
export class FaultyProxy {
  readonly plan: Fault[] = []
  /** The fault of each request so far. */
  readonly seen: Fault[] = []
  readonly #target: URL
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((socket) => this.#join(socket))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(near: Socket): void {
    const far = connect(Number(this.#target.port), this.#target.hostname)
    let fault: Fault = 'pass'
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
    // Requests of these tests are small: each arrives in one chunk.
    near.on('data', (bytes) => {
      fault = this.plan.shift() ?? 'pass'
      this.seen.push(fault)
      if (fault === 'refuse') near.destroy()
      else far.write(bytes)
    })
    far.on('data', (bytes: Buffer) => {
      if (fault === 'lose') near.destroy()
      else if (fault === 'halve') near.end(bytes.subarray(0, bytes.length / 2), () => near.destroy())
      else near.write(bytes)
    })
  }
}
