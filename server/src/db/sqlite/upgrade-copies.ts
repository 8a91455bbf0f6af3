import { Database } from 'bun:sqlite'
import { mkdirSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { syncPath } from '../../base/machine.ts'
import { version } from '../../config/config.ts'

/** Folders of copies; a backup that an operator keeps beside them may have a similar name. */
const NAME = /^before-\d+\.\d+\.\d+/
/** For the log of the migration itself. */
const ROOM_BYTES = 67_108_864
const MEGABYTE = 1_000_000
const SIZE = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size'

/**
 * Copies the database to the folder before-VERSION of DATA_DIR, under the write lock of the caller, in place of the copy of a failed
 * attempt. VACUUM INTO needs a connection without a transaction; to copy the file itself would release the locks of this process.
 */
export function copyBeforeUpgrade(dataDir: string): string {
  const name = `before-${version}`
  const folder = join(dataDir, name)
  const [copy, partial] = [join(folder, 'tossup.sqlite'), join(folder, 'tossup.sqlite.partial')]
  const source = new Database(join(dataDir, 'tossup.sqlite'), { readonly: true, strict: true })
  try {
    rmSync(partial, { force: true })
    assertRoom(dataDir, source.query<{ bytes: number }, []>(SIZE).get()?.bytes ?? 0)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    source.query('vacuum into ?').run(partial)
    syncPath(partial)
    renameSync(partial, copy)
    for (const path of [folder, dataDir]) syncPath(path)
    return name
  } catch (error) {
    if (error instanceof PlainFailure) throw error
    throw new PlainFailure(`Cannot keep a copy of the database in ${dataDir} before the upgrade: ${reasonOf(error)}.`, {
      cause: error,
    })
  } finally {
    source.close()
  }
}

/** Copies of earlier upgrades. The upgrade is committed: one that cannot be removed must not end the start. */
export function removeEarlierCopies(dataDir: string, kept: string): void {
  for (const name of readdirSync(dataDir).filter((each) => NAME.test(each) && each !== kept)) {
    try {
      rmSync(join(dataDir, name), { recursive: true, force: true })
    } catch {
      // It stays.
    }
  }
}

function assertRoom(dataDir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dataDir)
  const needed = bytes + ROOM_BYTES
  if (bavail * bsize >= needed) return
  const [wanted, free] = [needed, bavail * bsize].map((each) => `${Math.ceil(each / MEGABYTE)} MB`)
  throw new PlainFailure(
    `The upgrade keeps a copy of the database in DATA_DIR first and needs ${wanted} there, but only ${free} are free. Free some space, or remove old folders before-…. Nothing was changed.`,
  )
}
