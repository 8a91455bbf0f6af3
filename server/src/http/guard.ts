import type { ErrorCode } from '../base/errors.ts'
import type { Role } from '../base/roles.ts'
import type { Incoming } from './incoming.ts'
import type { Claim } from './limits/limiter.ts'

/** Who acts for a brand by an access token. `key` is internal, `id` is the public `appId` or `memberId`. */
export type Actor =
  | { readonly kind: 'app'; readonly key: number; readonly id: string }
  | { readonly kind: 'member'; readonly key: number; readonly id: string; readonly role: Role }

/** For limits and stored answers: the same for every token of an app, and for every session of a person. */
export const actorName = ({ kind, key }: Pick<Actor, 'kind' | 'key'>): string => `${kind} ${key}`

/** Authenticates a request: answers 401, 403 and malformed identity headers, and documents them in openapi.json. */
export interface Guard<Identity> {
  admit(incoming: Incoming): Promise<Identity> | Identity
  /** Alternatives, each a set of schemes that must all be given. */
  readonly security: readonly Record<string, readonly string[]>[]
  readonly errors: readonly ErrorCode[]
  /** Rate limits that count a write of this caller. */
  readonly writeClaims?: (identity: Identity) => readonly Claim[]
  /** The owner that a cursor is bound to. */
  readonly ownerOf?: (identity: Identity) => string
}

/** For reads that ignore credentials, so that one cached answer serves everybody. */
export const anyone: Guard<null> = { admit: () => null, security: [], errors: [] }
