import { systemClock } from '../base/clock.ts'
import { PlainFailure } from '../base/errors.ts'
import { type Config, readConfig } from '../config/config.ts'
import { isThere, type Opened, openDatabase } from '../db/open.ts'
import { serviceRow } from '../db/service-row.ts'
import { Bus } from '../events/bus.ts'
import { Changes } from '../events/changes.ts'
import type { Deps, WriteDeps } from '../features/deps.ts'

type CommandDeps = WriteDeps & Pick<Deps, 'keys'> & Pick<Opened, 'migrated'>

/**
 * For commands that run beside a server: opens the same database for a moment. Only commands that may run first make one: the
 * others must not silently create an empty database if DATA_DIR is mistyped.
 */
export async function withDatabase<T>(
  work: (deps: CommandDeps) => Promise<T>,
  { mayMake = false }: { readonly mayMake?: boolean } = {},
): Promise<T> {
  const given: Config = readConfig()
  if (!mayMake && !isThere(given)) {
    throw new PlainFailure(
      `DATA_DIR ${given.dataDir} has no database. Set DATA_DIR to the folder of your server; only \`serve\`, \`migrate\`, \`restore\`, \`brand create\` and \`brand import\` create a new database.`,
    )
  }
  const { engine, keys, migrated, copy } = await openDatabase(given)
  if (copy) console.error(`The database was upgraded; a copy from before is in DATA_DIR/${copy}.`)
  const changes = new Changes(engine)
  try {
    const config = given.hasPublicUrl
      ? given
      : { ...given, publicUrl: (await serviceRow(engine)).address ?? given.publicUrl }
    const bus = new Bus({ engine, changes, clock: systemClock })
    return await work({ config, clock: systemClock, engine, changes, bus, keys, migrated })
  } finally {
    await engine.close()
  }
}
