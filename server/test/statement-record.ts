import { Database, type Statement } from 'bun:sqlite'
import { relative } from 'node:path'
import { DefaultQueryExecutor, QueryCreator } from 'kysely'

const SOURCES = new URL('../src/', import.meta.url).pathname
const RUNNERS = ['all', 'get', 'run', 'values', 'iterate'] as const

/** The parameters of a statement's first execution; null if it was prepared but never executed. */
type Values = readonly unknown[] | null

/**
 * Records every statement that this process sends to SQLite, and the source files whose queries were compiled. Start it
 * before the service.
 */
export class StatementRecord {
  readonly statements = new Map<string, Values>()
  /** The last database used. */
  file: Database | null = null
  readonly sources = new Set<string>()
  readonly #undo: (() => void)[] = []

  constructor() {
    this.#watchStatements()
    this.#watchSources()
  }

  stop(): void {
    for (const undo of this.#undo.splice(0)) undo()
  }

  #watchStatements(): void {
    const prototype = Database.prototype as { query: (this: Database, text: string) => Statement }
    const { query } = prototype
    const record = this
    const wrapped = new WeakSet<Statement>()
    prototype.query = function (text) {
      record.file = this
      const statement = query.call(this, text)
      if (!record.statements.has(text)) record.statements.set(text, null)
      if (wrapped.has(statement)) return statement
      wrapped.add(statement)
      for (const name of RUNNERS) {
        const run = statement[name].bind(statement) as (...values: unknown[]) => unknown
        const noting = (...values: unknown[]) => {
          if (!record.statements.get(text)) record.statements.set(text, values)
          return run(...values)
        }
        Object.assign(statement, { [name]: noting })
      }
      return statement
    }
    this.#undo.push(() => {
      prototype.query = query
    })
  }

  /** A Kysely query is attributed to the file that begins it, raw SQL to the file on the stack when it is compiled. */
  #watchSources(): void {
    const executor = Object.getPrototypeOf(DefaultQueryExecutor.prototype)
    this.#noteCallers(executor, 'transformQuery')
    for (const name of ['selectFrom', 'insertInto', 'updateTable', 'deleteFrom']) {
      this.#noteCallers(QueryCreator.prototype, name)
    }
  }

  #noteCallers(prototype: object, name: string): void {
    const methods = prototype as Record<string, (this: unknown, ...given: unknown[]) => unknown>
    const method = methods[name]
    if (!method) throw new Error(`Kysely has no ${name}`)
    const { sources } = this
    methods[name] = function (...given) {
      for (const [path] of new Error('stack').stack?.matchAll(/\/[^\s()]+\.ts(?=:\d)/g) ?? []) {
        if (path.startsWith(SOURCES)) sources.add(relative(SOURCES, path))
      }
      return method.apply(this, given)
    }
    this.#undo.push(() => {
      methods[name] = method
    })
  }
}
