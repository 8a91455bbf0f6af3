/** Devices are random bytes: 16 each. */
const WORDS = 4

/** How many votes each device of a fixed number of devices has: an open-addressed table of 30 bytes a device, a tenth of a Map's. */
export class DeviceCounts {
  readonly #slots: Uint32Array
  readonly #devices: Uint32Array
  readonly #votes: Uint8Array
  #size = 0

  constructor(most: number) {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(2 * most, 2))))
    this.#devices = new Uint32Array(WORDS * most)
    this.#votes = new Uint8Array(most)
  }

  /** Counts a vote of a device that has none yet. */
  addFirst(device: Uint8Array): void {
    const slot = this.#slotOf(device)
    for (let word = 0; word < WORDS; word++) this.#devices[WORDS * this.#size + word] = wordOf(device, word)
    this.#votes[this.#size] = 1
    this.#slots[slot] = ++this.#size
  }

  /** Counts one more vote, unless `addFirst` does not know the device. */
  add(device: Uint8Array): void {
    const place = this.#slots[this.#slotOf(device)] ?? 0
    if (place > 0) this.#votes[place - 1] = (this.#votes[place - 1] ?? 0) + 1
  }

  /** The number of devices with so many votes. */
  having(votes: number): number {
    let found = 0
    for (let i = 0; i < this.#size; i++) if (this.#votes[i] === votes) found++
    return found
  }

  /** The slot of the device, or the empty one where it belongs. */
  #slotOf(device: Uint8Array): number {
    const mask = this.#slots.length - 1
    for (let slot = wordOf(device, 0) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot] ?? 0
      if (place === 0 || this.#isAt(place - 1, device)) return slot
    }
  }

  #isAt(i: number, device: Uint8Array): boolean {
    for (let word = 0; word < WORDS; word++) if (this.#devices[WORDS * i + word] !== wordOf(device, word)) return false
    return true
  }
}

function wordOf(device: Uint8Array, word: number): number {
  const at = word * 4
  const [a = 0, b = 0, c = 0, d = 0] = [device[at], device[at + 1], device[at + 2], device[at + 3]]
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
}
