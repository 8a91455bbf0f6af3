import {
  chmodSync,
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '../../base/errors.ts'
import { ADVISED_OPEN_FILES, diskRoom, isLowLimit, openFileLimit } from '../../base/machine.ts'
import type { Config } from '../../config/config.ts'
import { RESTORING_FOLDER } from '../../db/open.ts'
import { openSecret } from '../../db/secret-file.ts'
import { FINDINGS } from '../../features/operator/findings.ts'
import { type Finding, listed, ok, problem } from './finding.ts'
import type { RemedyCode } from './remedies.ts'

const GIGABYTE = 1_000_000_000
const MEGABYTE = 1_000_000
const SYNCS = 21
/** Each group of votes waits for one sync. */
const SLOW_SYNC_MS = 20

export async function examineFolder({ dataDir }: Config): Promise<Finding[]> {
  if (!existsSync(dataDir)) return [problem('folder_missing', `DATA_DIR ${dataDir} does not exist`)]
  if (existsSync(join(dataDir, RESTORING_FOLDER)))
    return [problem('restore_unfinished', `DATA_DIR ${dataDir} holds an unfinished restore`, { folder: dataDir })]
  const foreign = foreignFile(dataDir)
  try {
    const { freeBytes } = await diskRoom(dataDir)
    return [...foreign, roomOf(freeBytes), speedOf(syncMs(dataDir))]
  } catch (error) {
    return [...foreign, explained(error, dataDir, 'folder_unusable')]
  }
}

/** The first file that the owner of DATA_DIR does not own. */
function foreignFile(dataDir: string): Finding[] {
  const { uid } = statSync(dataDir)
  const names = namesIn(dataDir).flatMap((name) => [name, ...(name === 'files' ? namesIn(join(dataDir, name)) : [])])
  for (const name of names) {
    const path = existsSync(join(dataDir, name)) ? join(dataDir, name) : join(dataDir, 'files', name)
    const file = statSync(path, { throwIfNoEntry: false })
    if (!file || file.uid === uid) continue
    const found = `${describedFile(path)}, and DATA_DIR belongs to ${userOf(uid)}`
    return [problem('owner_differs', found, { owner: uid, path })]
  }
  return []
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const describedFile = (path: string): string => {
  const { uid, mode } = statSync(path)
  return `${path} belongs to ${userOf(uid)} with mode ${(mode & 0o777).toString(8)}`
}

/** The name of a user, where the system keeps it in a file. */
function userOf(uid: number): string {
  try {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n')
    const name = users.map((line) => line.split(':')).find(([, , id]) => id === String(uid))?.[0]
    return name === undefined ? `uid ${uid}` : `${name} (uid ${uid})`
  } catch {
    return `uid ${uid}`
  }
}

const REASONS: readonly (readonly [RegExp, RemedyCode])[] = [
  [/^(?:ENOSPC|EDQUOT|SQLITE_FULL)/, 'disk_exhausted'],
  [/^SQLITE_(?:CORRUPT|NOTADB)/, 'database_damaged'],
  [/^(?:EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN)/, 'not_permitted'],
]

/** The remedy for a failure, by the code of its cause. */
export function explained(error: unknown, dataDir: string, otherwise: RemedyCode): Finding {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const remedy = REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? otherwise
  const owner =
    remedy === 'not_permitted' ? ` (${describedFile(dataDir)}, and this is ${userOf(process.getuid?.() ?? 0)})` : ''
  return problem(remedy, reasonOf(error).replace(/\.$/, '') + owner, { folder: dataDir })
}

/** With `isFixed`, closes what it finds open. */
export function examineSecretFile({ database, dataDir, secretKeys }: Config, isFixed: boolean): Finding[] {
  const open = database.engine === 'sqlite' && secretKeys.length === 0 ? openSecret(dataDir) : null
  if (!open) return []
  if (!isFixed) return [problem('secret_open', `other users of this machine can read ${open.path}, mode ${open.mode}`)]
  chmodSync(open.path, 0o600)
  return [ok('secret', `${open.path} had mode ${open.mode}, and now has mode 600`)]
}

function roomOf(freeBytes: number): Finding {
  const size =
    freeBytes > GIGABYTE ? `${(freeBytes / GIGABYTE).toFixed(1)} GB` : `${(freeBytes / MEGABYTE).toFixed(0)} MB`
  const seen = { disk: { freeBytes } }
  const code = (['disk_full', 'disk_low'] as const).find((each) => FINDINGS[each].isFound(seen))
  return code ? listed('disk', code, { values: { size } }) : ok('disk', `${size} free`)
}

function speedOf(milliseconds: number): Finding {
  const found = `a durable write takes ${milliseconds.toFixed(1)} ms`
  return milliseconds < SLOW_SYNC_MS ? ok('disk speed', found) : problem('disk_slow', found)
}

/** The median of some writes as votes need them. */
function syncMs(dataDir: string): number {
  const path = join(dataDir, `doctor-${process.pid}`)
  const file = openSync(path, 'w', 0o600)
  try {
    const page = Buffer.alloc(4_096)
    const times = Array.from({ length: SYNCS }, () => {
      const startedAt = performance.now()
      writeSync(file, page)
      fdatasyncSync(file)
      return performance.now() - startedAt
    })
    return times.sort((a, b) => a - b)[Math.floor(SYNCS / 2)] ?? 0
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

export function examineOpenFiles({ streams }: Config): Finding {
  const part = 'open files'
  const limit = openFileLimit()
  if (limit === null) return ok(part, 'this system names no limit')
  if (!isLowLimit(limit, streams)) return ok(part, `a process started like this one may open ${limit}`)
  const found = `a process started like this one may open only ${limit}, and STREAMS is ${streams}`
  return problem('open_files_few', found, { advised: ADVISED_OPEN_FILES })
}
