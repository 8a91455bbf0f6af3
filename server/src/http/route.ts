import { z } from 'zod'
import type { AppError, ErrorCode } from '../base/errors.ts'
import type { Role } from '../base/roles.ts'
import type { Tx } from '../db/store.ts'
import type { Action, ActivitySubject, AgentActor } from '../events/activity.ts'
import type { Answer, Ready } from './answers/answer.ts'
import type { Export } from './answers/export.ts'
import type { Reply } from './answers/reply.ts'
import type { HeaderName } from './answers/response-headers.ts'
import type { Incoming } from './incoming.ts'
import type { Claim } from './limits/limits.ts'
import type { Paging } from './paging.ts'
import type { Precondition } from './precondition.ts'
import type { Checked } from './validate.ts'

/** The tags of the reference, in its order, with their descriptions. */
export const TAGS = {
  Votes: 'Votes of devices, their progress through campaigns, and requests to be forgotten.',
  Polls: 'Polls, their live counts, feeds and categories, for visitors and for their owner.',
  Campaigns: 'Ordered lists of polls, for visitors and for their owner.',
  Codes: 'Lists of codes, each of which votes once on a poll.',
  Analytics: 'Voters, respondents and timelines, for the owner of a poll or a campaign.',
  Brands: 'The profile of a brand.',
  Themes: 'The look of the polls of a brand.',
  Pictures: 'Uploads of pictures and their files.',
  Webhooks: 'Webhooks of a brand and the log of their deliveries.',
  Events: 'The requests that a webhook receives.',
  Activity: 'Who changed what.',
  Tokens: 'Access tokens and refresh tokens, for servers with an API key.',
  People: 'Members of a brand, invitations, sessions and passkeys, for the people who work for brands.',
  Service: 'The state of the service, for its operator.',
} as const

export type Tag = keyof typeof TAGS

/** The words of a route in openapi.json, which leaves out the routes outside of the interface. */
interface Described {
  readonly tag: Tag
  /** A short title for lists of operations. */
  readonly summary: string
  /** Details that callers must know beyond the summary. */
  readonly description: string
}

/** Who acts for a brand by an access token. `key` is internal, `id` is the public `appId`, `memberId` or id of a grant. */
export type Actor =
  | { readonly kind: 'app'; readonly key: number; readonly id: string }
  | { readonly kind: 'member'; readonly key: number; readonly id: string; readonly role: Role }
  | AgentActor

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
  /** False once the caller has lost access: asked again and again while a download goes on, which may outlive its token. */
  readonly stillAdmits?: (identity: Identity) => Promise<boolean>
}

/** For reads that ignore credentials, so that one cached answer serves everybody. */
export const anyone: Guard<null> = { admit: () => null, security: [], errors: [] }

/** A page or a file outside of the API, whose handler sets its headers. */
export const outside = { method: 'GET', isOutside: true, guard: anyone, caching: 'own' } as const

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may cache an answer: anybody, only the caller's browser, which asks for each use whether the answer still holds
 * (`revalidated`), only the visitor's tab, nobody, or as the handler's own headers say.
 */
export type Caching = 'public' | 'revalidated' | 'private' | 'none' | 'own'

/** A JSON answer needs a schema, from whose fields the reference takes its example: of `data`, or of the whole body. */
export type AnswerDoc = {
  readonly description: string
  readonly headers?: { readonly always?: readonly HeaderName[]; readonly sometimes?: readonly HeaderName[] }
} /** `beside`: the members of the body beside `data`. */ & (
  | { readonly schema: z.ZodType; readonly contentType?: never; readonly beside?: z.ZodObject }
  | { readonly schema: z.ZodType; readonly contentType: 'application/json'; readonly otherTypes?: readonly string[] }
  | {
      readonly schema?: never
      readonly contentType:
        | `text/${string}`
        | `image/${string}`
        | `font/${string}`
        | 'application/xml'
        | 'application/octet-stream'
        | 'application/atom+xml'
    }
  | { readonly schema?: never; readonly contentType?: never }
)

export interface Call<Params, Query, Body, Identity> {
  readonly incoming: Incoming
  readonly identity: Identity
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly paging: Paging
  /** The If-Match check; null without the header, and for every method but PATCH and DELETE. */
  readonly ifMatch: Precondition | null
  readonly now: number
}

export interface RouteSpec<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Identity>
  extends Partial<Described> {
  readonly method: Method
  /** Relative to the API's prefix, unless `isOutside`. */
  readonly path: string
  readonly isOutside?: boolean
  readonly name: string
  readonly guard: Guard<Identity>
  readonly params?: Params
  readonly query?: Query
  /** Optional request headers that only this route reads, each with its description. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  /** No body, with any content type, is the same as `{}`. */
  readonly isBodyOptional?: boolean
  /** Set where bodies may be larger than the default. */
  readonly mostBodyBytes?: number
  /** The content types of a body that is not JSON and that the handler reads itself. */
  readonly takes?: readonly string[]
  /** Is told of every refusal and failure of this route behind its guard, before it is answered. */
  readonly onFailure?: (error: unknown, params: Readonly<Record<string, string>>) => void
  readonly isPaged?: boolean
  readonly caching: Caching
  readonly answers: Readonly<Record<number, AnswerDoc>>
  readonly errors?: readonly ErrorCode[]
  /** The refusal in the form of another protocol, in place of the interface's. */
  readonly refusal?: (error: AppError) => Reply
  /** Answers even while the server stops, and depends on nothing that could be down. */
  readonly isAlwaysUp?: boolean
  /** For owners' resources with a tag, computed from the answer. Their PATCH and DELETE accept If-Match. */
  readonly etag?: (data: never) => string
  /** The limits that this request counts against, computed after the guard. A malformed path is refused later. */
  readonly limits?: (call: {
    identity: Identity
    incoming: Incoming
    params: z.output<Params> | undefined
  }) => Promise<readonly Claim[]> | readonly Claim[]
  /**
   * The limits of requests that are malformed or name nothing that exists. Such a request counts against these and the first of
   * `limits`, its caller's own, so that nobody uses up what neighbours share. With them, the body is read and checked before `limits`.
   */
  readonly refusedLimits?: (incoming: Incoming) => readonly Claim[]
}

