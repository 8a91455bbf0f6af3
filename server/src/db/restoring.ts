import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure } from '../base/errors.ts'

/** A restore writes into this folder of DATA_DIR, and removes it when everything is in its place. */
export const RESTORING_FOLDER = 'restoring'

/** What a restore has not finished must never be served. */
export function assertNoUnfinishedRestore(dataDir: string): void {
  if (!existsSync(join(dataDir, RESTORING_FOLDER))) return
  throw new PlainFailure(
    `DATA_DIR ${dataDir} holds an unfinished restore. Run the same \`tossup restore\` again, or remove the folder.`,
  )
}
