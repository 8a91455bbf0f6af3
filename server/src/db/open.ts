import { PlainFailure, reasonOf } from '../base/errors.ts'
import { type DataKeys, openDataKeys } from './data-keys.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { secretFromFile } from './secret-file.ts'
import { openSqlite } from './sqlite.ts'
import type { Engine } from './store.ts'

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

/** The database ready for use: reached, migrated and unlocked. */
export async function openDatabase(place: Place, onLostConnection: (error: Error) => void): Promise<Opened> {
  const engine = tryOpen(place, onLostConnection)
  try {
    const now = Date.now()
    const migrated = await migrate(engine, now)
    const keys = await openDataKeys(engine, () => secretsOf(place), now)
    return { engine, keys, migrated }
  } catch (error) {
    await engine.close()
    throw unusable(place, error)
  }
}

function tryOpen(place: Place, onLostConnection: (error: Error) => void): Engine {
  try {
    return place.databaseUrl ? openPostgres(place.databaseUrl, onLostConnection) : openSqlite(place.dataDir)
  } catch (error) {
    throw unusable(place, error)
  }
}

/** A secret from the environment goes first; the one in DATA_DIR may still open what it wrapped. */
function secretsOf({ databaseUrl, dataDir, secretKeys }: Place): string[] {
  if (databaseUrl) return [...secretKeys]
  const kept = secretFromFile(dataDir, { make: secretKeys.length === 0 })
  return kept === null ? [...secretKeys] : [...secretKeys, kept]
}

/** Whatever goes wrong here is told in one line. The address is not repeated: it may hold a password. */
function unusable({ databaseUrl, dataDir }: Place, error: unknown): PlainFailure {
  if (error instanceof PlainFailure) return error
  const place = databaseUrl ? 'DATABASE_URL' : `DATA_DIR ${dataDir}`
  return new PlainFailure(`${place} cannot be used: ${reasonOf(error)}.`, { cause: error })
}
