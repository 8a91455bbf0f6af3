import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { fromJson, type Row } from './brand-rows.ts'

interface Part {
  readonly at: number
  readonly bytes: number
}

/**
 * Rows of an archive that may not fit into memory, in a file without a name: however this process ends, its space is
 * given back.
 */
export class SpilledRows {
  readonly #file: number
  readonly #parts = new Map<string, Part[]>()
  readonly #counts = new Map<string, number>()
  #end = 0
  #isClosed = false

  constructor(path: string) {
    this.#file = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
  }

  /** `text` is a list of `count` rows as JSON. */
  add(table: string, text: string, count: number): void {
    const bytes = Buffer.from(text)
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#file, bytes, done, bytes.length - done, this.#end + done)
      }
    } catch (error) {
      throw new PlainFailure(`DATA_DIR has no room for the rows of the archive: ${reasonOf(error)}.`, { cause: error })
    }
    const parts = this.#parts.get(table) ?? []
    parts.push({ at: this.#end, bytes: bytes.length })
    this.#parts.set(table, parts)
    this.#counts.set(table, this.count(table) + count)
    this.#end += bytes.length
  }

  count(table: string): number {
    return this.#counts.get(table) ?? 0
  }

  /** In the order of the archive, a part at a time. Can be read again. */
  *rows(table: string): Generator<Row[]> {
    for (const { at, bytes } of this.#parts.get(table) ?? []) {
      const part = Buffer.allocUnsafe(bytes)
      for (let done = 0; done < bytes; ) {
        const count = readSync(this.#file, part, done, bytes - done, at + done)
        if (count === 0) throw new Error('a file of spilled rows is shorter than what was written to it')
        done += count
      }
      yield fromJson(part.toString('utf8'))
    }
  }

  /** Once: the number may have been given to another file since. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    closeSync(this.#file)
  }
}
