import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

const HOUR_MS = 3_600_000

/** A folder for files that are being written, and the name of a new one in it. */
export interface Unfinished {
  newPath(): string
  discard(path: string): Promise<void>
}

/**
 * Clears away what a crash left behind. Where other servers may write into the same folder, only what is older than
 * anything that can still be under way.
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
      // What cannot be removed now is cleared away at the next start; what went wrong before is worth more.
      await rm(path, { force: true }).catch(() => undefined)
    },
  }
}

const ageOf = (path: string): number =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY)
