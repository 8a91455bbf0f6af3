import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import type { Dump } from './dump.ts'
import type { DatabaseConfig } from './open.ts'
import { dumpPostgres } from './postgres/dump.ts'
import { dumpSqlite } from './sqlite/dump.ts'
import { findTornLog } from './sqlite/torn-log.ts'

/** Opens a snapshot without migrating the database, so that a backup can come before an upgrade. */
export async function openDump({ database }: Pick<DatabaseConfig, 'database'>): Promise<Dump> {
  const isSqlite = database.engine === 'sqlite'
  if (isSqlite && !existsSync(join(database.dataDir, 'tossup.sqlite'))) {
    throw new PlainFailure(`DATA_DIR ${database.dataDir} has no database. Set DATA_DIR to the folder of your server.`)
  }
  if (isSqlite) tellTornLog(database.dataDir)
  try {
    return isSqlite ? await dumpSqlite(database.dataDir) : await dumpPostgres(database.directUrl ?? database.url)
  } catch (error) {
    if (error instanceof PlainFailure) throw error
    const place = isSqlite ? `DATA_DIR ${database.dataDir}` : 'DATABASE_URL'
    throw new PlainFailure(`Cannot read ${place}: ${reasonOf(error)}.`, { cause: error })
  }
}

/** To close the dump of a stopped server removes its log, so a damaged one is copied before. */
function tellTornLog(dataDir: string): void {
  const torn = findTornLog(join(dataDir, 'tossup.sqlite-wal'))
  if (torn) process.stderr.write(`${torn.message}\n`)
}
