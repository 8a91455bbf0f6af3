import { chmodSync, closeSync, existsSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '../../base/errors.ts'
import { diskRoom } from '../../base/machine.ts'
import type { Config } from '../../config/config.ts'
import { hasUnfinishedRestore } from '../../db/open.ts'
import { openSecret } from '../../db/secret-file.ts'
import { FINDINGS } from '../../features/operator/findings.ts'
import { type Finding, listed, ok, problem } from './remedies.ts'

const GIGABYTE = 1_000_000_000
const MEGABYTE = 1_000_000
const SYNCS = 21
/** Each group of votes waits for one sync. */
const SLOW_SYNC_MS = 20

export async function examineFolder({ dataDir }: Config): Promise<Finding[]> {
  if (!existsSync(dataDir)) return [problem('folder_missing', `DATA_DIR ${dataDir} does not exist`)]
  if (hasUnfinishedRestore(dataDir))
    return [problem('restore_unfinished', `DATA_DIR ${dataDir} holds an unfinished restore`, { folder: dataDir })]
  try {
    const { freeBytes } = await diskRoom(dataDir)
    return [roomOf(freeBytes), speedOf(syncMs(dataDir))]
  } catch (error) {
    return [problem('folder_unusable', reasonOf(error), { folder: dataDir })]
  }
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
