import type { Database } from 'bun:sqlite'
import { totalmem } from 'node:os'
import { BloomFilter, CHUNK } from './bloom-filter.ts'
import { ENTRIES_OF_PART, findInPart, PartReader, PartWriter, prepareParts } from './run-parts.ts'
import { tryToWrite } from './unwritable.ts'

/** So many runs of about one size become one. */
const MERGED_AT_ONCE = 8
/** Work keeps pace with the votes however fast they come, and never takes most of a server's time. */
export const PACE = {
  /** With ten million votes stored, each has been written again and removed three times: work for seven entries. This is twice that. */
  entriesForVote: 16,
  /** About half a millisecond. A transaction for less would cost more than its work. */
  entriesAtOnce: 4_096,
}
/** The work for a small group is that for so many votes. */
const FEWEST_VOTES = 8
const ENTRY_BYTES = 8
const PARTS_REMOVED_AT_ONCE = 32
const CHUNKS_REMOVED_AT_ONCE = 2
const BITS_OF_PRINT = 16
/** 64 MiB for one run, or less where that is more than a 32nd of the memory. */
const MOST_BITS = Math.min(2 ** 29, (process.constrainedMemory() || totalmem()) / 4)

export interface RunSizes {
  /** Entries of the smallest runs. */
  readonly runOf: number
  readonly entriesForVote?: number
  readonly entriesAtOnce?: number
  readonly mostBits?: number
  readonly entriesOfPart?: number
}

interface Run {
  readonly key: number
  readonly entries: number
  readonly prints: BloomFilter
}

/** An entry is a vote: its position, and the print of its voter and poll. */
export interface PollEntries {
  readonly pollKey: number
  /** Position and print in turn, in the order of prints and positions. */
  readonly entries: Uint32Array
}

/** How many entries of work may still be done now. */
interface WorkBudget {
  left: number
}

interface Merge {
  readonly sources: readonly Run[]
  readonly readers: readonly PartReader[]
  readonly writer: PartWriter
  readonly prints: BloomFilter
  readonly key: number
  /** How many chunks of `prints` are stored. */
  chunks: number
}

/**
 * Who voted on which poll, in the file: runs of entries that are written once and merged later, so that a vote costs tens of bytes
 * of log however many are stored. A set of the prints of each run, in memory, says which runs a voter is not in.
 */
export class DeviceRuns {
  readonly #file: Database
  readonly #statements: ReturnType<typeof prepare>
  readonly #sizes: Required<Omit<RunSizes, 'entriesOfPart'>> & Pick<RunSizes, 'entriesOfPart'>
  #runs: readonly Run[] = []
  /** Runs of about one size, which are to be merged. */
  #due: readonly Run[] | null = null
  #version = -1
  #merge: Merge | null = null
  /** Runs whose parts are to be removed; null until this process has looked for them. */
  #obsolete: number[] | null = null
  /** Entries of work for the votes since the last work. */
  #owed = 0

  constructor(file: Database, sizes: RunSizes) {
    this.#file = file
    this.#sizes = { ...PACE, mostBits: MOST_BITS, ...sizes }
    this.#statements = prepare(file)
  }

