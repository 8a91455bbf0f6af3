import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import { type DataKeys, openDataKeys } from './data-keys.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres/engine.ts'
import { secretFromFile } from './secret-file.ts'
import { openSqlite } from './sqlite/engine.ts'
import type { Engine, OpenedEngine } from './store.ts'

export interface Place {
  readonly databaseUrl: string | null
  readonly dataDir: string
  readonly secretKeys: readonly string[]
}

export interface Opened {
  readonly engine: Engine
  readonly keys: DataKeys
  /** The migrations that this start applied. */
  readonly migrated: string[]
}

/** False where opening it would make a new file. In PostgreSQL a database is made by its operator. */
export const isThere = ({ databaseUrl, dataDir }: Place): boolean =>
  databaseUrl !== null || existsSync(join(dataDir, 'tossup.sqlite'))

/** The database ready for use: reached, migrated and unlocked. */
export async function openDatabase(place: Place, onLostConnection: (error: Error) => void): Promise<Opened> {
  const opened = tryOpen(place, onLostConnection)
  try {
    const now = Date.now()
    const migrated = await migrate(opened, now)
    const engine = opened.ready()
    const keys = await openDataKeys(engine, (database) => secretsOf(place, database), now)
    return { engine, keys, migrated }
  } catch (error) {
    await opened.close()
    throw unusable(place, error)
  }
}

function tryOpen(place: Place, onLostConnection: (error: Error) => void): OpenedEngine {
  try {
    return place.databaseUrl ? openPostgres(place.databaseUrl, onLostConnection) : openSqlite(place.dataDir)
  } catch (error) {
    throw unusable(place, error)
  }
}

/** What stands in the environment stands alone: a stray value must not take the place of the secret in DATA_DIR. */
function secretsOf({ databaseUrl, dataDir, secretKeys }: Place, { isNew }: { isNew: boolean }): readonly string[] {
  if (databaseUrl || secretKeys.length > 0) return secretKeys
  const kept = secretFromFile(dataDir, { make: isNew })
  if (kept === null) throw new PlainFailure(`SECRET_KEY is not set, and ${dataDir} holds no secret.key.`)
  return [kept]
}

/** Whatever goes wrong here is told in one line. The address is not repeated: it may hold a password. */
function unusable({ databaseUrl, dataDir }: Place, error: unknown): PlainFailure {
  if (error instanceof PlainFailure) return error
  const place = databaseUrl ? 'DATABASE_URL' : `DATA_DIR ${dataDir}`
  return new PlainFailure(`${place} cannot be used: ${reasonOf(error)}.`, { cause: error })
}
