import type { KeyValueStore } from './storage.ts'
import { shared } from './wire/one-run.ts'
import { randomId } from './wire/random-id.ts'

/** The storage key of the device id, shared by all embeds of a page, so that they are one device. */
export const DEVICE_KEY = 'tossup.device'

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The device: a random UUID, made at the first vote and kept from then on. */
export class Device {
  readonly #store: KeyValueStore
  readonly #given: string | undefined
  /** The id, made now if there is none. Concurrent votes get the same one. */
  readonly id = shared(() => this.#make())

  /** `given` is your own id, instead of one that is made and stored. */
  constructor(store: KeyValueStore, given?: string) {
    this.#store = store
    this.#given = given
  }

  /** Null before the first vote. */
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
    // Another tab may have made one at the same moment: the stored one counts.
    return (await this.known()) ?? made
  }
}
