const NEWLINE = 10

/** Puts lines together from the pieces in which a pipe hands them over. */
export class Lines {
  readonly #onLine: (line: string) => void
  #parts: Uint8Array[] = []
  /** Bytes of the line that has not ended yet. */
  pending = 0

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(bytes: Uint8Array): void {
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#keep(bytes.subarray(start, end))
      const line = Buffer.concat(this.#parts).toString('utf8')
      this.#parts = []
      this.pending = 0
      this.#onLine(line)
      start = end + 1
    }
    this.#keep(bytes.subarray(start))
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return
    this.#parts.push(part)
    this.pending += part.length
  }
}
