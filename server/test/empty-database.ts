import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../src/db/postgres/engine.ts'
import { openSqlite } from '../src/db/sqlite/engine.ts'
import type { OpenedEngine } from '../src/db/store.ts'
import type { EngineName } from './engines.ts'
import { ADMIN_URL, createDatabase } from './own-database.ts'

interface Place {
  open(): OpenedEngine
  remove(): Promise<void>
}

/** Creates databases for each engine. A new engine adds an entry here, next to its folder, and runs in every test. */
const places: Readonly<Record<EngineName, () => Promise<Place>>> = {
  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
    return { open: () => openSqlite(folder), remove: () => rm(folder, { recursive: true }) }
  },
  async postgres() {
    const { url, drop } = await createDatabase(ADMIN_URL, { mustBeEmpty: true })
    return { open: () => openPostgres(url, () => undefined), remove: drop }
  },
}

export interface EmptyDatabase {
  readonly engine: OpenedEngine
  /** Opens the same database again, as another process would. */
  another(): OpenedEngine
  /** Closes the engines and removes the database. */
  remove(): Promise<void>
}

/** A database without tables, before its first migration. */
export async function emptyDatabase(name: EngineName): Promise<EmptyDatabase> {
  const place = await places[name]()
  const opened = [place.open()]
  return {
    engine: opened[0] as OpenedEngine,
    another() {
      const engine = place.open()
      opened.push(engine)
      return engine
    },
    async remove() {
      for (const engine of opened) await engine.close()
      await place.remove()
    },
  }
}
