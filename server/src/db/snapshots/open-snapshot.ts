import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { migrationNames } from '../migrate.ts'
import type { DatabaseConfig } from '../open.ts'
import { openPostgresSnapshot } from '../postgres/snapshot.ts'
import { openSqliteSnapshot } from '../sqlite/snapshot.ts'
import type { Snapshot } from './snapshot.ts'

/** Opens a snapshot without migrating the database. */
export async function openSnapshot({ database }: Pick<DatabaseConfig, 'database'>): Promise<Snapshot> {
  const isSqlite = database.engine === 'sqlite'
  if (isSqlite && !existsSync(join(database.dataDir, 'tossup.sqlite'))) {
    throw new PlainFailure(`DATA_DIR ${database.dataDir} has no database. Set DATA_DIR to the folder of your server.`)
  }
  try {
    return isSqlite
      ? openSqliteSnapshot(database.dataDir)
      : await openPostgresSnapshot(database.directUrl ?? database.url)
  } catch (error) {
    if (error instanceof PlainFailure) throw error
    const place = isSqlite ? `DATA_DIR ${database.dataDir}` : 'DATABASE_URL'
    throw new PlainFailure(`Cannot read ${place}: ${reasonOf(error)}.`, { cause: error })
  }
}

/** Another version may store votes in other tables, so only its own commands can read all of them. */
export async function openCurrentSnapshot(place: Pick<DatabaseConfig, 'database'>): Promise<Snapshot> {
  const snapshot = await openSnapshot(place)
  try {
    await assertCurrent(snapshot)
    return snapshot
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

async function assertCurrent({ select }: Snapshot): Promise<void> {
  const applied = await select<{ name: string }>('select name from migrations').catch(() => [])
  const [own, known] = [new Set(applied.map(({ name }) => name)), migrationNames()]
  if (known.every((name) => own.has(name)) && own.size === known.length) return
  if (applied.length === 0) {
    throw new PlainFailure('The database is not migrated yet: start the server once, or run `tossup migrate`.')
  }
  throw new PlainFailure(
    'The database has the schema of another version of Tossup. Use the commands of the version that serves it, or run `tossup migrate` first.',
  )
}
