import { connect, type Socket } from 'node:net'

/** A client that requests a file and reads it only when told to. */
export class SlowReader {
  readonly ended: Promise<string>
  readonly #socket: Socket
  #received = ''

  constructor(address: string, headers: Readonly<Record<string, string>>) {
    const { hostname, port, pathname } = new URL(address)
    this.#socket = connect(Number(port), hostname).setEncoding('latin1').pause()
    this.ended = new Promise((resolve) => {
      // Some tests expect the server to cut the connection.
      this.#socket.on('error', () => undefined)
      this.#socket.on('close', () => resolve(this.#received))
    })
    const lines = Object.entries({ Host: 'x', Connection: 'close', ...headers }).map((pair) => pair.join(': '))
    this.#socket.write(`GET ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  }

  /** Resolves when the answer begins; its rest waits. */
  async status(): Promise<number> {
    await this.#readSome()
    return Number(this.#received.slice('HTTP/1.1 '.length).slice(0, 3))
  }

  /** Resolves when this many bytes have come; the rest waits. */
  async upTo(bytes: number): Promise<void> {
    while (this.#received.length < bytes) await this.#readSome()
  }

  #readSome(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once('data', (text: string) => {
        this.#socket.pause()
        this.#received += text
        resolve()
      })
      this.#socket.resume()
    })
  }

  /** Collects all bytes from now on. */
  read(): void {
    this.#socket.on('data', (text: string) => {
      this.#received += text
    })
    this.#socket.resume()
  }

  get received(): string {
    return this.#received
  }

  leave(): void {
    this.#socket.destroy()
  }
}

/** The end of a whole answer in chunks. With the line break before it, because the data of the chunk before may end in a zero. */
export const LAST_CHUNK = '\r\n0\r\n\r\n'
