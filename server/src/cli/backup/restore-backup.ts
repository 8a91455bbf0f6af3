import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BackupHead, SECRET_ENTRY } from '../../backup/archive.ts'
import { openArchive } from '../../backup/archive-reader.ts'
import type { ByteProgress } from '../../backup/byte-progress.ts'
import { inDataDir, PlainFailure } from '../../base/errors.ts'
import { syncPath } from '../../base/machine.ts'
import { textOfChunks } from '../../base/text.ts'
import type { Config } from '../../config/config.ts'
import { assertSecretOpens, WRAPPED_KEYS } from '../../db/data-keys.ts'
import { RESTORING_FOLDER } from '../../db/open.ts'
import { secretFromFile } from '../../db/secret-file.ts'
import { isPostgresEmpty, type NewDatabase } from '../../db/snapshots/new-database.ts'
import { openSnapshot } from '../../db/snapshots/open-snapshot.ts'
import { takeServeLock } from '../../db/sqlite/serve-lock.ts'
import { isFileKey } from '../../files/file-keys.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import { type CheckedBackup, faultsOf, loadBackup } from './load-backup.ts'

/** In the folder of an unfinished restore, once its content is checked: the id of its backup, and a fingerprint of its data keys. */
const CHECKED = 'checked'
const DATABASE_FILE = 'tossup.sqlite'

interface Given {
  readonly source: AsyncIterable<Uint8Array>
  readonly progress: ByteProgress
}

/**
 * Restores into an empty place. Everything is written to DATA_DIR/restoring and checked; then pictures and the secret move to their
 * place, and the database appears last, by one rename or commit. Until then no server starts there, and the restore can be
 * repeated. Null if an interrupted restore of this backup had only to be tidied up.
 */
export async function restoreBackup(config: Config, given: Given): Promise<CheckedBackup | null> {
  const { dataDir } = config
  const folder = join(dataDir, RESTORING_FOLDER)
  inDataDir(dataDir, () => mkdirSync(dataDir, { recursive: true }))
  const unlock = inDataDir(dataDir, () => takeServeLock(dataDir))
  try {
    const earlier = checkedEarlier(folder)
    if (earlier && (await hasDatabase(config))) {
      await assertSameBackup(given.source, earlier, dataDir)
      await assertSameDatabase(config, earlier)
      inDataDir(dataDir, () => removeFolder(folder, dataDir))
      return null
    }
    assertEmpty(config, { mayHavePictures: earlier !== null })
    inDataDir(dataDir, () => {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    })
    return await restoreInto(folder, config, given)
  } finally {
    unlock()
  }
}

