import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SECRET_ENTRY } from '../../backup/archive.ts'
import { archiveSource } from '../../backup/archive-reader.ts'
import { inDataDir, PlainFailure } from '../../base/errors.ts'
import type { Isolation } from '../../base/isolation/isolated-work.ts'
import { syncPath } from '../../base/machine.ts'
import { counted, textOfChunks } from '../../base/text.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { assertSecretOpens, WRAPPED_KEYS } from '../../db/data-keys.ts'
import { RESTORING_FOLDER } from '../../db/open.ts'
import { secretFromFile } from '../../db/secret-file.ts'
import type { NewDatabase } from '../../db/snapshots/new-database.ts'
import { takeServeLock } from '../../db/sqlite/serve-lock.ts'
import { restartLogs } from '../../features/log/restart-logs.ts'
import { isFileKey } from '../../files/file-keys.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import { type Command, requiredArgument } from '../command.ts'
import { type CheckedBackup, faultsOf, loadBackup, withIsolation } from './load-backup.ts'

export const restoreCommand: Command = {
  words: 'restore',
  usage: 'FILE|-',
  summary:
    'Restore a backup of either database into an empty DATA_DIR or PostgreSQL database, after checking all of it',
  details: `Settings such as DATA_DIR, DATABASE_URL and S3_URL say where to. With - the backup is read from standard input.
If a restore is interrupted, no server starts in its DATA_DIR: begin again.`,
  positionals: 1,
  async run(given) {
    const path = requiredArgument(given, 'FILE')
    const restored = await withIsolation((isolation) =>
      restoreBackup({ config: readConfig(), isolation }, archiveSource(path)),
    )
    const { head, findings, missingFiles } = restored
    const { votes, polls } = findings.counts
    const missing =
      missingFiles.length === 0 ? '' : ` Missing in the backup: ${counted(missingFiles.length, 'picture')}.`
    return {
      json: {
        restored: true,
        id: head.id,
        createdAt: head.createdAt,
        counts: findings.counts,
        missingFiles,
      },
      text: `Restored the backup ${head.id} of ${head.createdAt}: ${counted(votes ?? 0, 'vote')}, ${counted(polls ?? 0, 'poll')}.${missing} Start the server with \`tossup serve\`.`,
    }
  },
}

const DATABASE_FILE = 'tossup.sqlite'

type Archive = AsyncIterable<Uint8Array>

interface Place {
  readonly config: Config
  /** Reads stylesheets and pictures. */
  readonly isolation: Isolation
}

/**
 * Everything is written to DATA_DIR/restoring and checked; then pictures and the secret move to their place, and the database comes
 * last, by one rename or commit. Until then no server starts there, and the restore can be begun again.
 */
export async function restoreBackup(place: Place, source: Archive): Promise<CheckedBackup> {
  const { config } = place
  const { dataDir } = config
  const folder = join(dataDir, RESTORING_FOLDER)
  inDataDir(dataDir, () => mkdirSync(dataDir, { recursive: true }))
  const unlock = inDataDir(dataDir, () => takeServeLock(dataDir))
  try {
    assertEmpty(config)
    inDataDir(dataDir, () => {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    })
    return await restoreInto(folder, place, source)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    unlock()
  }
}

async function restoreInto(folder: string, { config, isolation }: Place, source: Archive): Promise<CheckedBackup> {
  const { database, dataDir } = config
  const isSqlite = database.engine === 'sqlite'
  const place = isSqlite ? { folder } : { url: database.directUrl ?? database.url }
  const checked = await loadBackup(isolation, source, () => ({
    place,
    store: openFilesBeside({ dataDir: folder, s3: null }),
    async secret(chunks) {
      const secret = await textOfChunks(chunks)
      // With PostgreSQL the secret is in the environment alone.
      if (isSqlite) writeFileSync(join(folder, SECRET_ENTRY), secret, { mode: 0o600 })
    },
    async finish(found, filled) {
      assertUsable({ found, keys: await filled.select(WRAPPED_KEYS) }, config, folder)
      // The service may have signed checkpoints after this backup.
      if (filled.tables.has('poll_logs')) await restartLogs(filled.tx, Date.now())
      // The servers that held these leases serve another database: the webhooks would wait for them.
      await filled.tx.updateTable('webhooks').set({ leased_by: null, leased_until: null }).execute()
      await placePictures(folder, config)
      // The commit that follows ends a restore into PostgreSQL, so the folder must not forbid a start after it.
      if (isSqlite) inDataDir(dataDir, () => placeFile(SECRET_ENTRY, folder, dataDir))
      else rmSync(folder, { recursive: true })
    },
  }))
  if (isSqlite) inDataDir(dataDir, () => placeFile(DATABASE_FILE, folder, dataDir))
  return checked
}

/** Pictures may be there: of a restore that was interrupted, or of a service whose database is lost. */
function assertEmpty({ database, dataDir }: Config): void {
  const found = readdirSync(dataDir).find((name) => name.startsWith(DATABASE_FILE))
  if (database.engine === 'postgres' || found === undefined) return
  throw new PlainFailure(`DATA_DIR ${dataDir} is not empty: it has ${found}. Restore into a new folder.`)
}

function assertUsable(
  { found, keys }: { found: CheckedBackup; keys: Awaited<ReturnType<NewDatabase['select']>> },
  { secretKeys, dataDir }: Config,
  folder: string,
): void {
  const faults = faultsOf(found)
  if (faults.length > 0) throw new PlainFailure(faults.slice(0, 5).join('\n'))
  const [kept, restored] = [dataDir, folder].map((place) => secretFromFile(place, { make: false }))
  if (kept && restored && kept !== restored) {
    throw new PlainFailure(`DATA_DIR ${dataDir} has a secret.key that is not the one in the backup. Move it away.`)
  }
  const files = [restored ?? kept].filter((secret) => typeof secret === 'string')
  const secrets = secretKeys.length > 0 ? secretKeys : files
  if (secrets.length === 0) {
    throw new PlainFailure(
      `The backup holds no secret: set SECRET_KEY, or put the secret.key of the server into DATA_DIR ${dataDir}.`,
    )
  }
  assertSecretOpens(keys as { wrapped: Uint8Array<ArrayBuffer> }[], secrets)
}

/** Only of a checked backup: a bad one must not replace good pictures. */
async function placePictures(folder: string, config: Config): Promise<void> {
  const from = join(folder, 'files')
  const store = openFilesBeside(config)
  for (const key of readdirSync(from).filter(isFileKey)) await store.put(key, join(from, key))
}

function placeFile(name: string, folder: string, dataDir: string): void {
  if (!existsSync(join(folder, name))) return
  syncPath(join(folder, name))
  renameSync(join(folder, name), join(dataDir, name))
  syncPath(dataDir)
}
