import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes a file durable, or a folder: a new or renamed file can be lost until its folder is on the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