async function restoreInto(folder: string, config: Config, given: Given): Promise<CheckedBackup> {
  const { database, dataDir } = config
  const isSqlite = database.engine === 'sqlite'
  const place = isSqlite ? { folder } : { url: database.directUrl ?? database.url }
  try {
    const checked = await loadBackup(given, () => ({
      place,
      store: openFilesBeside({ dataDir: folder, s3: null }),
      async secret(chunks) {
        const secret = await textOfChunks(chunks)
        // With PostgreSQL the secret is in the environment alone.
        if (isSqlite) writeFileSync(join(folder, SECRET_ENTRY), secret, { mode: 0o600 })
      },
      async finish(found, filled) {
        const keys = await filled.select<{ wrapped: Uint8Array }>(WRAPPED_KEYS)
        assertUsable({ found, keys }, config, folder)
        // The servers that held these leases serve another database: the webhooks would wait for them.
        await filled.tx.updateTable('webhooks').set({ leased_by: null, leased_until: null }).execute()
        inDataDir(dataDir, () => noteChecked(folder, { id: found.head.id, keys: fingerprintOf(keys) }))
        await placePictures(folder, config)
        inDataDir(dataDir, () => placeSecret(folder, dataDir))
      },
    }))
    inDataDir(dataDir, () => {
      if (isSqlite) placeDatabase(folder, dataDir)
      removeFolder(folder, dataDir)
    })
    return checked
  } catch (error) {
    // After the check, with PostgreSQL the answer to a commit may be lost, and pictures may have been moved.
    if (checkedEarlier(folder) === null) rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

interface Checked {
  readonly id: string
  readonly keys: string | undefined
}

function checkedEarlier(folder: string): Checked | null {
  if (!existsSync(join(folder, CHECKED))) return null
  const [id = '', keys] = readFileSync(join(folder, CHECKED), 'utf8').split('\n')
  return { id, keys }
}

/** Each service has its own data keys. */
function fingerprintOf(keys: readonly { readonly wrapped: Uint8Array }[]): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (const key of keys.map(({ wrapped }) => Buffer.from(wrapped).toString('hex')).sort()) hash.update(`${key}\n`)
  return hash.digest('hex')
}

const hasDatabase = async ({ database, dataDir }: Config): Promise<boolean> =>
  database.engine === 'postgres'
    ? !(await isPostgresEmpty(database.directUrl ?? database.url))
    : existsSync(join(dataDir, DATABASE_FILE))

/** A server may have made a new service in PostgreSQL, where the interrupted restore had not committed. */
async function assertSameDatabase(config: Config, { keys }: Checked): Promise<void> {
  const snapshot = await openSnapshot(config)
  try {
    const isService = snapshot.tables.includes('data_keys')
    if (isService && fingerprintOf(await snapshot.select(WRAPPED_KEYS)) === keys) return
  } finally {
    await snapshot.close()
  }
  throw new PlainFailure(
    'The database is not the one of the unfinished restore: another service was made there. Restore into a new database.',
  )
}

async function assertSameBackup(source: AsyncIterable<Uint8Array>, { id }: Checked, dataDir: string): Promise<void> {
  const { head } = await openArchive<BackupHead, never>(source, 'backup')
  if (head.id === id) return
  throw new PlainFailure(
    `DATA_DIR ${dataDir} holds an unfinished restore of another backup. Finish that one, or restore into another folder.`,
  )
}

function assertEmpty({ database, dataDir, s3 }: Config, { mayHavePictures }: { mayHavePictures: boolean }): void {
  const names = readdirSync(dataDir)
  const found = [
    ...(database.engine === 'sqlite' ? names.filter((name) => name.startsWith(DATABASE_FILE)) : []),
    ...(s3 || mayHavePictures || !names.includes('files') ? [] : picturesIn(join(dataDir, 'files')).slice(0, 1)),
  ]
  if (found[0] === undefined) return
  throw new PlainFailure(`DATA_DIR ${dataDir} is not empty: it has ${found[0]}. Restore into a new folder.`)
}

const picturesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter(isFileKey)
    .map((name) => `files/${name}`)

interface Found {
  readonly found: CheckedBackup
  readonly keys: Awaited<ReturnType<NewDatabase['select']>>
}

function assertUsable({ found, keys }: Found, { secretKeys, dataDir }: Config, folder: string): void {
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

function noteChecked(folder: string, { id, keys }: Checked): void {
  writeFileSync(join(folder, CHECKED), `${id}\n${keys}`)
  for (const path of [join(folder, CHECKED), folder]) syncPath(path)
}

/** Only of a checked backup: a bad one must not replace good pictures. */
async function placePictures(folder: string, config: Config): Promise<void> {
  const from = join(folder, 'files')
  const store = openFilesBeside(config)
  for (const key of readdirSync(from).filter(isFileKey)) await store.put(key, join(from, key))
}

function placeSecret(folder: string, dataDir: string): void {
  if (!existsSync(join(folder, SECRET_ENTRY))) return
  syncPath(join(folder, SECRET_ENTRY))
  renameSync(join(folder, SECRET_ENTRY), join(dataDir, SECRET_ENTRY))
  syncPath(dataDir)
}

function placeDatabase(folder: string, dataDir: string): void {
  syncPath(join(folder, DATABASE_FILE))
  renameSync(join(folder, DATABASE_FILE), join(dataDir, DATABASE_FILE))
  syncPath(dataDir)
}

/** In one step: a half-removed folder looks like a half-filled one. */
function removeFolder(folder: string, dataDir: string): void {
  rmSync(`${folder}.done`, { recursive: true, force: true })
  renameSync(folder, `${folder}.done`)
  syncPath(dataDir)
  rmSync(`${folder}.done`, { recursive: true })
}
