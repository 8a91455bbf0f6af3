// storage/cards: draws share cards as JPEG, in a thread of its own.

import { unavailable } from '../../base/errors.ts'
import { Semaphore } from '../../base/semaphore.ts'

const IDLE_MS = 10_000
/** What takes longer is given up: nothing that we draw does, on a machine that has time. */
const MOST_MS = 10_000

interface Times {
  readonly idleMs?: number
  readonly mostMs?: number
}

/** Draws one picture at a time, in a thread beside the event loop that ends when there is nothing to draw. */
export class CardDrawer {
  readonly #semaphore = new Semaphore(1)
  readonly #idleMs: number
  readonly #mostMs: number
  #painter: Worker | null = null
  #idle: ReturnType<typeof setTimeout> | undefined

  constructor({ idleMs = IDLE_MS, mostMs = MOST_MS }: Times = {}) {
    this.#idleMs = idleMs
    this.#mostMs = mostMs
  }

  get hasThread(): boolean {
    return this.#painter !== null
  }

  /** A JPEG. Its parts are put together when its turn has come, so that those of one picture are in memory. */
  draw(makeSvg: () => Promise<string>): Promise<Uint8Array> {
    return this.#semaphore.run(async () => {
      const svg = await makeSvg()
      clearTimeout(this.#idle)
      this.#painter ??= newPainter()
      try {
        return await paint(this.#painter, svg, this.#mostMs)
      } catch (error) {
        this.#end()
        throw error
      } finally {
        this.#idle = setTimeout(() => this.#end(), this.#idleMs)
        this.#idle.unref()
      }
    })
  }

  #end(): void {
    this.#painter?.terminate()
    this.#painter = null
  }
}

function newPainter(): Worker {
  const painter = new Worker(new URL('./card-painter.ts', import.meta.url))
  painter.unref()
  return painter
}

function paint(painter: Worker, svg: string, mostMs: number): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const late = setTimeout(() => reject(unavailable()), mostMs)
  painter.onmessage = ({ data }: MessageEvent<Uint8Array>) => resolve(data)
  painter.onerror = ({ message }) => reject(new Error(`a card could not be drawn: ${message}`))
  painter.postMessage(svg)
  return promise.finally(() => clearTimeout(late))
}
