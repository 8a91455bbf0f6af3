import { open } from 'node:fs/promises'

export const MOST_PICTURE_BYTES = 5 * 1024 * 1024

/**
 * One buffer for all uploads, which are read one at a time: a new one for each would wait for the garbage collector. Only a
 * stored picture, which an archive brings back, can be larger than an upload.
 */
export class Inbox {
  readonly #room = Buffer.allocUnsafeSlow(MOST_PICTURE_BYTES)

  /** The bytes of a file, valid until the next call. */
  async read(path: string): Promise<Uint8Array> {
    const file = await open(path, 'r')
    try {
      const stored = (await file.stat()).size
      const room = stored > this.#room.length ? Buffer.allocUnsafeSlow(stored) : this.#room
      let size = 0
      for (let read = -1; read !== 0; size += read) {
        read = (await file.read(room, size, room.length - size)).bytesRead
      }
      return room.subarray(0, size)
    } finally {
      await file.close()
    }
  }
}
