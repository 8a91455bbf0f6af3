import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf, PlainFailure } from '../../base/errors.ts'

/**
 * Only one server may use a DATA_DIR. The lock is an open transaction, which the kernel drops however the process dies;
 * a PID file would survive a kill.
 */
export function takeServeLock(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true })
  const file = new Database(join(dataDir, 'serve.lock'), { create: true })
  try {
    file.run('pragma busy_timeout = 0')
    file.run('begin exclusive')
  } catch (error) {
    file.close()
    if (errorCodeOf(error) === 'SQLITE_BUSY') {
      throw new PlainFailure(`Another Tossup server already uses DATA_DIR ${dataDir}.`)
    }
    throw error
  }
  return () => file.close()
}
