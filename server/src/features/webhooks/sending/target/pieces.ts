import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** A read of the runtime brings 64 KiB: thousands of informational answers or chunks, which its parser would read in one turn. */
const PIECE_BYTES = 2_048

/** A connection whose answer comes in small pieces, each in its own turn of the event loop. */
export class Pieces extends Duplex {
  readonly #socket: Socket
  #left: Buffer = Buffer.alloc(0)
  /** How the connection ended. */
  #end: (() => void) | null = null

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.on('data', (bytes: Buffer) => {
      socket.pause()
      this.#left = bytes
      this.#next()
    })
    socket.on('end', () => this.#ends(() => this.push(null)))
    socket.on('error', (error) => this.#ends(() => this.destroy(error)))
    socket.on('close', () => this.#ends(() => this.destroy()))
  }

  /** After the pieces that came before. */
  #ends(end: () => void): void {
    this.#end ??= end
    if (this.#left.length === 0) this.#end()
  }

  #next(): void {
    if (this.destroyed || this.#left.length === 0) return
    const piece = this.#left.subarray(0, PIECE_BYTES)
    this.#left = this.#left.subarray(PIECE_BYTES)
    this.push(piece)
  }

  override _read(): void {
    if (this.#left.length > 0) setImmediate(() => this.#next())
    else if (this.#end) this.#end()
    else this.#socket.resume()
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    // The socket's own error comes later and says more, such as that of a certificate.
    this.#socket.write(bytes, () => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
