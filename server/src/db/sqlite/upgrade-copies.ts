import { Database } from 'bun:sqlite'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { syncPath } from '../../base/machine.ts'
import { version } from '../../config/config.ts'

/** The version that made the copy, and a number where it made several. */
const NAME = /^before-(\d+\.\d+\.\d+(?:-[a-z][\w.]*?)?)(?:-(\d+))?$/i
/** A copy that is being written. */
const PARTIAL = '.partial'
/** A complete copy whose upgrade has not been committed. */
const PENDING = '.pending'
const MOST_COPIES = 2
/** For the log of the migration itself. */
const ROOM_BYTES = 67_108_864
const MEGABYTE = 1_000_000
const SIZE = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size'

export interface UpgradeCopy {
  /** The folder of the copy in DATA_DIR. */
  readonly name: string
  readonly bytes: number
}

interface Made {
  readonly name: string
  readonly version: string
  readonly number: number
}

const isUncommitted = (name: string): boolean =>
  name.startsWith('before-') && (name.endsWith(PARTIAL) || name.endsWith(PENDING))

function madeBy(name: string): Made | null {
  const [, by, number = '1'] = NAME.exec(name) ?? []
  return by === undefined || isUncommitted(name) ? null : { name, version: by, number: Number(number) }
}

const namesIn = (dataDir: string): string[] => (existsSync(dataDir) ? readdirSync(dataDir) : [])

/** The copies in DATA_DIR, in the order of the versions that made them: the times of files change when they are copied. */
export function upgradeCopies(dataDir: string): Made[] {
  const made = namesIn(dataDir).flatMap((name) => madeBy(name) ?? [])
  const complete = made.filter(({ name }) => existsSync(join(dataDir, name, 'tossup.sqlite')))
  return complete.sort((left, right) => Bun.semver.order(left.version, right.version) || left.number - right.number)
}

/**
 * Copies the database to a folder of DATA_DIR that `nameCopy` names once the upgrade is committed. The caller holds the
 * write lock, so the copy has everything up to the migration. Reads over a connection of its own: VACUUM INTO cannot run in
 * a transaction, and to copy the file itself would open and close it, which releases the locks of SQLite in this process.
 */
export function copyBeforeUpgrade(dataDir: string): UpgradeCopy {
  // Random: where an attempt fails, another process may copy already while this one removes its copy.
  const name = `before-${version}.${randomBytes(4).toString('hex')}`
  const [partial, pending] = [join(dataDir, `${name}${PARTIAL}`), join(dataDir, `${name}${PENDING}`)]
  const source = new Database(join(dataDir, 'tossup.sqlite'), { readonly: true, strict: true })
  try {
    removeUncommitted(dataDir)
    const bytes = source.query<{ bytes: number }, []>(SIZE).get()?.bytes ?? 0
    assertRoom(dataDir, bytes)
    mkdirSync(partial, { mode: 0o700 })
    const file = join(partial, 'tossup.sqlite')
    source.query('vacuum into ?').run(file)
    syncPath(file)
    syncPath(partial)
    renameSync(partial, pending)
    syncPath(dataDir)
    return { name: `${name}${PENDING}`, bytes: statSync(join(pending, 'tossup.sqlite')).size }
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    if (error instanceof PlainFailure) throw error
    throw new PlainFailure(`Cannot keep a copy of the database in ${dataDir} before the upgrade: ${reasonOf(error)}.`, {
      cause: error,
    })
  } finally {
    source.close()
  }
}

export function removeCopy(dataDir: string, { name }: UpgradeCopy): void {
  rmSync(join(dataDir, name), { recursive: true, force: true })
}

/**
 * Copies of attempts that were killed: the database still needs the upgrade, so none of them was committed. A server that is
 * killed and started again and again would fill the disk with them.
 */
function removeUncommitted(dataDir: string): void {
  for (const name of namesIn(dataDir).filter(isUncommitted)) {
    rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

/**
 * After the upgrade is committed, names its copy before-VERSION and returns that name. A start that was killed in between has
 * left this to the next one.
 */
export function nameCopy(dataDir: string): string | null {
  const pending = namesIn(dataDir).find((each) => each.startsWith(`before-${version}.`) && each.endsWith(PENDING))
  if (pending === undefined) return null
  const name = freeName(dataDir)
  renameSync(join(dataDir, pending), join(dataDir, name))
  syncPath(dataDir)
  return name
}

/** Removes the oldest copies, but never the one just made. */
export function removeOldCopies(dataDir: string, kept: string): void {
  for (const { name } of upgradeCopies(dataDir).slice(0, -MOST_COPIES)) {
    if (name !== kept) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

/** One version can migrate twice, while it is developed. */
function freeName(dataDir: string): string {
  const name = `before-${version}`
  for (let number = 2, free = name; ; number++) {
    if (!existsSync(join(dataDir, free))) return free
    free = `${name}-${number}`
  }
}

function assertRoom(dataDir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dataDir)
  const needed = bytes + ROOM_BYTES
  if (bavail * bsize >= needed) return
  const [wanted, free] = [needed, bavail * bsize].map((each) => `${Math.ceil(each / MEGABYTE)} MB`)
  throw new PlainFailure(
    `The upgrade keeps a copy of the database in DATA_DIR first and needs ${wanted} there, but only ${free} are free. Free some space, or remove old folders before-… and rolled-back-…. Nothing was changed.`,
  )
}
