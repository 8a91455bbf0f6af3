import type { ErrorCode } from '../base/errors.ts'
import type { Incoming } from './incoming.ts'

/** Decides who asks: 401 and 403, and headers of identity that are malformed. Says so to the reference too. */
export interface Guard<Identity> {
  admit(incoming: Incoming): Promise<Identity> | Identity
  /** Alternatives, each a set of schemes that must all be given. */
  readonly security: readonly Record<string, readonly string[]>[]
  readonly errors: readonly ErrorCode[]
  /** What a cursor made for this caller belongs to. */
  readonly ownerOf?: (identity: Identity) => string
}

/** Reads that ignore credentials, so that one answer serves everybody. */
export const anyone: Guard<null> = { admit: () => null, security: [], errors: [] }
