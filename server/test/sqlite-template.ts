import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A folder with a migrated database of the run (`scripts/testing/template.ts`). Runs of a few files have none. */
const TEMPLATE = process.env['TEST_TEMPLATE_SQLITE']

/** Puts a migrated database and its log into a new folder, because the migration takes half of the start of a test service. */
export function copySqliteTemplate(dataDir: string): void {
  if (!TEMPLATE) return
  // The index of the log belongs to the processes that have it open.
  const names = readdirSync(TEMPLATE).filter((name) => !name.endsWith('-shm'))
  for (const name of names) copyFileSync(join(TEMPLATE, name), join(dataDir, name))
}
