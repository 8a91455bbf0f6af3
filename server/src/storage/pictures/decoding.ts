import { setTimeout as pause } from 'node:timers/promises'
import { Semaphore } from '../../base/semaphore.ts'
import { away } from '../file-store.ts'
import { Inbox } from './inbox.ts'

export const MOST_PIXELS = 25_000_000
/** Of the time that a picture took, under pressure: all that waits must still be answered before somebody gives up. */
const REST = 0.5
const LOOK_EVERY_MS = 20

/**
 * Bun decodes and encodes on threads of its own, as many at once as it is asked for, and 25 million pixels are
 * 100 MB: so a server works on one picture at a time. Such a thread takes half a core for as long as it has work: where
 * something presses that cannot wait, the next picture begins later.
 */
export class Decoding {
  readonly inbox = new Inbox()
  readonly #semaphore = new Semaphore(1)
  readonly #isPressed: () => boolean
  #restUntil = 0

  constructor({ isPressed = () => false }: { isPressed?: () => boolean } = {}) {
    this.#isPressed = isPressed
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#semaphore.run(async () => {
      while (performance.now() < this.#restUntil && this.#isPressed()) await pause(LOOK_EVERY_MS)
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        const now = performance.now()
        this.#restUntil = now + REST * (now - startedAt)
      }
    })
  }
}

export const imageErrorOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_IMAGE_') ? String(error.code) : null

/** From file to file, past our own memory. What is no fault of the picture is one of the disk. */
export async function writeImage(image: Bun.Image, to: string): Promise<number> {
  try {
    return await image.write(to)
  } catch (error) {
    if (imageErrorOf(error)) throw error
    return away(error)
  }
}
