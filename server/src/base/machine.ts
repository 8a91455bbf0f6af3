import { closeSync, fsyncSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

/** More than the default of STREAMS needs. */
export const ADVISED_OPEN_FILES = 65_536
/** For voters, files, the database and child processes. */
const BESIDE_STREAMS = 2_000

/** How many files and connections this process may have open; null where the system does not say so. */
export function openFileLimit(): number | null {
  try {
    return parseLimit(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    return null
  }
}

/** How many this process has open; null where the system does not say so. */
export function openFiles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return null
  }
}

/** Open streams could leave no room for voters. */
export const isLowLimit = (limit: number, streams: number): boolean => limit < streams + BESIDE_STREAMS

/** The soft limit. The runtime has raised it to the hard limit at its start, which only root can raise. */
export function parseLimit(limits: string): number | null {
  const soft = /^Max open files\s+(\d+|unlimited)\s/m.exec(limits)?.[1]
  return soft === undefined || soft === 'unlimited' ? null : Number(soft)
}

/** Makes a file durable, or a folder: a new or renamed file can be lost until its folder is on the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export interface DiskRoom {
  readonly freeBytes: number
  readonly totalBytes: number
}

export async function diskRoom(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
