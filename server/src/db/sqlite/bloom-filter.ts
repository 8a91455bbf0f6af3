const WORDS = 8
/** Bytes of a set in a row of the table. */
export const CHUNK = 64 * 1_024
/** One for each word of a block: it chooses the bit of a print there. */
const SALTS = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31] as const

/**
 * A Bloom filter of prints, whose bits for one print are in one block of 32 bytes, so that a look reads one line of the processor's
 * cache. It has every print that was added, and few others: at 16 bits a print about one of 500.
 */
export class BloomFilter {
  readonly #words: Uint32Array<ArrayBuffer>
  readonly #blocks: number

  constructor(words: Uint32Array<ArrayBuffer>) {
    this.#words = words
    this.#blocks = words.length / WORDS
  }

  static ofBits(bits: number): BloomFilter {
    return new BloomFilter(new Uint32Array(WORDS * Math.max(1, Math.ceil(bits / (32 * WORDS)))))
  }

  static ofChunks(chunks: readonly Uint8Array[]): BloomFilter {
    const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const chunk of chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return new BloomFilter(new Uint32Array(bytes.buffer))
  }

  get chunks(): number {
    return Math.ceil(this.#words.byteLength / CHUNK)
  }

  /** To be stored: Bun runs only on machines with this order of bytes. */
  chunk(at: number): Uint8Array {
    return new Uint8Array(this.#words.buffer, at * CHUNK, Math.min(CHUNK, this.#words.byteLength - at * CHUNK))
  }

  add(print: number): void {
    const words = this.#words
    const mixed = mix(print)
    const at = this.#blockOf(print)
    for (let i = 0; i < WORDS; i++) {
      words[at + i] = (words[at + i] as number) | (1 << (Math.imul(mixed, SALTS[i] as number) >>> 27))
    }
  }

  has(print: number): boolean {
    const words = this.#words
    const mixed = mix(print)
    const at = this.#blockOf(print)
    for (let i = 0; i < WORDS; i++) {
      if (((words[at + i] as number) & (1 << (Math.imul(mixed, SALTS[i] as number) >>> 27))) === 0) return false
    }
    return true
  }

  #blockOf(print: number): number {
    return WORDS * Math.floor((print / 2 ** 32) * this.#blocks)
  }
}

/** The upper bits of a print choose the block, so the bits in it follow from all of them. */
const mix = (print: number): number => Math.imul(print ^ (print >>> 15), 0x2c1b3c6d) ^ (print << 7)
