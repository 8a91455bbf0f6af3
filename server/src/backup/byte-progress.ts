import type { Chunks } from './archive.ts'

const SHOW_EVERY_MS = 200
const MEGABYTE = 1_000_000

/** Counts bytes, and shows them in one line on a terminal. */
export class ByteProgress {
  readonly #word: string
  readonly #isShown: boolean
  readonly #startedAt = performance.now()
  #shownAt = 0
  #bytes = 0

  constructor(word: string, { isShown }: { isShown: boolean }) {
    this.#word = word
    this.#isShown = isShown
  }

  async *count(chunks: Chunks): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length
      this.#show()
      yield chunk
    }
  }

  /** Ends the line, so that what follows begins a new one. */
  end(): void {
    if (this.#isShown && this.#shownAt > 0) process.stderr.write('\r\x1b[K')
  }

  #show(): void {
    const now = performance.now()
    if (!this.#isShown || now - this.#shownAt < SHOW_EVERY_MS) return
    this.#shownAt = now
    const seconds = (now - this.#startedAt) / 1_000
    const megabytes = this.#bytes / MEGABYTE
    process.stderr.write(`\r\x1b[K${this.#word}: ${megabytes.toFixed(0)} MB, ${(megabytes / seconds).toFixed(0)} MB/s`)
  }
}
