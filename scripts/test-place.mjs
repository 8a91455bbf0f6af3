// Where test files keep their databases and files: in memory, if there is room, because SQLite syncs each commit.
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const inMemory = {
  folder: '/dev/shm',
  // A whole run with several files at once stays far below this.
  bytes: 8 * 2 ** 30,
}

/** `TMPDIR` if it is set, otherwise a folder in memory if so many bytes are free, otherwise the system's temporary folder. */
export function testPlace({ wanted, folder, bytes } = { wanted: process.env.TMPDIR, ...inMemory }) {
  return wanted ?? (hasRoom(folder, bytes) && mayHoldPrograms(folder) ? folder : tmpdir())
}

function hasRoom(folder, bytes) {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    // The folder may be larger than the memory that is left.
    return Math.min(bavail * bsize, freemem()) >= bytes
  } catch {
    // Other systems have no such folder.
    return false
  }
}

/** Some tests start programs that they have built. */
function mayHoldPrograms(folder) {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const options = mounts.map((line) => line.split(' ')).findLast(([, place]) => place === folder)?.[3] ?? ''
  return !options.split(',').includes('noexec')
}
