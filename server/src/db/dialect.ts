export const engineNames = ['sqlite', 'postgres'] as const
export type EngineName = (typeof engineNames)[number]

/**
 * The types of columns in migrations: `identity` is a primary key that the database counts up, `timestamp` milliseconds
 * since 1970 in UTC, `flag` 0 or 1, and `integer` has 64 bits.
 */
export const typeWords = ['identity', 'integer', 'timestamp', 'flag', 'bytes', 'text'] as const

/** What an engine makes of the words of migrations. */
export interface Dialect {
  readonly types: Readonly<Record<(typeof typeWords)[number], string>>
  /** Follows the columns of a table; `clustered` where the rows lie in the order of the primary key, if the engine can. */
  readonly tableOptions: { readonly plain: string; readonly clustered: string }
}
