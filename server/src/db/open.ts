import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { isFileKey } from '../files/file-keys.ts'
import { type DataKeys, openDataKeys, SecretMismatch } from './data-keys.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres/engine.ts'
import { secretFromFile } from './secret-file.ts'
import { openSqlite } from './sqlite/engine.ts'
import { copyBeforeUpgrade, removeEarlierCopies } from './sqlite/upgrade-copies.ts'
import type { Engine, OpenedEngine } from './store.ts'

/** A restore writes into this folder of DATA_DIR, and removes it when all files are in place. */
export const RESTORING_FOLDER = 'restoring'

/** The database comes last: beside it, the folder holds nothing any more. */
export const hasUnfinishedRestore = (dataDir: string): boolean =>
  existsSync(join(dataDir, RESTORING_FOLDER)) && !existsSync(join(dataDir, 'tossup.sqlite'))

/** An unfinished restore must never be served. */
export function assertNoUnfinishedRestore(dataDir: string): void {
  if (!hasUnfinishedRestore(dataDir)) return
  throw new PlainFailure(
    `DATA_DIR ${dataDir} holds an unfinished restore. Run \`tossup restore\` again, or remove the folder restoring.`,
  )
}

/** SQLite writes the first page when it opens a new file. */
const FIRST_PAGE_BYTES = 4_096

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** The server would begin a new service in silence, and the pictures and the key would belong to nothing. */
function assertNotLost(dataDir: string): void {
  const path = join(dataDir, 'tossup.sqlite')
  const hasFile = existsSync(path)
  const pictures = join(dataDir, 'files')
  const left = [
    // A key alone may have been put there for a new service.
    ...(hasFile && existsSync(join(dataDir, 'secret.key')) ? ['secret.key'] : []),
    ...(existsSync(pictures) && readdirSync(pictures).some(isFileKey) ? ['files'] : []),
  ]
  // In this order: what is left was written after the schema, and the schema moves from the log to the file. Another process may
  // be making the database meanwhile.
  const hasLog = bytesOf(`${path}-wal`) > 0
  const bytes = bytesOf(path)
  // A young database may be in its log alone.
  if (bytes > FIRST_PAGE_BYTES || (bytes > 0 && hasLog)) return
  if (left.length === 0) return
  throw new PlainFailure(
    `DATA_DIR ${dataDir} has ${left.join(' and ')}, but ${hasFile ? 'an empty' : 'no'} tossup.sqlite: its database is lost. Restore a backup into another folder, or put tossup.sqlite back, with tossup.sqlite-wal if there is one. To begin a new service here, move ${[...(hasFile ? ['tossup.sqlite'] : []), ...left].join(' and ')} away first.`,
  )
}

export type DatabaseConfig = Pick<Config, 'database' | 'secretKeys'>

export interface Opened {
  readonly engine: Engine
  readonly keys: DataKeys
  /** The migrations that were applied while opening. */
  readonly migrated: string[]
  /** The folder of DATA_DIR with the copy from before the migrations: SQLite only. */
  readonly copy: string | null
}

/** False if opening the database would create a file. A PostgreSQL database is created by its operator. */
export const isThere = ({ database }: DatabaseConfig): boolean =>
  database.engine === 'postgres' || existsSync(join(database.dataDir, 'tossup.sqlite'))

/** Callbacks for failures that occur while no request is using the database. */
interface FailureListeners {
  readonly onLostConnection?: (error: Error) => void
  readonly onDamaged?: (damage: Error) => void
}

/** Connects to the database, migrates it and unwraps its data keys. */
export async function openDatabase(place: DatabaseConfig, listeners: FailureListeners = {}): Promise<Opened> {
  const opened = tryOpen(place, listeners)
  try {
    const now = Date.now()
    const { migrated, copy } = await upgrade(opened, place, now)
    const engine = opened.ready()
    const keys = await openDataKeys(engine, (database) => secretsOf(place, database), now)
    return { engine, keys, migrated, copy }
  } catch (error) {
    await opened.close()
    throw unusable(place, error)
  }
}

async function upgrade(opened: OpenedEngine, { database }: DatabaseConfig, now: number) {
  if (database.engine !== 'sqlite') return { migrated: await migrate(opened, now), copy: null }
  const { dataDir } = database
  const copies: string[] = []
  const beforeUpgrade = () => void copies.push(copyBeforeUpgrade(dataDir))
  const migrated = await migrate(opened, now, { beforeUpgrade })
  const [copy = null] = copies
  if (copy !== null) removeEarlierCopies(dataDir, copy)
  return { migrated, copy }
}

function tryOpen(
  place: DatabaseConfig,
  { onLostConnection = () => undefined, onDamaged }: FailureListeners,
): OpenedEngine {
  const { database } = place
  try {
    if (database.engine === 'sqlite') {
      assertNoUnfinishedRestore(database.dataDir)
      assertNotLost(database.dataDir)
    }
    return database.engine === 'postgres'
      ? openPostgres(database.url, onLostConnection, database)
      : openSqlite(database.dataDir, { onDamaged })
  } catch (error) {
    throw unusable(place, error)
  }
}

/** Secrets of the environment are used alone: a mistyped one must not be masked by the secret in DATA_DIR. */
export function secretsOf({ database, secretKeys }: DatabaseConfig, { isNew }: { isNew: boolean }): readonly string[] {
  if (database.engine === 'postgres' || secretKeys.length > 0) return secretKeys
  const kept = secretFromFile(database.dataDir, { make: isNew })
  if (kept === null) throw new PlainFailure(`SECRET_KEY is not set, and ${database.dataDir} has no secret.key.`)
  return [kept]
}

/** One line for every failure. Leaves out DATABASE_URL, which may contain a password. */
function unusable({ database, secretKeys }: DatabaseConfig, error: unknown): PlainFailure {
  if (error instanceof SecretMismatch && database.engine === 'sqlite' && secretKeys.length === 0) {
    return new PlainFailure(
      `${join(database.dataDir, 'secret.key')} does not match this database, whose SECRET_KEY was changed. Set SECRET_KEY to the newest secret, or restore the secret.key of this database.`,
    )
  }
  if (error instanceof PlainFailure) return error
  const place = database.engine === 'postgres' ? 'DATABASE_URL' : `DATA_DIR ${database.dataDir}`
  return new PlainFailure(`Cannot use ${place}: ${reasonOf(error)}.`, { cause: error })
}
