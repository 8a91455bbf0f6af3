import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '../../base/errors.ts'
import { ADVISED_OPEN_FILES, diskRoom, isLowLimit, openFileLimit } from '../../base/machine.ts'
import type { Config } from '../../config/config.ts'
import { assertNoUnfinishedRestore } from '../../db/open.ts'
import { FINDINGS } from '../../features/operator/findings.ts'
import { type Finding, fault, listed, ok, warning } from './finding.ts'

const GIGABYTE = 1_000_000_000
const MEGABYTE = 1_000_000
const SYNCS = 21
/** Each group of votes waits for one sync. */
const SLOW_SYNC_MS = 20

export async function examineFolder({ dataDir }: Config): Promise<Finding[]> {
  const part = 'disk'
  try {
    if (!existsSync(dataDir))
      return [warning(part, `DATA_DIR ${dataDir} does not exist`, 'Set DATA_DIR to the folder of your server.')]
    assertNoUnfinishedRestore(dataDir)
    const { freeBytes } = await diskRoom(dataDir)
    return [roomOf(freeBytes), speedOf(syncMs(dataDir))]
  } catch (error) {
    return [fault(part, reasonOf(error), `Make DATA_DIR ${dataDir} writable for this user.`)]
  }
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
  return milliseconds < SLOW_SYNC_MS
    ? ok('disk speed', found)
    : warning('disk speed', found, 'Every vote waits for such a write. Use a local SSD, not a network disk.')
}

/** The median of some writes as votes need them. */
function syncMs(dataDir: string): number {
  mkdirSync(dataDir, { recursive: true })
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
  const advice = `Raise it to ${ADVISED_OPEN_FILES} (ulimit -n, or LimitNOFILE= of systemd): each connection needs one.`
  return warning(part, `a process started like this one may open only ${limit}, and STREAMS is ${streams}`, advice)
}
