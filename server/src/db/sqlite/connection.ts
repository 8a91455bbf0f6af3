import { type Database, SQLiteError, type SQLQueryBindings } from 'bun:sqlite'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { Semaphore } from '../../base/work/semaphore.ts'
import { assertStorable } from '../prepared.ts'
import type { Connections } from '../store.ts'
import type { Soundness } from './soundness.ts'

/** False, instead of an error, if SQLite cannot write now: another process is writing, or the disk is full. */
export function tryToWrite(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return false
  }
}

export const isUnwritable = (error: unknown): boolean =>
  error instanceof SQLiteError && /^SQLITE_(BUSY|FULL|IOERR|READONLY)/.test(error.code ?? '')

/**
 * The only connection to the file, used by one caller at a time, because a caller may hold a transaction or have changed
 * `synchronous`. Kysely acquires it through the driver, votes through `alone`.
 */
export class OneConnection implements Driver, DatabaseConnection {
  readonly #file: Database
  readonly #soundness: Soundness
  readonly #turn = new Semaphore(1)
  #beforeStatement: (statement: string) => Promise<void> | undefined = () => undefined

  constructor(file: Database, soundness: Soundness) {
    this.#file = file
    this.#soundness = soundness
  }

  /** Calls `prepare` before each statement that does not come through `alone`. It returns a promise only if it has to wait. */
  beforeStatements(prepare: (statement: string) => Promise<void> | undefined): void {
    this.#beforeStatement = prepare
  }

  /** For the metrics. */
  get use(): Connections {
    const { free, waiting } = this.#turn
    return { open: 1, busy: 1 - free, waiting }
  }

  /** Runs `work` with exclusive use of the connection. */
  async alone<T>(work: () => T): Promise<T> {
    if (!this.#turn.tryAcquire()) await this.#turn.acquire()
    try {
      return work()
    } finally {
      this.#turn.release()
    }
  }

  async init(): Promise<void> {
    // The constructor has opened the file.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turn.acquire()
    return this
  }

  async releaseConnection(): Promise<void> {
    this.#turn.release()
  }

  /** A deferred transaction can fail halfway when another process writes; an immediate one takes the write lock first. */
  async beginTransaction(): Promise<void> {
    this.#soundness.assertSound()
    this.#run('begin immediate')
  }

  async commitTransaction(): Promise<void> {
    this.#run('commit')
  }

  /** A full disk has already ended the transaction: another rollback would fail and hide the first error. */
  async rollbackTransaction(): Promise<void> {
    if (this.#file.inTransaction) this.#run('rollback')
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    assertStorable(parameters)
    const preparing = this.#noting(() => this.#beforeStatement(sql))
    if (preparing) await preparing
    return this.#noting(() => {
      // `query` caches the compiled statement, `prepare` would compile it each time.
      const statement = this.#file.query<Row, SQLQueryBindings[]>(sql)
      const bindings = parameters as SQLQueryBindings[]
      if (statement.columnNames.length > 0) return { rows: statement.all(...bindings) }
      const { changes, lastInsertRowid } = statement.run(...bindings)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    })
  }

  /** Unsupported: a half-read statement would block the connection while its reader does something else. */
  streamQuery(): never {
    throw new Error('Lists are read a page at a time.')
  }

  /** To close a database writes its log into it. A damaged one stays open until the process ends. */
  async destroy(): Promise<void> {
    if (!this.#soundness.isDamaged) this.#file.close()
  }

  #run(statement: string): void {
    this.#noting(() => this.#file.run(statement))
  }

  #noting<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#soundness.note(error)
      throw error
    }
  }
}
