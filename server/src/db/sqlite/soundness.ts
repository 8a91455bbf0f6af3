import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { errorCodeOf, reasonOf } from '../../base/errors.ts'
import { logBytes, readLogIndex } from './log-index.ts'

/** No more writes: the files must stay as they are until an operator has examined them. */
export class DatabaseDamaged extends Error {}

interface Watched {
  readonly path: string
  /** The size of the database in bytes, as SQLite reports it. */
  readonly size: () => number
  /** Called once, with the first damage found. */
  readonly onDamaged: (damage: DatabaseDamaged) => void
}

/**
 * Checks that the database is still the file that was opened, not truncated, and that SQLite has reported no damage. SQLite
 * itself goes on answering from its cache after a truncation, and loses what it writes to a removed file.
 */
export class Soundness {
  readonly #watched: Watched
  readonly #inodes = new Map<string, number>()
  #longest = 0
  #index: number | null = null
  #damage: DatabaseDamaged | null = null

  constructor(watched: Watched) {
    this.#watched = watched
  }

  get isDamaged(): boolean {
    return this.#damage !== null
  }

  /** Call it before acknowledging any write. */
  assertSound(): void {
    if (!this.#damage) this.#look()
    if (this.#damage) throw this.#damage
  }

  /** Records damage that SQLite reports: after one damaged page, no other page can be trusted. */
  note(error: unknown): void {
    if (isDamage(error)) this.#found(reasonOf(error))
  }

  #look(): void {
    const { path } = this.#watched
    // The log first: a database whose log was removed is not truncated, but lacks the newest writes.
    this.#sameFile(`${path}-wal`)
    // Twice: between the two readings of one look, a checkpoint of another process may empty the log.
    if (this.#isLogShort() && this.#isLogShort()) this.#found(`${path}-wal is shorter than it was`)
    const bytes = this.#sameFile(path)
    if (bytes < this.#longest && !this.#isWhole(bytes)) this.#found(`${path} is shorter than it was`)
    this.#longest = bytes
  }

  /** After SQLite has closed the database: to close any descriptor of the index releases the locks of SQLite. */
  close(): void {
    if (this.#index !== null) closeSync(this.#index)
    this.#index = null
  }

  #isLogShort(): boolean {
    const { path } = this.#watched
    if (this.#index === null && !existsSync(`${path}-shm`)) return false
    this.#index ??= openSync(`${path}-shm`, 'r')
    const used = logBytes(readLogIndex(this.#index))
    return used > 0 && used > (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0)
  }

  /** Checks the inode and returns the file's size in bytes. */
  #sameFile(path: string): number {
    const stat = statSync(path, { throwIfNoEntry: false })
    const inode = this.#inodes.get(path)
    if (stat && inode === undefined) this.#inodes.set(path, stat.ino)
    else if (stat?.ino !== inode)
      this.#found(`${path} was ${stat ? 'replaced' : 'removed'} while the server was running`)
    return stat?.size ?? 0
  }

  /** Distinguishes truncation from `vacuum` by another process, which also shortens the file. */
  #isWhole(bytes: number): boolean {
    try {
      return bytes >= this.#watched.size()
    } catch (error) {
      this.note(error)
      return false
    }
  }

  #found(reason: string): void {
    if (this.#damage) return
    this.#damage = new DatabaseDamaged(`The database is damaged: ${reason}`)
    this.#watched.onDamaged(this.#damage)
  }
}

const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(errorCodeOf(error))
