import { PlainFailure, reasonOf } from './errors.ts'

/** A failure of the file system is told as one of the setting that the operator chose. */
export function inDataDir<T>(dataDir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof PlainFailure) throw error
    throw new PlainFailure(`Cannot use DATA_DIR ${dataDir}: ${reasonOf(error)}.`, { cause: error })
  }
}
