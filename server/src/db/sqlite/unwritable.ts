import { SQLiteError } from 'bun:sqlite'

/** If another process is writing or the disk is full, the work is done another time. */
export function unlessUnwritable(work: () => void): boolean {
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
