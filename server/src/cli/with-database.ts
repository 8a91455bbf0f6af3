import { systemClock } from '../base/clock.ts'
import { type Config, readConfig } from '../config.ts'
import { type Opened, openDatabase } from '../db/open.ts'
import type { Deps } from '../deps.ts'

type CommandDeps = Pick<Deps, 'clock' | 'engine' | 'keys' | 'config'> & Pick<Opened, 'migrated'>

/** For commands that work beside a running server: the same database, opened for a moment. */
export async function withDatabase<T>(work: (deps: CommandDeps) => Promise<T>): Promise<T> {
  const config: Config = readConfig()
  const { engine, keys, migrated } = await openDatabase(config, () => undefined)
  try {
    return await work({ config, clock: systemClock, engine, keys, migrated })
  } finally {
    await engine.close()
  }
}
