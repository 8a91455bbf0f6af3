import { systemClock } from '../base/clock.ts'
import { AppError, PlainFailure } from '../base/errors.ts'
import { type Config, readConfig } from '../config/config.ts'
import { isThere, type Opened, openDatabase } from '../db/open.ts'
import { serviceRow } from '../db/service-row.ts'
import type { Db, Tx } from '../db/store.ts'
import { transaction } from '../db/transaction.ts'
import { type Action, type ActivitySubject, recordActivity } from '../events/activity.ts'
import { Bus } from '../events/bus.ts'
import { Changes } from '../events/changes.ts'
import { findBrand } from '../features/brands/brands.ts'
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

interface Effect<Result> {
  readonly result: Result
  /** Null for what belongs to no brand. */
  readonly brandKey: number | null
  readonly subject: ActivitySubject
}

/**
 * The transaction of a command that writes for a brand, with its entry in the activity, as `writeOnce` makes it for requests.
 * A refusal of the interface is told in one line, without a stack.
 */
export const operatorWrite = <Result>(
  { engine, clock }: Pick<Deps, 'engine' | 'clock'>,
  action: Action,
  work: (tx: Tx) => Promise<Effect<Result>>,
): Promise<Result> =>
  transaction(engine, async (tx) => {
    const { result, brandKey, subject } = await work(tx)
    const entry = { at: clock.now(), actor: { kind: 'operator' }, action, subject } as const
    if (brandKey !== null) await recordActivity(tx, { brandKey, ...entry })
    return result
  }).catch((error) => {
    throw error instanceof AppError ? new PlainFailure(error.message, { cause: error }) : error
  })

export async function brandNamed(db: Db, slug: string) {
  const brand = await findBrand(db, slug)
  if (!brand) throw new PlainFailure(`There is no brand with the slug ${slug}.`)
  return brand
}
