import { SQLiteError } from 'bun:sqlite'

/** False, instead of an error, if SQLite cannot write now because another process is writing or the disk is full: try again later. */
export function tryToWrite(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return false
  }
}

export const isUnwritable = (error: unknown): boolean =>
  error instanceof SQLiteError && /^SQLITE_(BUSY|FULL|IOERR|READONLY)/.test(error.code ?? '')
