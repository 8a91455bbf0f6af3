import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

const HOUR_MS = 3_600_000

/** A folder for files that are being written. */
export interface Unfinished {
  newPath(): string
  discard(path: string): Promise<void>
}

/**
 * Removes what a crash left behind. If other servers may write into the same folder, only files too old to be in use are
 * removed.
 */
export function openUnfinished(folder: string, { isShared }: { isShared: boolean }): Unfinished {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!isShared || ageOf(path) > HOUR_MS) rmSync(path, { recursive: true, force: true })
  }
  return {
    newPath: () => join(folder, randomUUID()),
    async discard(path) {
      // A file that cannot be removed now is removed at the next start. An error here must not hide the error before it.
      await rm(path, { force: true }).catch(() => undefined)
    },
  }
}

const ageOf = (path: string): number =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY)
