import { PlainFailure } from '../base/errors.ts'

const SQUASHED = [
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
/** The last one has a name on each engine. */
const LAST_SQUASHED = ['0011-vote-devices.sql', '0011-device-votes.sql']

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
export const isSquashed = (name: string): boolean => SQUASHED.includes(name) || LAST_SQUASHED.includes(name)

/** True for a database with exactly the squashed migrations. A database with only some of them cannot be adopted. */
export function isBeforeBaseline(applied: readonly string[]): boolean {
  if (applied.length === 0 || !applied.every(isSquashed)) return false
  const missing = SQUASHED.find((name) => !applied.includes(name))
  if (missing === undefined && applied.length > SQUASHED.length) return true
  throw new PlainFailure(
    `The database is too old for this version of Tossup: it lacks the migration ${missing ?? LAST_SQUASHED[0]}.`,
  )
}
