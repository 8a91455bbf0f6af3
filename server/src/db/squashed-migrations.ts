import { PlainFailure } from '../base/errors.ts'
import type { EngineName } from './store.ts'

const ON_BOTH = [
  '0001-core.sql',
  '0002-votes-in-order.sql',
  '0003-feed-orders.sql',
  '0004-themes.sql',
  '0005-uploads.sql',
  '0006-campaigns.sql',
  '0007-webhooks.sql',
  '0009-analytics.sql',
  '0010-lists.sql',
]
/** An engine that came later has none. */
const SQUASHED: Readonly<Partial<Record<EngineName, readonly string[]>>> = {
  sqlite: [...ON_BOTH, '0011-vote-devices.sql'],
  postgres: [...ON_BOTH, '0011-device-votes.sql'],
}

/** These migrations replace the squashed ones. */
export const BASELINE = [
  '0001-brands.sql',
  '0002-polls.sql',
  '0003-votes.sql',
  '0004-campaigns.sql',
  '0005-webhooks.sql',
]
/** Converts the schema of the squashed migrations to that of the baseline. */
export const ADOPTION = 'adoption/from-0011.sql'

/** True for a migration of a schema from before the baseline. */
export const isSquashed = (name: string): boolean => Object.values(SQUASHED).some((names) => names.includes(name))

/** True for a database with exactly the squashed migrations. A database with only some of them cannot be adopted. */
export function isBeforeBaseline(engine: EngineName, applied: readonly string[]): boolean {
  const squashed = SQUASHED[engine] ?? []
  if (applied.length === 0 || applied.some((name) => !squashed.includes(name))) return false
  const missing = squashed.find((name) => !applied.includes(name))
  if (missing)
    throw new PlainFailure(`The database is too old for this version of Tossup: it lacks the migration ${missing}.`)
  return true
}