type Input<Schema extends z.ZodType> = z.output<Schema>

export interface PlainSpec<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Identity>
  extends RouteSpec<Params, Query, Body, Identity> {
  /** A public answer in memory for these raw path parameters; null passes the request to the door. */
  readonly fromMemory?: (
    params: Readonly<Record<string, string>>,
    now: number,
    request: Request,
  ) => Ready | Reply | null
  /** For lists that can be exported whole: clients choose a file type by Accept. */
  readonly exportAll?: (
    call: Call<Input<Params>, Input<Query>, Input<Body>, Identity>,
  ) => Promise<Export<unknown>> | Export<unknown>
  handle(call: Call<Input<Params>, Input<Query>, Input<Body>, Identity>): Promise<Answer | Reply> | Answer | Reply
}

export interface OnceSpec<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Identity,
  Prepared = unknown,
> extends RouteSpec<Params, Query, Body, Identity> {
  /** The action that the activity list shows for each execution. */
  readonly action: Action
  readonly longestKey?: number
  /** The answer contains a secret: its stored replay is encrypted. */
  readonly hasSecret?: boolean
  /** Long work on the body, before the transaction. The body is unchecked, so that the problems of both are answered together. */
  prepare?(rawBody: unknown): Promise<Checked<Prepared>>
  /** Runs inside the transaction that also keeps the idempotency key. */
  handle(call: Call<Input<Params>, Input<Query>, Input<Body>, Identity>, tx: Tx, prepared: Prepared): Promise<Done>
}

/** The answer of a write, and what it changed, for the list of activity; null if it changed nothing. */
export interface Done extends Answer {
  readonly subject: ActivitySubject | null
  /** In place of that of the route. */
  readonly action?: Action
}

/** A route with its type parameters erased, for the door, the router and the reference. */
export type AnyPlainSpec = PlainSpec<z.ZodObject, z.ZodObject, z.ZodType, unknown>
export type AnyOnceSpec = OnceSpec<z.ZodObject, z.ZodObject, z.ZodType, BrandIdentity>

export interface BrandIdentity {
  readonly brandKey: number
  /** A write that answers with a secret is replayed to nobody else. */
  readonly actor: Actor
}

export type Route =
  | { readonly kind: 'plain'; readonly spec: AnyPlainSpec }
  | { readonly kind: 'once'; readonly spec: AnyOnceSpec }

const nothing = z.object({})

/** A route without an idempotency key: every read, and the writes of visitors and of tokens. */
export function route<
  Identity,
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = typeof nothing,
>(spec: PlainSpec<Params, Query, Body, Identity> & (Described | { readonly isOutside: true })): Route {
  if (spec.method !== 'GET' && isOwners(spec)) {
    throw new Error(`${spec.method} ${spec.path} must be carried out once for each idempotency key`)
  }
  return { kind: 'plain', spec: spec as unknown as AnyPlainSpec }
}

/** A brand's write, executed once for each idempotency key, and counted against its caller's limit on writes. */
export function writeOnce<
  Identity extends BrandIdentity,
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = typeof nothing,
  Prepared = undefined,
>(spec: OnceSpec<Params, Query, Body, Identity, Prepared> & Described): Route {
  const limits: typeof spec.limits = ({ identity }) => spec.guard.writeClaims?.(identity) ?? []
  return { kind: 'once', spec: { limits, ...spec } as unknown as AnyOnceSpec }
}

/** True for a brand's own resources. */
export const isOwners = ({ path }: { path: string }): boolean => /^\/brands\/me(\/|$)/.test(path)

export const takesIfMatch = ({ method, etag }: Pick<AnyPlainSpec, 'method' | 'etag'>): boolean =>
  (method === 'PATCH' || method === 'DELETE') && etag !== undefined

/** Answers with an ETag, and 304 to a client that has it. */
export const isConditional = (spec: Pick<AnyPlainSpec, 'caching' | 'method' | 'path'>): boolean =>
  spec.caching === 'public' || spec.caching === 'own' || (spec.method === 'GET' && isOwners(spec))

/** A write that needs no body: it accepts an empty one or `{}`. */
export const takesNothing = ({ method, body, takes }: Pick<AnyPlainSpec, 'method' | 'body' | 'takes'>): boolean =>
  method !== 'GET' && !body && !takes

export const API_PREFIX = '/api/rest/v1'

export const fullPath = (spec: { path: string; isOutside?: boolean }): string =>
  spec.isOutside ? spec.path : API_PREFIX + spec.path
