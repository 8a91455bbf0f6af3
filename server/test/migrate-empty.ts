import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/engine.ts'

/** Migrates an empty database like the first start of a server. */
export async function migrateEmpty(url: string): Promise<void> {
  const engine = openPostgres(url, () => undefined)
  try {
    await migrate(engine, Date.now())
  } finally {
    await engine.close()
  }
}
