/** PostgreSQL settings by name. */
export type Settings = Readonly<Record<string, string | number>>

const setLocal = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `set local ${name} = ${value}`)
    .join('; ')

/** Begins a transaction with these settings, in one message and so one round trip. */
export const beginWith = (settings: Settings, begin = 'begin'): string => `${begin}; ${setLocal(settings)}`

/** The settings of every transaction. No statement runs longer than 8 s, so that requests are answered when the database is slow. */
export const LIMITS: Settings = {
  statement_timeout: 8_000,
  lock_timeout: 2_000,
  // If a server freezes or loses its connection within a transaction, PostgreSQL releases its locks.
  idle_in_transaction_session_timeout: 5_000,
  // Every list is read along an index, a page at a time. With PostgreSQL's default cost of a random read and stale
  // statistics, the planner would rather read a whole campaign and sort it.
  random_page_cost: 1.1,
  // Acknowledged writes are on disk, even where the server or the role turns this off.
  synchronous_commit: 'on',
}

// PostgreSQL estimates such a plan as very expensive where a table is empty, and would compile it.
const BY_KEY_SETTINGS = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off', jit: 'off' } as const

/** Before and after a statement `byKey` (`db/prepared.ts`) within a transaction. */
export const PLAN_BY_KEY = setLocal(BY_KEY_SETTINGS)
export const PLAN_AS_BEFORE = setLocal({
  enable_seqscan: 'default',
  enable_hashjoin: 'default',
  enable_mergejoin: 'default',
  jit: 'default',
})

/**
 * For transactions that hold polls: a server that freezes within one delays the votes of all others on them. It loses its locks before
 * the others, who may have waited for them from the first moment, give up.
 */
export const IDLE_WITH_POLLS_MS = 800

/**
 * For groups of votes that the server decides: a poll that is locked elsewhere may delay the queue of votes only briefly. The functions
 * of migrations 0018 and 0025 have similar limits for groups that the database decides.
 */
export const BEGIN_GROUP = beginWith({
  ...LIMITS,
  statement_timeout: 4_000,
  // Longer than PostgreSQL's `deadlock_timeout` of 1 s: a group that it ends is tried again, and one that waited too long is refused.
  lock_timeout: 1_200,
  idle_in_transaction_session_timeout: IDLE_WITH_POLLS_MS,
  // Votes must be found by their key. A cached plan may be from when the tables were empty and a sequential scan was
  // cheapest; on a hot poll each group of votes would then scan all votes.
  ...BY_KEY_SETTINGS,
})

/** Migrations, and the wait for another process that migrates, have no time limit. */
export const NO_LIMITS: Settings = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 }

export const CONNECT_MS = 4_000
/** Longer than the server's own timeouts: after that the server is frozen or unreachable. */
export const SILENCE_MS = 8_500
export const LEDGER_SILENCE_MS = 4_500
