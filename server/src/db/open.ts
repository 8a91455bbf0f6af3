import { PlainFailure } from '../base/errors.ts'
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
  const engine = openEngine(place, onLostConnection)
  try {
    const now = Date.now()
    const migrated = await migrate(engine, now)
    const keys = await openDataKeys(engine.db, secretsOf(place), now)
    return { engine, keys, migrated }
  } catch (error) {
    await engine.close()
    if (engine.isUnavailable(error)) throw new PlainFailure(unreachable(place, error), { cause: error })
    throw error
  }
}

function openEngine({ databaseUrl, dataDir }: Place, onLostConnection: (error: Error) => void): Engine {
  if (databaseUrl) return openPostgres(databaseUrl, onLostConnection)
  try {
    return openSqlite(dataDir)
  } catch (error) {
    throw new PlainFailure(`DATA_DIR ${dataDir} cannot be used: ${reason(error)}.`, { cause: error })
  }
}

/** A secret from the environment goes first; the one in DATA_DIR may still open what it wrapped. */
function secretsOf({ databaseUrl, dataDir, secretKeys }: Place): string[] {
  if (databaseUrl) return [...secretKeys]
  const kept = secretFromFile(dataDir, { make: secretKeys.length === 0 })
  return kept === null ? [...secretKeys] : [...secretKeys, kept]
}

const unreachable = ({ databaseUrl, dataDir }: Place, error: unknown): string =>
  databaseUrl
    ? `DATABASE_URL cannot be reached: ${reason(error)}.`
    : `DATA_DIR ${dataDir} cannot be used: ${reason(error)}.`

const reason = (error: unknown): string => (error instanceof Error ? error.message || error.name : String(error))
