// Made once for a run of many files: migrated databases that test services copy, and a build of the sources that tests start.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../server/src/db/migrate.ts'
import { openSqlite } from '../../server/src/db/sqlite/engine.ts'
import { adminOf, dropOrphans } from '../../server/test/database-owner.ts'
import { engines } from '../../server/test/engines.ts'
import { migrateEmpty } from '../../server/test/migrate-empty.ts'
import { ADMIN_URL, createDatabase } from '../../server/test/own-database.ts'
import { buildBinary } from '../../server/tools/build/build-binary.ts'

/** Drops the databases of killed test processes. */
export async function dropLeftOver(): Promise<void> {
  if (engines.includes('postgres')) await dropOrphans(await adminOf(ADMIN_URL))
}

export async function prepare(folder: string) {
  const entrypoints = [join(import.meta.dir, '../../server/test/built-main.ts')]
  const build = buildBinary(folder, { hasBytecode: true, entrypoints })
  // Stays open, so that the migration stays in the log, as in the folder of a service that has migrated its own.
  const template = join(folder, 'template')
  mkdirSync(template)
  const sqlite = openSqlite(template)
  await migrate(sqlite, Date.now())
  const database = engines.includes('postgres') ? await createDatabase(ADMIN_URL, { mustBeEmpty: true }) : null
  if (database) await migrateEmpty(database.url)
  const { path } = await build
  return {
    variables: {
      TEST_TOSSUP: path,
      TEST_TEMPLATE_SQLITE: template,
      ...(database ? { TEST_TEMPLATE_DATABASE: new URL(database.url).pathname.slice(1) } : {}),
    },
    async remove() {
      await sqlite.close()
      await database?.drop()
      await dropLeftOver()
    },
  }
}
