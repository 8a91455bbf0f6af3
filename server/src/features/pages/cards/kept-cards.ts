import { Cache } from '../../../base/cache.ts'
import { unavailable } from '../../../base/errors.ts'
import { SingleFlight } from '../../../base/single-flight.ts'
import { etagOf } from '../../../http/answers/caching.ts'

const MOST_BYTES = 32 * 1024 * 1024
const MOST_WAITING = 32
const RETRY_SECONDS = 2

export interface DrawnCard {
  readonly bytes: Blob
  readonly etag: string
}

/** Drawn cards. Requests for a card that is being drawn share the drawing; too many waiting cards are 503. */
export class KeptCards {
  readonly #kept: Cache<string, DrawnCard>
  readonly #drawing = new SingleFlight<string, DrawnCard>()

  constructor(mostBytes = MOST_BYTES) {
    this.#kept = new Cache(mostBytes, ({ bytes }) => bytes.size)
  }

  async find(version: string, draw: () => Promise<Uint8Array>): Promise<DrawnCard> {
    const kept = this.#kept.get(version)
    if (kept) return kept
    if (this.#drawing.size >= MOST_WAITING && !this.#drawing.has(version)) {
      throw unavailable(RETRY_SECONDS, { reason: 'the queue of share pictures is full' })
    }
    return this.#drawing.run(version, () => this.#draw(version, draw))
  }

  async #draw(version: string, draw: () => Promise<Uint8Array>): Promise<DrawnCard> {
    const bytes = await draw()
    const card = { bytes: new Blob([bytes]), etag: etagOf(bytes) }
    this.#kept.set(version, card)
    return card
  }
}
