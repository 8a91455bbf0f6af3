import { AttemptFailed } from './attempt-failures.ts'

const SIZE = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i
/** Of a line with the size of a chunk; its extensions are read and forgotten. */
const KEPT_OF_LINE = 16
const CR = 0x0d
const LF = 0x0a

/** Decodes a body in chunks, as it arrives: one pass over its bytes, however they are cut. */
export class ChunkedBody {
  #line = ''
  /** Bytes of the current chunk that are still to come. */
  #left = 0
  #expects: 'size' | 'data' | 'end of data' | 'trailers' = 'size'
  #isDone = false

  get isDone(): boolean {
    return this.#isDone
  }

  /** The content in these bytes. */
  add(bytes: Buffer): Buffer[] {
    const content: Buffer[] = []
    let at = 0
    while (at < bytes.length && !this.#isDone) {
      if (this.#expects === 'data') {
        const part = bytes.subarray(at, at + this.#left)
        content.push(part)
        at += part.length
        this.#left -= part.length
        if (this.#left === 0) this.#expects = 'end of data'
      } else this.#read(bytes[at++] ?? 0)
    }
    return content
  }

  #read(byte: number): void {
    if (byte === LF) {
      this.#endLine(this.#line)
      this.#line = ''
    } else if (byte !== CR && this.#line.length < KEPT_OF_LINE) this.#line += String.fromCharCode(byte)
  }

  #endLine(line: string): void {
    if (this.#expects === 'size') {
      const digits = SIZE.exec(line)?.[1]
      if (digits === undefined) throw new AttemptFailed('malformed_answer')
      this.#left = Number.parseInt(digits, 16)
      this.#expects = this.#left === 0 ? 'trailers' : 'data'
    } else if (this.#expects === 'end of data') {
      if (line !== '') throw new AttemptFailed('malformed_answer')
      this.#expects = 'size'
    } else this.#isDone = line === ''
  }
}
