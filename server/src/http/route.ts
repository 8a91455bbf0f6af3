import { z } from 'zod'
import type { ErrorCode } from '../base/errors.ts'
import type { Tx } from '../db/store.ts'
import type { Answer, Ready } from './answer.ts'
import type { Export } from './export.ts'
import type { Guard } from './guard.ts'
import type { Incoming } from './incoming.ts'
import type { Claim } from './limiter.ts'
import type { Paging } from './page.ts'
import type { Precondition } from './precondition.ts'
import type { Reply } from './reply.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** How an answer may be kept: by anybody, by its visitor's tab, not at all, or as the handler says itself. */
export type Caching = 'public' | 'private' | 'none' | 'own'

export interface AnswerDoc {
  readonly description: string
  readonly schema?: z.ZodType
  readonly contentType?: string
}

export interface Call<Params, Query, Body, Identity> {
  readonly incoming: Incoming
  readonly identity: Identity
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly paging: Paging
  /** What If-Match asks; null where it is absent, and for all but PATCH. */
  readonly ifMatch: Precondition | null
  readonly now: number
}

export interface RouteSpec<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Identity> {
  readonly method: Method
  /** Below the interface's prefix, unless `isOutside`. */
  readonly path: string
  readonly isOutside?: boolean
  readonly name: string
  readonly summary: string
  readonly guard: Guard<Identity>
  readonly params?: Params
  readonly query?: Query
  /** Headers that this route alone looks at, none of them required: what each is for. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  /** Where a body may be larger than others. */
  readonly mostBodyBytes?: number
  /** The content types of a body that is no JSON, which the handler reads by itself. */
  readonly takes?: readonly string[]
  readonly isPaged?: boolean
  readonly caching: Caching
  readonly answers: Readonly<Record<number, AnswerDoc>>
  readonly errors?: readonly ErrorCode[]
  /** The owner's resources that PATCH changes: the tag of one by what is answered of it. A PATCH takes If-Match. */
  readonly etag?: (data: never) => string
  /** What this request counts against; asked when the guard has let it in. A malformed path is refused later. */
  readonly limits?: (call: {
    identity: Identity
    incoming: Incoming
    params: z.output<Params> | undefined
  }) => Promise<readonly Claim[]> | readonly Claim[]
}

type Input<Schema extends z.ZodType> = z.output<Schema>

export interface ReadSpec<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Identity>
  extends RouteSpec<Params, Query, Body, Identity> {
  /** A public answer that is at hand for these path parameters, not yet validated; null sends the request to the door. */
  readonly fromMemory?: (
    params: Readonly<Record<string, string>>,
    now: number,
    request: Request,
  ) => Ready | Reply | null
  /** Lists that can be had whole, as a file, by who asks for one of its types. */
  readonly exportAll?: (
    call: Call<Input<Params>, Input<Query>, Input<Body>, Identity>,
  ) => Promise<Export<unknown>> | Export<unknown>
  handle(call: Call<Input<Params>, Input<Query>, Input<Body>, Identity>): Promise<Answer | Reply> | Answer | Reply
}

export interface WriteSpec<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Identity>
  extends RouteSpec<Params, Query, Body, Identity> {
  readonly longestKey?: number
  /** The answer shows a secret: what is kept of it for a replay is encrypted. */
  readonly hasSecret?: boolean
  /** Runs inside the transaction that also keeps the idempotency key. */
  handle(call: Call<Input<Params>, Input<Query>, Input<Body>, Identity>, tx: Tx): Promise<Answer>
}

/** A route with its types closed over: what the door, the router and the reference work with. */
export type AnyReadSpec = ReadSpec<z.ZodObject, z.ZodObject, z.ZodType, unknown>
export type AnyWriteSpec = WriteSpec<z.ZodObject, z.ZodObject, z.ZodType, BrandIdentity>

export interface BrandIdentity {
  readonly brandKey: number
}

export type Route =
  | { readonly kind: 'plain'; readonly spec: AnyReadSpec }
  | { readonly kind: 'once'; readonly spec: AnyWriteSpec }

const nothing = z.object({})

/** A route without an idempotency key: every read, and the writes of visitors and of tokens. */
export function route<
  Identity,
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = typeof nothing,
>(spec: ReadSpec<Params, Query, Body, Identity>): Route {
  if (spec.method !== 'GET' && isOwners(spec)) {
    throw new Error(`${spec.method} ${spec.path} must be carried out once for each idempotency key`)
  }
  return { kind: 'plain', spec: spec as unknown as AnyReadSpec }
}

/** A write of a brand: carried out once for each idempotency key. */
export function writeOnce<
  Identity extends BrandIdentity,
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = typeof nothing,
>(spec: WriteSpec<Params, Query, Body, Identity>): Route {
  return { kind: 'once', spec: spec as unknown as AnyWriteSpec }
}

/** What a brand reads and writes of its own. */
export const isOwners = ({ path }: { path: string }): boolean => /^\/brands\/me(\/|$)/.test(path)

export const takesIfMatch = ({ method, etag }: Pick<AnyReadSpec, 'method' | 'etag'>): boolean =>
  method === 'PATCH' && etag !== undefined

/** A write without a body: it takes an empty one or `{}`. */
export const takesNothing = ({ method, body, takes }: Pick<AnyReadSpec, 'method' | 'body' | 'takes'>): boolean =>
  method !== 'GET' && !body && !takes

export const API_PREFIX = '/api/rest/v1'

export const fullPath = (spec: { path: string; isOutside?: boolean }): string =>
  spec.isOutside ? spec.path : API_PREFIX + spec.path
