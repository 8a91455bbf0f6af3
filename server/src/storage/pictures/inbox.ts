import { open } from 'node:fs/promises'

export const MOST_PICTURE_BYTES = 5 * 1024 * 1024

/** One buffer for all pictures, which are read one at a time: a new one for each would wait for the garbage collector. */
export class Inbox {
  readonly #room = Buffer.allocUnsafeSlow(MOST_PICTURE_BYTES)

  /** The bytes of a file, valid until the next call. */
  async read(path: string): Promise<Uint8Array> {
    const file = await open(path, 'r')
    try {
      let size = 0
      for (let read = -1; read !== 0; size += read) {
        read = (await file.read(this.#room, size, this.#room.length - size)).bytesRead
      }
      return this.#room.subarray(0, size)
    } finally {
      await file.close()
    }
  }
}
