import type { Database, Statement } from 'bun:sqlite'

/** As many as fit into a quarter of a page, so that SQLite splits no part. */
export const ENTRIES_OF_PART = 120

type Add = Statement<unknown, [number, number, number, Uint8Array]>

/** Writes entries, which must come in the order of poll, print and position, as the parts of a run. */
export class PartWriter {
  readonly #runKey: number
  readonly #add: Add
  readonly #mostEntries: number
  #pollKey = 0
  /** Position and print in turn. */
  #entries = new Uint32Array(2 * ENTRIES_OF_PART)
  #size = 0
  entries = 0

  constructor(runKey: number, add: Add, mostEntries = ENTRIES_OF_PART) {
    this.#runKey = runKey
    this.#add = add
    this.#mostEntries = mostEntries
  }

  /** An entry like this one begins a part: those of one print are never in two. */
  isBeforePart(pollKey: number, print: number): boolean {
    if (this.#size === 0 || pollKey !== this.#pollKey) return true
    return this.#size >= this.#mostEntries && this.#entries[2 * this.#size - 1] !== print
  }

  add(pollKey: number, print: number, position: number): void {
    if (this.isBeforePart(pollKey, print)) this.flush()
    else if (this.#isLast(print, position)) return
    this.#pollKey = pollKey
    const at = 2 * this.#size
    if (at === this.#entries.length) this.#grow()
    this.#entries[at] = position
    this.#entries[at + 1] = print
    this.#size++
    this.entries++
  }

  /** Returns the number of entries that it wrote. */
  flush(): number {
    const written = this.#size
    if (written === 0) return 0
    const bytes = new Uint8Array(this.#entries.buffer, 0, 8 * written)
    this.#add.run(this.#runKey, this.#pollKey, this.#entries[1] as number, bytes)
    this.#size = 0
    return written
  }

  /** Two processes may have written the same vote. */
  #isLast(print: number, position: number): boolean {
    const at = 2 * this.#size
    return this.#entries[at - 1] === print && this.#entries[at - 2] === position
  }

  #grow(): void {
    const old = this.#entries
    this.#entries = new Uint32Array(2 * old.length)
    this.#entries.set(old)
  }
}

interface Part {
  readonly poll_key: number
  readonly first_print: number
  readonly entries: Uint8Array
}

/** Walks through the entries of a run in their order. */
export class PartReader {
  readonly #statements: PartStatements
  readonly runKey: number
  pollKey = -1
  #firstPrint = -1
  #entries: Uint32Array = new Uint32Array(0)
  #at = 0
  isAtEnd = false

  constructor(statements: PartStatements, runKey: number) {
    this.#statements = statements
    this.runKey = runKey
    this.skipPart()
  }

  get position(): number {
    return this.#entries[this.#at] as number
  }

  get print(): number {
    return this.#entries[this.#at + 1] as number
  }

  next(): void {
    this.#at += 2
    if (this.#at >= this.#entries.length) this.skipPart()
  }

  skipPart(): void {
    const part = this.#statements.readNext.get(this.runKey, this.pollKey, this.#firstPrint)
    this.isAtEnd = part === null
    if (part === null) return
    this.pollKey = part.poll_key
    this.#firstPrint = part.first_print
    this.#entries = entriesOf(part.entries)
    this.#at = 0
  }

  /** The entry of this reader comes before that of the other one. */
  isBefore(other: PartReader): boolean {
    if (this.pollKey !== other.pollKey) return this.pollKey < other.pollKey
    if (this.print !== other.print) return this.print < other.print
    return this.position < other.position
  }
}

/** Calls `isIt` with the position of each entry of this print, until `isIt` returns a value. */
export function findInPart<T>(blob: Uint8Array, print: number, isIt: (position: number) => T | null): T | null {
  const entries = entriesOf(blob)
  let from = 0
  let to = entries.length >> 1
  while (from < to) {
    const middle = (from + to) >> 1
    if ((entries[2 * middle + 1] as number) < print) from = middle + 1
    else to = middle
  }
  for (let at = 2 * from; entries[at + 1] === print; at += 2) {
    const found = isIt(entries[at] as number)
    if (found !== null) return found
  }
  return null
}

/** Bun runs only on machines with this order of bytes. */
function entriesOf(blob: Uint8Array): Uint32Array {
  const aligned = blob.byteOffset % 4 === 0 ? blob : blob.slice()
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2)
}

type PartStatements = Pick<ReturnType<typeof prepareParts>, 'readNext'>

export const prepareParts = (file: Database) => ({
  addPart: file.query<unknown, [number, number, number, Uint8Array]>(
    'insert into device_run_parts (run_key, poll_key, first_print, entries) values (?, ?, ?, ?)',
  ),
  readNext: file.query<Part, [number, number, number]>(
    `select poll_key, first_print, entries from device_run_parts
     where run_key = +? and (poll_key, first_print) > (+?, +?) order by poll_key, first_print limit 1`,
  ),
  /** The only part that can have a print. */
  readPart: file.query<Pick<Part, 'entries'>, [number, number, number]>(
    `select entries from device_run_parts where run_key = +? and poll_key = +? and first_print <= +?
     order by first_print desc limit 1`,
  ),
  removeSome: file.query<unknown, [number, number]>(
    `delete from device_run_parts where (run_key, poll_key, first_print) in (
       select run_key, poll_key, first_print from device_run_parts where run_key = +? limit +?)`,
  ),
  nextRun: file.query<{ key: number | null }, [number]>(
    'select min(run_key) as key from device_run_parts where run_key > +?',
  ),
})
