import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure } from '../../base/errors.ts'

/**
 * One server holds a DATA_DIR. The lock is an open transaction, which the kernel drops when the process dies,
 * however it dies; a file with a process id would outlive a kill.
 */
export function takeServeLock(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true })
  const file = new Database(join(dataDir, 'serve.lock'), { create: true })
  try {
    file.run('pragma busy_timeout = 0')
    file.run('begin exclusive')
  } catch (error) {
    file.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') {
      throw new PlainFailure(`Another Tossup is already serving from DATA_DIR ${dataDir}.`)
    }
    throw error
  }
  return () => file.close()
}
