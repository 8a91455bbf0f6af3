import { AppError, PlainFailure } from '../base/errors.ts'
import type { Db, Tx } from '../db/store.ts'
import { transaction } from '../db/transaction.ts'
import { type Action, type ActivitySubject, recordActivity } from '../events/activity.ts'
import { findBrand } from '../features/brands/brands.ts'
import type { Deps } from '../features/deps.ts'

interface Effect<Result> {
  readonly result: Result
  /** Null for what belongs to no brand. */
  readonly brandKey: number | null
  readonly subject: ActivitySubject
}

/**
 * What `writeOnce` is to requests: the transaction of a command that writes for a brand, with its entry in the activity.
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
