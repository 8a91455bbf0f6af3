import { readFileSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

/** A whole run stays far below this. */
const ROOM = 8 * 2 ** 30

/** Where tests keep their files: in memory if there is room, because SQLite syncs each commit. `TMPDIR` comes first. */
export const testPlace = (
  wanted: string | null = process.env['TMPDIR'] ?? null,
  folder = '/dev/shm',
  bytes = ROOM,
): string => wanted ?? (hasRoom(folder, bytes) ? folder : tmpdir())

function hasRoom(folder: string, bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const options = mounts.map((line) => line.split(' ')).findLast(([, place]) => place === folder)?.[3]
    // The folder may be larger than the memory that is left. Tests start programs there that they have built.
    return Math.min(bavail * bsize, freemem()) >= bytes && !options?.split(',').includes('noexec')
  } catch {
    // Other systems have no such folder.
    return false
  }
}
