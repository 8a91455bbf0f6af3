import { shared } from './one-run.ts'
import { randomId } from './random-id.ts'
import type { KeyValueStore } from './storage.ts'

/** Under this name the id is kept, by every kind of embed of a page, so that they are one device. */
export const DEVICE_KEY = 'tossup.device'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Who votes here: a random UUID, made at the first vote and never before, and kept from then on. */
export class Device {
  readonly #store: KeyValueStore
  readonly #given: string | undefined
  /** The id, made now if there is none. Votes at the same moment get the same one. */
  readonly id = shared(() => this.#make())

  /** `given` is an id of your own, in place of one that is made and kept. */
  constructor(store: KeyValueStore, given?: string) {
    this.#store = store
    this.#given = given
  }

  /** Null as long as nobody has voted here. */
  async known(): Promise<string | null> {
    if (this.#given) return this.#given
    const kept = await this.#store.getItem(DEVICE_KEY)
    return kept && UUID.test(kept) ? kept : null
  }

  async #make(): Promise<string> {
    const known = await this.known()
    if (known) return known
    const made = randomId()
    await this.#store.setItem(DEVICE_KEY, made)
    // Another tab may have made one at the same moment: what is kept is what counts.
    return (await this.known()) ?? made
  }
}
