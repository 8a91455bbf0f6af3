export const engineNames = ['sqlite', 'postgres'] as const
export type EngineName = (typeof engineNames)[number]

/**
 * The column types of migrations: `identity` is an auto-incremented primary key, `timestamp` milliseconds since 1970 in
 * UTC, `flag` 0 or 1, and `integer` has 64 bits.
 */
export const typeWords = ['identity', 'integer', 'timestamp', 'flag', 'bytes', 'text'] as const

/** How an engine translates the words of migrations. */
export interface Dialect {
  readonly types: Readonly<Record<(typeof typeWords)[number], string>>
  /** Appended to a table; `clustered` stores the rows in the order of the primary key, if the engine can. */
  readonly tableOptions: { readonly plain: string; readonly clustered: string }
}
