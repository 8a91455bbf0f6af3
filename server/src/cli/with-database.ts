import { systemClock } from '../base/clock.ts'
import { PlainFailure } from '../base/errors.ts'
import { Changes } from '../bus/changes.ts'
import { type Config, readConfig } from '../config.ts'
import { isThere, type Opened, openDatabase } from '../db/open.ts'
import type { Deps } from '../deps.ts'

type CommandDeps = Pick<Deps, 'clock' | 'engine' | 'changes' | 'keys' | 'config'> & Pick<Opened, 'migrated'>

interface Manner {
  /** For commands that come first. All others would be content with an empty one, made because of a slip in DATA_DIR. */
  readonly mayMake?: boolean
}

/** For commands that work beside a running server: the same database, opened for a moment. */
export async function withDatabase<T>(
  work: (deps: CommandDeps) => Promise<T>,
  { mayMake = false }: Manner = {},
): Promise<T> {
  const config: Config = readConfig()
  if (!mayMake && !isThere(config)) {
    throw new PlainFailure(
      `DATA_DIR ${config.dataDir} holds no database. Is it the one of your server? \`serve\`, \`migrate\` and \`brand create\` make a new one.`,
    )
  }
  const { engine, keys, migrated } = await openDatabase(config, () => undefined)
  try {
    return await work({ config, clock: systemClock, engine, changes: new Changes(engine), keys, migrated })
  } finally {
    await engine.close()
  }
}
