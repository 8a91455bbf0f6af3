import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { inDataDir, PlainFailure } from '../base/errors.ts'
import { syncPath } from '../base/machine.ts'
import type { Config } from '../config/config.ts'
import { assertSecretOpens, WRAPPED_KEYS } from '../db/data-keys.ts'
import type { Dump } from '../db/dump.ts'
import type { RestoredParts } from '../db/loaded-parts.ts'
import { openDump } from '../db/open-dump.ts'
import { isPostgresEmpty, loadPostgresRows } from '../db/postgres/loaded-rows.ts'
import { RESTORING_FOLDER } from '../db/restoring.ts'
import { secretFromFile } from '../db/secret-file.ts'
import { loadSqliteFiles } from '../db/sqlite/loaded-files.ts'
import { takeServeLock } from '../db/sqlite/serve-lock.ts'
import { isFileKey } from '../files/file-keys.ts'
import { openFilesBeside } from '../files/open-files.ts'
import { readArchiveHead } from './archive-reader.ts'
import { type BackupHead, SECRET_ENTRY } from './backup-format.ts'
import type { ByteProgress } from './byte-progress.ts'
import { type BackupTarget, type CheckedBackup, faultsOf, type ReadBackup, readBackup } from './read-backup.ts'

/**
 * In the folder of an unfinished restore, once its content is checked and only has to be moved: the id of its backup, and a
 * fingerprint of its data keys.
 */
const CHECKED = 'checked'
const DATABASE_FILE = 'tossup.sqlite'

interface Given {
  /** Opens the archive from its beginning. */
  readonly source: AsyncIterable<Uint8Array>
  readonly progress: ByteProgress
}

/** Null if an interrupted restore of this backup only had to be finished. */
type Restored = CheckedBackup | null

/**
 * Restores into an empty place. Everything is written to DATA_DIR/restoring first, and moved once all of it is checked. While
 * that folder exists, no server starts there. PostgreSQL is filled in one transaction.
 */
