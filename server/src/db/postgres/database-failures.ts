import { errorCodeOf } from '../../base/errors.ts'
import { OutcomeUnknown } from '../vote-store.ts'

const LOCK_NOT_AVAILABLE = '55P03'
const UNIQUE_VIOLATION = '23505'
const TOO_MANY_CONNECTIONS = '53300'

/** Errors of sockets and name resolution, and of a process without free file descriptors. */
const CANNOT_REACH = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL|ERR_S)/

/**
 * SQLSTATEs of a server that may answer later: 08 connection, 28 login, 53 resources, 55 object state, 57 operator, 58 system; then
 * read-only, transaction timeouts, a missing database, damaged data, and a prepared statement that another connection has.
 */
const CANNOT_SERVE = /^(08|28|53|55|57|58)...$|^(25006|25P03|25P04|26000|3D000|42P05|XX001|XX002)$/

/** The name of a prepared statement is unknown, or taken. */
const MISPLACED = /^(26000|42P05)$/

/** These errors of `pg` have no code. */
const LOST =
  /Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|after calling end on the pool/

/** Citus errors for a worker that is away, and for a statement planned before a table or shard moved. A retry finds the new place. */
const MOVED =
  /^failure on connection marked as essential|^could not find valid entry for shard \d|^relation "\w+_\d{6,}" does not exist/

/** The Citus error for a statement with a cached plan. The statement has done nothing yet. */
const UNPLANNED = /^could not create distributed plan/

/** The session is gone, so the outcome of its transaction is unknown. */
const ENDS_SESSION = /^(08...|57P0.)$/

export const isTaken = (error: unknown): boolean => errorCodeOf(error) === UNIQUE_VIOLATION

export const isHeld = (error: unknown): boolean => errorCodeOf(error) === LOCK_NOT_AVAILABLE

/** PostgreSQL has reached `max_connections`. */
export const isFull = (error: unknown): boolean => errorCodeOf(error) === TOO_MANY_CONNECTIONS

/** The transaction lost to another one: a serialization failure or a deadlock. */
export const isBusy = (error: unknown): boolean => /^(40001|40P01)$/.test(errorCodeOf(error))

export function isUnavailable(error: unknown): boolean {
  return error instanceof OutcomeUnknown || isLost(error) || CANNOT_SERVE.test(errorCodeOf(error)) || isMoved(error)
}

export const whyUnavailable = (error: unknown): string | null =>
  MISPLACED.test(errorCodeOf(error))
    ? 'a prepared statement is on another connection: with PgBouncer in transaction mode set DATABASE_PREPARE=false, or max_prepared_statements there'
    : null

export function isLost(error: unknown): boolean {
  const code = errorCodeOf(error)
  return CANNOT_REACH.test(code) || ENDS_SESSION.test(code) || (error instanceof Error && LOST.test(error.message))
}

const isMoved = (error: unknown): boolean => error instanceof Error && MOVED.test(error.message)

export const isUnplanned = (error: unknown): boolean => error instanceof Error && UNPLANNED.test(error.message)
