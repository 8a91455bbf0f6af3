/** Settings of PostgreSQL, by their names. */
export type Settings = Readonly<Record<string, string | number>>

/** What begins a transaction that lives under these settings. One message, so that it costs no round trip more. */
export const beginWith = (settings: Settings, begin = 'begin'): string =>
  [begin, ...Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`)].join('; ')

/** Requests are answered within 10 s, whatever the database does: no statement runs longer. */
export const LIMITS: Settings = {
  statement_timeout: 8_000,
  lock_timeout: 2_000,
  // A server that is frozen or cut off in the middle of a transaction lets go of what it holds.
  idle_in_transaction_session_timeout: 5_000,
  // Every list is read along an index, a page at a time. By PostgreSQL's default price of a random read it would rather
  // read a whole campaign and sort it, wherever its statistics are behind.
  random_page_cost: 1.1,
}

/** All votes of a process wait in one line: a poll that somebody holds may not stop it for long. */
export const BEGIN_GROUP = beginWith({
  ...LIMITS,
  statement_timeout: 4_000,
  lock_timeout: 1_000,
  // A vote is found by its key, and by no other way. A plan is kept from when a connection was new, perhaps over empty
  // tables, where to read all of them is cheapest; with a hot poll each group of votes would then read every vote there is.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
})

/** A migration, or the wait for another process that migrates, takes as long as it takes. */
export const NO_LIMITS: Settings = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 }

export const CONNECT_MS = 4_000
/** The server would have answered or given up before: it is frozen, or the network has lost its way to it. */
export const SILENCE_MS = 8_500
export const LEDGER_SILENCE_MS = 4_500
