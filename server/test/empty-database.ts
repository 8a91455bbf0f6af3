import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../src/db/postgres/engine.ts'
import { openSqlite } from '../src/db/sqlite/engine.ts'
import type { OpenedEngine } from '../src/db/store.ts'
import type { EngineName } from './engines.ts'
import { createDatabase } from './own-database.ts'

export interface EmptyDatabase {
  readonly engine: OpenedEngine
  /** Closes the engine and removes the database. */
  remove(): Promise<void>
}

/** A database without any table, before its first migration. */
export async function emptyDatabase(name: EngineName): Promise<EmptyDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
  const database = name === 'postgres' ? await createDatabase() : null
  const engine = database ? openPostgres(database.url, () => undefined) : openSqlite(folder)
  return {
    engine,
    async remove() {
      await engine.close()
      await database?.drop()
      await rm(folder, { recursive: true })
    },
  }
}