export async function restoreBackup(config: Config, { source, progress }: Given): Promise<Restored> {
  const { dataDir } = config
  const folder = join(dataDir, RESTORING_FOLDER)
  inDataDir(dataDir, () => mkdirSync(dataDir, { recursive: true }))
  const unlock = inDataDir(dataDir, () => takeServeLock(dataDir))
  try {
    const earlier = checkedEarlier(folder)
    if (earlier !== null && !(await isUntouched(config))) {
      await assertSameBackup(source, earlier, dataDir)
      await assertSameDatabase(config, earlier)
      await putPictures(folder, config)
      inDataDir(dataDir, () => moveAll(folder, config))
      return null
    }
    assertEmpty(config)
    inDataDir(dataDir, () => {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(join(folder, 'files'), { recursive: true, mode: 0o700 })
    })
    return await readAndMove(config, { source, progress }, folder)
  } finally {
    unlock()
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

/** Fingerprint of the data keys, which identify a service: each service has its own. */
async function fingerprintOf(select: Dump['select']): Promise<string> {
  const keys = (await select<{ wrapped: Uint8Array }>(WRAPPED_KEYS)).map(({ wrapped }) => Buffer.from(wrapped))
  const hash = new Bun.CryptoHasher('sha256')
  for (const key of keys.map((bytes) => bytes.toString('hex')).sort()) hash.update(`${key}\n`)
  return hash.digest('hex')
}

/** With PostgreSQL: a server may have made a new service there, where the interrupted restore had not committed yet. */
async function assertSameDatabase({ database }: Config, { keys }: Checked): Promise<void> {
  if (database.engine !== 'postgres') return
  const dump = await openDump({ database })
  try {
    const hasKeys = dump.tables.some(({ name }) => name === 'data_keys')
    if (hasKeys && (await fingerprintOf(dump.select)) === keys) return
  } finally {
    await dump.close()
  }
  throw new PlainFailure(
    'The database of DATABASE_URL is not the one of the unfinished restore: another service was made there. Restore into a new database.',
  )
}

/** With PostgreSQL: the restore was interrupted before its commit, so there is nothing to finish. */
const isUntouched = async ({ database }: Config): Promise<boolean> =>
  database.engine === 'postgres' && (await isPostgresEmpty(database.directUrl ?? database.url))

async function assertSameBackup(source: AsyncIterable<Uint8Array>, earlier: Checked, dataDir: string): Promise<void> {
  const { id } = await readArchiveHead<BackupHead>(source, 'backup')
  if (id === earlier.id) return
  throw new PlainFailure(
    `DATA_DIR ${dataDir} holds an unfinished restore of another backup. Finish that one, or restore into another folder.`,
  )
}

async function readAndMove(config: Config, { source, progress }: Given, folder: string): Promise<CheckedBackup> {
  const opened: RestoredParts[] = []
  try {
    const checked = await readBackup({
      source,
      progress,
      async open(head) {
        const database = await openDatabaseFor(head, config, folder)
        opened.push(database)
        return targetOf(database, folder)
      },
    })
    await assertUsable(checked, config, folder)
    const keys = await fingerprintOf(checked.select)
    inDataDir(config.dataDir, () => noteChecked(folder, { id: checked.head.id, keys }))
    for (const database of opened) await database.commit()
    await putPictures(folder, config)
    inDataDir(config.dataDir, () => moveAll(folder, config))
    return checked
  } catch (error) {
    // Checked data stays: with PostgreSQL the answer to a commit may be lost, and a move may be half done.
    if (checkedEarlier(folder) === null) rmSync(folder, { recursive: true, force: true })
    throw error
  } finally {
    for (const database of opened) await database.close()
  }
}

async function openDatabaseFor(head: BackupHead, { database }: Config, folder: string): Promise<RestoredParts> {
  if (head.engine !== database.engine) {
    throw new PlainFailure(
      head.engine === 'postgres'
        ? 'The backup is of PostgreSQL: set DATABASE_URL to an empty database.'
        : 'The backup is of SQLite: unset DATABASE_URL, and set DATA_DIR to an empty folder.',
    )
  }
  return database.engine === 'postgres'
    ? loadPostgresRows(database.directUrl ?? database.url, head)
    : loadSqliteFiles(folder)
}

function targetOf(database: RestoredParts, folder: string): BackupTarget {
  return {
    database,
    async file(key, _bytes, chunks) {
      // A key with a path in it would be written elsewhere.
      if (!isFileKey(key)) throw new PlainFailure(`The backup holds the file "${key}", which is no name of a picture.`)
      await writeChunks(join(folder, 'files', key), chunks)
    },
    secret: (chunks) => writeChunks(join(folder, SECRET_ENTRY), chunks),
  }
}

async function writeChunks(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for await (const chunk of chunks) await file.write(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

function assertEmpty({ database, dataDir, s3 }: Config): void {
  const names = readdirSync(dataDir)
  const found = [
    ...(database.engine === 'sqlite' ? names.filter((name) => name.startsWith(DATABASE_FILE)) : []),
    ...(s3 || !names.includes('files') ? [] : picturesIn(join(dataDir, 'files')).slice(0, 1)),
  ]
  if (found[0] === undefined) return
  throw new PlainFailure(`DATA_DIR ${dataDir} is not empty: it has ${found[0]}. Restore into a new folder.`)
}

const picturesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter(isFileKey)
    .map((name) => `files/${name}`)

async function assertUsable(checked: ReadBackup, { secretKeys, dataDir }: Config, folder: string): Promise<void> {
  const faults = faultsOf(checked)
  if (faults.length > 0) throw new PlainFailure(faults.slice(0, 5).join('\n'))
  const [kept, restored] = [dataDir, folder].map((place) => secretFromFile(place, { make: false }))
  if (kept && restored && kept !== restored) {
    throw new PlainFailure(`DATA_DIR ${dataDir} has a secret.key that is not the one in the backup. Move it away.`)
  }
  const secrets = secretKeys.length > 0 ? secretKeys : [restored ?? kept].filter((secret) => typeof secret === 'string')
  if (secrets.length === 0) {
    throw new PlainFailure(
      `The backup holds no secret: set SECRET_KEY, or put the secret.key of the server into DATA_DIR ${dataDir}.`,
    )
  }
  assertSecretOpens(await checked.select(WRAPPED_KEYS), secrets)
}

function noteChecked(folder: string, { id, keys }: Checked): void {
  writeFileSync(join(folder, CHECKED), `${id}\n${keys}`)
  for (const path of [join(folder, CHECKED), join(folder, 'files'), folder]) syncPath(path)
}

/** Into the bucket, if there is one. Only of a checked backup: a bad one must not replace good pictures. */
async function putPictures(folder: string, config: Config): Promise<void> {
  const from = join(folder, 'files')
  if (!config.s3 || !existsSync(from)) return
  const bucket = openFilesBeside(config)
  for (const key of readdirSync(from)) {
    await bucket.put(key, join(from, key))
    rmSync(join(from, key), { force: true })
  }
  rmSync(from, { recursive: true })
}

/** Each step can be repeated. The database comes last: without it, there is no service. */
function moveAll(folder: string, { dataDir }: Config): void {
  movePictures(join(folder, 'files'), join(dataDir, 'files'))
  for (const name of [SECRET_ENTRY, DATABASE_FILE]) {
    if (existsSync(join(folder, name))) renameSync(join(folder, name), join(dataDir, name))
  }
  syncPath(dataDir)
  // A restore that was killed at its end leaves this folder.
  rmSync(`${folder}.done`, { recursive: true, force: true })
  // Rename in one step: a half-removed folder looks like a half-filled one.
  renameSync(folder, `${folder}.done`)
  syncPath(dataDir)
  rmSync(`${folder}.done`, { recursive: true })
}

function movePictures(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name))
  syncPath(to)
}
