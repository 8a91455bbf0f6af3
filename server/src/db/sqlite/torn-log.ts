import { closeSync, copyFileSync, openSync, readSync, statSync } from 'node:fs'
import { endianness } from 'node:os'
import { reasonOf } from '../../base/errors.ts'
import { counted } from '../../base/text.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const FRAMES_A_READ = 128
/** Longer than one write of another process takes. */
const SECOND_LOOK_MS = 50

/** SQLite will not read the end of its log again, because a checksum there is wrong. */
export class LogTorn extends Error {}

interface Torn {
  readonly path: string
  readonly bytes: number
  /** The start of the first frame that is wrong. */
  readonly at: number
  /** The transactions that are lost. Null if the log has no readable header, and all are. */
  readonly commits: number | null
}

/**
 * At its start SQLite reads its log up to the first wrong checksum and drops the rest without a word. That is right for
 * what was not yet on the disk when the power failed, and hides the loss of votes that a failing disk has damaged since.
 * Call it before the database is opened: SQLite overwrites the end of the log, so a copy is kept. Null if nothing is lost.
 */
export function findTornLog(path: string): LogTorn | null {
  const torn = locateTornLog(path)
  if (torn === null) return null
  const lost =
    torn.commits === null
      ? 'all its transactions are'
      : `its last ${counted(torn.commits, 'transaction is', 'transactions are')}`
  return new LogTorn(`${path} is damaged at byte ${torn.at} of ${torn.bytes}: ${lost} lost. ${copyOf(torn)}`)
}

/** Where the log is torn. Leaves it as it is. */
export function locateTornLog(path: string): Torn | null {
  const torn = look(path)
  if (torn === null) return null
  // Another process may be writing just now, with its last frame half written.
  Bun.sleepSync(SECOND_LOOK_MS)
  const again = look(path)
  return again?.at === torn.at && again.bytes === torn.bytes ? torn : null
}

function copyOf({ path }: Torn): string {
  const copy = `${path}.torn-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`
  try {
    copyFileSync(path, copy)
    return `A copy of the log is ${copy}.`
  } catch (error) {
    return `The log could not be copied: ${reasonOf(error)}.`
  }
}

function look(path: string): Torn | null {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (bytes <= HEADER_BYTES) return null
  const fd = openSync(path, 'r')
  try {
    const header = new Words(HEADER_BYTES)
    header.read(fd, 0)
    const sum = new Checksum(header.isSwapped)
    sum.add(header, 0, HEADER_BYTES - 8)
    if (!sum.equals(header, HEADER_BYTES - 8)) return { path, bytes, at: 0, commits: null }
    const { at, commits } = new Frames(header, sum).read(fd, bytes)
    return at !== null && commits > 0 ? { path, bytes, at, commits } : null
  } finally {
    closeSync(fd)
  }
}

/** The format: https://sqlite.org/fileformat2.html#walformat */
class Frames {
  readonly #header: Words
  readonly #sum: Checksum
  readonly #pageBytes: number
  #tornAt: number | null = null
  #commitsAfter = 0

  constructor(header: Words, sum: Checksum) {
    this.#header = header
    this.#sum = sum
    this.#pageBytes = header.bigEndian(8)
  }

  read(fd: number, bytes: number): { at: number | null; commits: number } {
    const frameBytes = FRAME_HEADER_BYTES + this.#pageBytes
    const chunk = new Words(FRAMES_A_READ * frameBytes)
    for (let start = HEADER_BYTES; start + frameBytes <= bytes; start += chunk.length) {
      const read = chunk.read(fd, start)
      for (let frame = 0; frame + frameBytes <= read; frame += frameBytes) {
        // Behind the frames of this log lie those of the one that it overwrites.
        if (this.#isOfThisLog(chunk, frame)) this.#add(chunk, frame, start + frame)
        else if (this.#tornAt === null) return { at: null, commits: 0 }
      }
    }
    return { at: this.#tornAt, commits: this.#commitsAfter }
  }

  #isOfThisLog(chunk: Words, frame: number): boolean {
    const salts = [chunk.bigEndian(frame + 8), chunk.bigEndian(frame + 12)]
    return salts[0] === this.#header.bigEndian(16) && salts[1] === this.#header.bigEndian(20)
  }

  #add(chunk: Words, frame: number, at: number): void {
    if (this.#tornAt === null) {
      this.#sum.add(chunk, frame, 8)
      this.#sum.add(chunk, frame + FRAME_HEADER_BYTES, this.#pageBytes)
      if (!this.#sum.equals(chunk, frame + 16)) this.#tornAt = at
    }
    const isCommit = chunk.bigEndian(frame + 4) > 0
    if (this.#tornAt !== null && isCommit) this.#commitsAfter++
  }
}

/** Bytes of a file as 32-bit words. */
class Words {
  readonly #bytes: Buffer
  readonly words: Uint32Array

  constructor(size: number) {
    const memory = new ArrayBuffer(size)
    this.#bytes = Buffer.from(memory)
    this.words = new Uint32Array(memory)
  }

  get length(): number {
    return this.#bytes.length
  }

  /** The magic number says in which byte order the checksums were computed: that of the machine that wrote the log. */
  get isSwapped(): boolean {
    const isBigEndian = (this.bigEndian(0) & 1) === 1
    return isBigEndian !== (endianness() === 'BE')
  }

  read(fd: number, at: number): number {
    return readSync(fd, this.#bytes, 0, this.length, at)
  }

  bigEndian(at: number): number {
    return this.#bytes.readUInt32BE(at)
  }
}

class Checksum {
  readonly #isSwapped: boolean
  #first = 0
  #second = 0

  constructor(isSwapped: boolean) {
    this.#isSwapped = isSwapped
  }

  add({ words }: Words, from: number, bytes: number): void {
    const end = (from + bytes) / 4
    let [first, second] = [this.#first, this.#second]
    for (let i = from / 4; i < end; i += 2) {
      first = (first + this.#ordered(words[i] ?? 0) + second) | 0
      second = (second + this.#ordered(words[i + 1] ?? 0) + first) | 0
    }
    this.#first = first
    this.#second = second
  }

  equals(words: Words, at: number): boolean {
    return words.bigEndian(at) === this.#first >>> 0 && words.bigEndian(at + 4) === this.#second >>> 0
  }

  #ordered(word: number): number {
    if (!this.#isSwapped) return word
    return ((word & 0xff) << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)
  }
}
