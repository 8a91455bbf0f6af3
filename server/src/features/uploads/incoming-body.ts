import { stat } from 'node:fs/promises'
import { payloadTooLarge, ticketNotFound } from '../../base/errors.ts'
import { StoreAway } from '../../files/file-store.ts'
import type { Unfinished } from '../../files/unfinished.ts'
import { ClientGone } from '../../http/incoming.ts'

const LOOK_EVERY_MS = 100

interface Limits {
  readonly most: number
  readonly isOver: () => boolean
}

/**
 * Bun writes the body to the disk as it arrives, without passing it through JavaScript. It starts at once: a body
 * that waits stays in memory, more than a megabyte of each. The file's size is the counter.
 */
export class IncomingBody {
  readonly path: string
  readonly #uploads: Unfinished
  readonly #writing: Promise<number>
  #isSettled = false

  constructor(uploads: Unfinished, request: Request) {
    this.#uploads = uploads
    this.path = uploads.newPath()
    // The types name only Response, but Bun takes any body.
    this.#writing = Bun.write(this.path, request as unknown as Response).catch((error) => {
      throw request.signal.aborted ? new ClientGone() : new StoreAway(error)
    })
    const settle = () => {
      this.#isSettled = true
    }
    this.#writing.then(settle, settle)
  }

  /** Resolves with its size when the body is complete. */
  async whole({ most, isOver }: Limits): Promise<number> {
    const stopped = Promise.withResolvers<never>()
    const look = setInterval(async () => {
      if (isOver()) stopped.reject(ticketNotFound())
      else if ((await sizeOf(this.path)) > most) stopped.reject(payloadTooLarge(most, { isEndless: true }))
    }, LOOK_EVERY_MS)
    try {
      const size = await Promise.race([this.#writing, stopped.promise])
      if (isOver()) throw ticketNotFound()
      if (size > most) throw payloadTooLarge(most, { isEndless: false })
      return size
    } finally {
      clearInterval(look)
    }
  }

  /** A body that is still arriving ends with its request, and its file can be removed only then. */
  async discard(): Promise<void> {
    const remove = () => this.#uploads.discard(this.path)
    if (this.#isSettled) await remove()
    else void this.#writing.then(remove, remove)
  }
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0
