import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

type Refusal = (first: Buffer) => Buffer | null

/** A proxy before a server, with which a test can make the server unreachable and reachable again. */
export class TcpProxy {
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  readonly #forgotten = new WeakSet<Socket>()
  #server: Server | null = null
  #port = 0
  #isSilent = false
  #refusal: Refusal = () => null
  #isLast: (bytes: Buffer) => boolean = () => false

  constructor(target: string) {
    this.#target = new URL(target)
  }

  /** The target's URL through this proxy. */
  get url(): string {
    return Object.assign(new URL(this.#target), { hostname: '127.0.0.1', port: String(this.#port) }).href
  }

  async open(): Promise<void> {
    const server = createServer((socket) => this.#join(socket))
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** Cuts every connection and refuses new ones. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = null
    for (const socket of this.#sockets) socket.destroy()
    if (server) await new Promise((resolve) => server.close(resolve))
  }

  /** Keeps and accepts connections but forwards nothing, like a network that has lost its route. */
  silence(isSilent: boolean): void {
    this.#isSilent = isSilent
  }

  /** Drops what open connections send, without a word, like a router that has lost its table. New connections work. */
  forget(): void {
    for (const socket of this.#sockets) this.#forgotten.add(socket)
  }

  /** Answers new connections instead of the target; null forwards them. Open connections are not affected. */
  refuse(refusal: Refusal): void {
    this.#refusal = refusal
  }

  /** Forwards the bytes for which `isLast` returns true, and cuts the connection before the answer. */
  cutAfter(isLast: (bytes: Buffer) => boolean): void {
    this.#isLast = isLast
  }

  #join(near: Socket): void {
    near.once('data', (first: Buffer | string) => {
      const refused = this.#refusal(Buffer.from(first))
      if (refused) near.end(refused)
    })
    const far = connect(Number(this.#target.port), this.#target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from)
      from.setNoDelay(true)
      from.on('data', (bytes) => {
        if (this.#isSilent || this.#forgotten.has(from)) return
        if (from === near && this.#isLast(Buffer.from(bytes))) to.end(bytes, () => near.destroy())
        else to.write(bytes)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
    }
  }
}
