import { readSync } from 'node:fs'
import { endianness } from 'node:os'

/** Fields of the WAL index (`-shm`), see https://sqlite.org/walformat.html. In the byte order of the machine. */
export interface LogIndex {
  readonly pageBytes: number
  /** The frames of the log that hold commits. */
  readonly frames: number
  /** How many of them a checkpoint has written into the database. */
  readonly backfilled: number
}

const BYTES = 100
const isLittle = endianness() === 'LE'

export function readLogIndex(fd: number): LogIndex {
  const bytes = Buffer.alloc(BYTES)
  readSync(fd, bytes, 0, bytes.length, 0)
  const word = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const pageSize = isLittle ? bytes.readUInt16LE(14) : bytes.readUInt16BE(14)
  return { pageBytes: pageSize === 1 ? 65_536 : pageSize, frames: word(16), backfilled: word(96) }
}

/** The length of the log up to its last commit. */
export const logBytes = ({ frames, pageBytes }: LogIndex): number => (frames === 0 ? 0 : 32 + frames * (24 + pageBytes))