  /** Call it in a transaction, before `mayHave`: another process may have written or merged runs. */
  refresh(): void {
    const version = this.#statements.readVersion.get()?.data_version ?? -1
    if (version === this.#version) return
    const kept = new Map(this.#runs.map((run) => [run.key, run]))
    const stored = this.#statements.readRuns.all()
    this.#setRuns(stored.map(({ key, entries }) => kept.get(key) ?? { key, entries, prints: this.#readPrints(key) }))
    // Last: runs that could not be read now are read the next time.
    this.#version = version
  }

  #setRuns(runs: readonly Run[]): void {
    this.#runs = runs
    this.#due = this.#dueOf(runs)
  }

  /** False: no run has this print. */
  mayHave(print: number): boolean {
    for (const { prints } of this.#runs) if (prints.has(print)) return true
    return false
  }

  /** Calls `isIt` with the position of each entry of this poll and print, until `isIt` returns a value. */
  find<T>(pollKey: number, print: number, isIt: (position: number) => T | null): T | null {
    for (let at = this.#runs.length - 1; at >= 0; at--) {
      const { key, prints } = this.#runs[at] as Run
      if (!prints.has(print)) continue
      const part = this.#statements.readPart.get(key, pollKey, print)
      const found = part && findInPart(part.entries, print, isIt)
      if (found !== null) return found
    }
    return null
  }

  /** Call it between transactions: writes a run in one of its own, with what `polls` writes. The polls must be in the order of their keys. */
  write(count: number, polls: () => readonly PollEntries[]): void {
    const prints = this.#printsFor(count)
    const run = this.#file
      .transaction((): Run => {
        const key = Number(this.#statements.addRun.run(0, 1).lastInsertRowid)
        const writer = this.#writer(key)
        for (const { pollKey, entries } of polls()) {
          for (let at = 0; at < entries.length; at += 2) {
            const print = entries[at + 1] as number
            writer.add(pollKey, print, entries[at] as number)
            prints.add(print)
          }
        }
        writer.flush()
        for (let chunk = 0; chunk < prints.chunks; chunk++)
          this.#statements.addPrints.run(key, chunk, prints.chunk(chunk))
        this.#statements.endRun.run(writer.entries, key)
        return { key, entries: writer.entries, prints }
      })
      .immediate()
    this.#setRuns([...this.#runs, run])
  }

  /** Call it between transactions, after each group of so many votes: does some of what is left to do. */
  mergeGradually(votes: number): void {
    if (this.#obsolete === null) {
      tryToWrite(() => this.#findObsolete())
      return
    }
    const isObsolete = this.#obsolete.length > 0
    if (!isObsolete && !this.#merge && !this.#due) return
    const { entriesForVote, entriesAtOnce } = this.#sizes
    this.#owed += entriesForVote * Math.max(votes, FEWEST_VOTES)
    if (this.#owed < entriesAtOnce) return
    const budget = { left: this.#owed }
    this.#owed = 0
    if (isObsolete) this.#removeObsolete(budget)
    else this.#mergeSome(budget)
  }

  #printsFor(entries: number): BloomFilter {
    return BloomFilter.ofBits(Math.min(BITS_OF_PRINT * entries, this.#sizes.mostBits))
  }

  #readPrints(key: number): BloomFilter {
    return BloomFilter.ofChunks(this.#statements.readPrints.all(key).map(({ words }) => words))
  }

  #writer(key: number): PartWriter {
    return new PartWriter(key, this.#statements.addPart, this.#sizes.entriesOfPart)
  }

  /** What a process has left that ended while it merged. If another one merges right now, it notices that its run is gone. */
  #findObsolete(): void {
    const { removeUnfinished, nextRun, readRuns } = this.#statements
    const obsolete: number[] = []
    this.#file
      .transaction(() => {
        removeUnfinished.run()
        const alive = new Set(readRuns.all().map(({ key }) => key))
        for (let key = nextRun.get(0)?.key; key; key = nextRun.get(key)?.key) if (!alive.has(key)) obsolete.push(key)
      })
      .immediate()
    this.#obsolete = obsolete
  }

  #removeObsolete(budget: WorkBudget): void {
    // The list may lack parts that are there again.
    if (!tryToWrite(() => this.#removeSome(budget))) this.#obsolete = null
  }

  #removeSome(budget: WorkBudget): void {
    const { removeSome, removeSomePrints } = this.#statements
    this.#file
      .transaction(() => {
        do {
          const [key] = this.#obsolete as [number]
          // Parts last, by which another process would find what is left.
          const chunks = removeSomePrints.run(key, CHUNKS_REMOVED_AT_ONCE).changes
          budget.left -= (chunks * CHUNK) / ENTRY_BYTES
          if (chunks === CHUNKS_REMOVED_AT_ONCE) continue
          const parts = removeSome.run(key, PARTS_REMOVED_AT_ONCE).changes
          budget.left -= parts * ENTRIES_OF_PART
          if (parts < PARTS_REMOVED_AT_ONCE) this.#obsolete?.shift()
        } while (this.#obsolete?.length !== 0 && budget.left > 0)
      })
      .immediate()
  }

  #levelOf({ entries }: Run): number {
    return Math.max(0, Math.floor(Math.log2(entries / this.#sizes.runOf) / Math.log2(MERGED_AT_ONCE)))
  }

  #dueOf(all: readonly Run[]): readonly Run[] | null {
    // Small ones first: that takes most runs out of the way of a look.
    const levels = [...Map.groupBy(all, (run) => this.#levelOf(run))].toSorted(([left], [right]) => left - right)
    const [, due] = levels.find(([, runs]) => runs.length >= MERGED_AT_ONCE) ?? []
    return due?.slice(0, 2 * MERGED_AT_ONCE) ?? null
  }

  #mergeSome(budget: WorkBudget): void {
    let merged: Run | null = null
    try {
      const isWritten = tryToWrite(() =>
        this.#file
          .transaction(() => {
            merged = this.#mergeWithin(budget)
          })
          .immediate(),
      )
      if (!isWritten) {
        this.#abandonMerge()
        return
      }
    } catch (error) {
      this.#abandonMerge()
      throw error
    }
    if (merged === null) return
    const sources = new Set(this.#merge?.sources.map(({ key }) => key))
    this.#merge = null
    this.#obsolete?.push(...sources)
    this.#setRuns([...this.#runs.filter(({ key }) => !sources.has(key)), merged])
  }

  /** The parts that it has written are found by `#findObsolete`. */
  #abandonMerge(): void {
    this.#merge = null
    this.#obsolete = null
  }

  /** The new run once it is whole. */
  #mergeWithin(budget: WorkBudget): Run | null {
    this.refresh()
    this.#merge ??= this.#startMerge()
    if (this.#merge === null) return null
    const { readers, sources } = this.#merge
    if (sources.some((run) => !this.#runs.includes(run))) {
      this.#abandonMerge()
      return null
    }
    // A poll may have been removed since its part was read.
    for (const reader of readers) while (!reader.isAtEnd && !this.#isStored(reader.pollKey)) reader.skipPart()
    return mergeParts(this.#merge, budget) && this.#storePrints(this.#merge, budget)
      ? this.#endMerge(this.#merge)
      : null
  }

  /** False when its budget was spent. */
  #storePrints(merge: Merge, budget: WorkBudget): boolean {
    while (merge.chunks < merge.prints.chunks) {
      const chunk = merge.chunks++
      this.#statements.addPrints.run(merge.key, chunk, merge.prints.chunk(chunk))
      budget.left -= CHUNK / ENTRY_BYTES
      if (budget.left <= 0) return false
    }
    return true
  }

  #isStored = (pollKey: number): boolean => this.#statements.isStored.get(pollKey) !== null

  #startMerge(): Merge | null {
    const sources = this.#due
    if (!sources) return null
    const key = Number(this.#statements.addRun.run(0, 0).lastInsertRowid)
    return {
      key,
      chunks: 0,
      sources,
      readers: sources.map((run) => new PartReader(this.#statements, run.key)),
      writer: this.#writer(key),
      prints: this.#printsFor(sources.reduce((sum, { entries }) => sum + entries, 0)),
    }
  }

  #endMerge({ key, writer, prints, sources }: Merge): Run | null {
    if (this.#statements.endRun.run(writer.entries, key).changes === 0) {
      this.#abandonMerge()
      return null
    }
    for (const source of sources) this.#statements.removeRun.run(source.key)
    return { key, entries: writer.entries, prints }
  }
}

/** False when its budget was spent. It ends between two parts, so that no memory holds what a rollback would have to restore. */
function mergeParts({ readers, writer, prints }: Merge, budget: WorkBudget): boolean {
  let parts = 0
  for (let first = firstOf(readers); first; first = firstOf(readers)) {
    const { pollKey, print, position } = first
    if (writer.isBeforePart(pollKey, print)) {
      budget.left -= writer.flush()
      if (++parts > 1 && budget.left <= 0) return false
    }
    writer.add(pollKey, print, position)
    prints.add(print)
    first.next()
  }
  writer.flush()
  return true
}

function firstOf(readers: readonly PartReader[]): PartReader | null {
  let first: PartReader | null = null
  for (const reader of readers) {
    if (!reader.isAtEnd && (first === null || reader.isBefore(first))) first = reader
  }
  return first
}

const prepare = (file: Database) => ({
  readVersion: file.query<{ data_version: number }, []>('pragma data_version'),
  readRuns: file.query<{ key: number; entries: number }, []>(
    'select key, entries from device_runs where is_whole = 1 order by key',
  ),
  addRun: file.query('insert into device_runs (entries, is_whole) values (?, ?)'),
  endRun: file.query('update device_runs set entries = ?, is_whole = 1 where key = ?'),
  removeRun: file.query('delete from device_runs where key = ?'),
  removeUnfinished: file.query('delete from device_runs where is_whole = 0'),
  isStored: file.query<unknown, [number]>('select 1 from vote_devices_to where poll_key = ?'),
  addPrints: file.query('insert into device_run_prints (run_key, chunk, words) values (?, ?, ?)'),
  readPrints: file.query<{ words: Uint8Array }, [number]>(
    'select words from device_run_prints where run_key = +? order by chunk',
  ),
  removeSomePrints: file.query<unknown, [number, number]>(
    `delete from device_run_prints where (run_key, chunk) in (
       select run_key, chunk from device_run_prints where run_key = +? limit +?)`,
  ),
  ...prepareParts(file),
})
