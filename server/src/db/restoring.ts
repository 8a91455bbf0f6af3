import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure } from '../base/errors.ts'

/** A restore writes into this folder of DATA_DIR, and removes it when all files are in place. */
export const RESTORING_FOLDER = 'restoring'

/** An unfinished restore must never be served. */
export function assertNoUnfinishedRestore(dataDir: string): void {
  if (!existsSync(join(dataDir, RESTORING_FOLDER))) return
  throw new PlainFailure(
    `DATA_DIR ${dataDir} holds an unfinished restore. Run the same \`tossup restore\` again, or remove the folder.`,
  )
}
