import { statfs } from 'node:fs/promises'

const MEGABYTE = 1_000_000
/** The log of SQLite alone grows to 64 MiB, and further during a backup. */
const FULL_BELOW = 200 * MEGABYTE
const LOW_BELOW = 1_000 * MEGABYTE

export interface DiskRoom {
  readonly freeBytes: number
  readonly totalBytes: number
}

export async function diskRoom(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

export function judgeRoom(freeBytes: number): 'enough' | 'low' | 'full' {
  if (freeBytes < FULL_BELOW) return 'full'
  return freeBytes < LOW_BELOW ? 'low' : 'enough'
}
