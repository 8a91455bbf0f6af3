import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { syncPath } from '../../base/machine.ts'
import { migrationNames } from '../migrate.ts'
import { takeServeLock } from './serve-lock.ts'
import { upgradeCopies } from './upgrade-copies.ts'

const LOGS = ['tossup.sqlite-wal', 'tossup.sqlite-shm', 'tossup.sqlite-journal']
const STILL_USED = 'Another command still uses the database. Wait until it has ended.'

export interface Rollback {
  /** The copy that becomes the database, and the version that made it before its upgrade. */
  readonly from: string
  readonly version: string
  /** When the upgrade changed the schema; null if the database is not there to tell. */
  readonly upgradedAt: string | null
  /** The folder of DATA_DIR for the database from before the rollback. */
  readonly keptIn: string
  readonly votes: number
  /** Votes and polls that only the database in `keptIn` has. */
  readonly lostVotes: number
  readonly lostPolls: number
  /** The migrations that the database has no longer. */
  readonly migrations: readonly string[]
}

interface Options {
  readonly now: number
  /** Called before anything is exchanged, while nobody else can use the database; throws to leave everything as it is. */
  readonly confirm: (rollback: Rollback) => Promise<void>
}

/**
 * Puts the copy from before the last upgrade in the place of the database, and keeps the database aside. A crash in between
 * leaves one of the two in its place, complete.
 */
export async function rollBack(dataDir: string, { now, confirm }: Options): Promise<Rollback> {
  const made = upgradeCopies(dataDir).at(-1)
  if (made === undefined) {
    throw new PlainFailure(
      `DATA_DIR ${dataDir} has no copy from before an upgrade (before-VERSION). Restore a backup instead.`,
    )
  }
  const [path, copy] = [join(dataDir, 'tossup.sqlite'), join(dataDir, made.name, 'tossup.sqlite')]
  const keptIn = `rolled-back-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  const unlock = takeServeLock(dataDir)
  let file: Database | null = null
  try {
    file = existsSync(path) ? reading(path, () => openAlone(path)) : null
    const current = contentOrNone(path, file)
    const rollback = {
      from: made.name,
      version: made.version,
      keptIn,
      ...compared(
        current,
        reading(copy, () => contentOfCopy(copy)),
      ),
    }
    await confirm(rollback)
    exchange({ dataDir, copy, aside: join(dataDir, keptIn) })
    rmSync(join(dataDir, made.name), { recursive: true, force: true })
    syncPath(dataDir)
    return rollback
  } finally {
    file?.close()
    unlock()
  }
}

/** A damaged database may have been moved away by hand. */
function contentOrNone(path: string, file: Database | null): Content {
  if (file === null) return { votes: [], migrations: [] }
  const content = reading(path, () => contentOf(file))
  assertUpgraded(content)
  return content
}

/** Repeated by mistake, the command would go back one more upgrade each time. */
function assertUpgraded({ migrations }: Content): void {
  const has = new Set(migrations.map(({ name }) => name))
  if (migrationNames().every((name) => has.has(name))) return
  throw new PlainFailure(
    'The database is already from before the upgrade to this version. Start the earlier version; to go back further, run `rollback` of that version. Nothing was changed.',
  )
}

function compared(current: Content, earlier: Content) {
  const before = new Map(earlier.votes)
  const lost = current.votes.map(([id, votes]) => votes - (before.get(id) ?? 0))
  const kept = new Set(earlier.migrations.map(({ name }) => name))
  const undone = current.migrations.filter(({ name }) => !kept.has(name))
  return {
    upgradedAt: undone[0] ? new Date(undone[0].appliedAt).toISOString() : null,
    votes: sum(earlier.votes.map(([, votes]) => votes)),
    lostVotes: sum(lost.filter((votes) => votes > 0)),
    lostPolls: current.votes.filter(([id]) => !before.has(id)).length,
    migrations: undone.map(({ name }) => name),
  }
}

/**
 * The logs of SQLite go aside too, also where the database itself was moved away before: SQLite would replay a log that it
 * finds beside the copy, and so damage it.
 */
function exchange({ dataDir, copy, aside }: { dataDir: string; copy: string; aside: string }): void {
  const path = join(dataDir, 'tossup.sqlite')
  const moved: string[] = []
  mkdirSync(aside, { mode: 0o700 })
  try {
    if (existsSync(path)) keep(path, join(aside, 'tossup.sqlite'))
    for (const name of LOGS.filter((each) => existsSync(join(dataDir, each)))) {
      renameSync(join(dataDir, name), join(aside, name))
      moved.push(name)
    }
    syncPath(aside)
    renameSync(copy, path)
  } catch (error) {
    for (const name of moved) renameSync(join(aside, name), join(dataDir, name))
    rmSync(aside, { recursive: true, force: true })
    throw error
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

/** Copies on file systems without hard links. Closing the copied file then ends the lock of `openAlone` a moment early. */
function keep(path: string, aside: string): void {
  try {
    linkSync(path, aside)
  } catch {
    copyFileSync(path, aside)
    syncPath(aside)
  }
}

interface Content {
  readonly votes: readonly (readonly [id: string, votes: number])[]
  readonly migrations: readonly { readonly name: string; readonly appliedAt: number }[]
}

/**
 * Writes the log into the file and leaves WAL mode: SQLite does that only while no other connection is open, so the file is
 * complete without its log. Until it is closed, nobody else can read it or begin a log.
 */
function openAlone(path: string): Database {
  const file = new Database(path, { readwrite: true, create: false })
  try {
    file.run('pragma journal_mode = delete')
    file.run('begin exclusive')
    // Somebody who came between the two has begun a new log.
    const mode = file.query<{ journal_mode: string }, []>('pragma journal_mode').get()?.journal_mode
    if (mode !== 'delete') throw new PlainFailure(STILL_USED)
    return file
  } catch (error) {
    file.close()
    throw error
  }
}

function contentOfCopy(path: string): Content {
  const file = new Database(path, { readonly: true })
  try {
    return contentOf(file)
  } finally {
    file.close()
  }
}

function contentOf(file: Database): Content {
  const votes = file
    .query<{ id: string; votes: number }, []>(
      'select id, option_a + option_b as votes from polls join tallies on tallies.poll_key = polls.key',
    )
    .all()
  const migrations = file
    .query<{ name: string; appliedAt: number }, []>(
      'select name, applied_at as appliedAt from migrations order by name',
    )
    .all()
  return { votes: votes.map(({ id, votes }) => [id, votes] as const), migrations }
}

function reading<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof PlainFailure) throw error
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY'))
      throw new PlainFailure(STILL_USED, { cause: error })
    throw new PlainFailure(`Cannot read ${path}: ${reasonOf(error)}. Nothing was changed.`, { cause: error })
  }
}
