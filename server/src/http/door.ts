import type { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import { invalidInput } from '../base/errors.ts'
import type { Engine } from '../db/store.ts'
import { etagOf } from './caching.ts'
import { readIdempotencyKey, requestFingerprint, runOnce } from './idempotency.ts'
import { header, type Incoming } from './incoming.ts'
import { readJson, stringProblem } from './json.ts'
import type { Limiter } from './limiter.ts'
import { type Cursors, invalidCursor, type Paging, readLimit } from './page.ts'
import { takeLimits } from './rate-limit.ts'
import { bodyOf, onceReply, pageBody, privateReply, publicReply, type Reply } from './reply.ts'
import type { AnyReadSpec, AnyWriteSpec, BrandIdentity, Call, Route } from './route.ts'
import { type Checked, check } from './validate.ts'

export interface DoorDeps {
  readonly engine: Engine
  readonly limiter: Limiter
  readonly cursors: Cursors
  readonly clock: Clock
}

export type Door = (incoming: Incoming, rawParams: Record<string, string>) => Promise<Reply>

type AnySpec = AnyReadSpec | AnyWriteSpec
type AnyCall<Identity = unknown> = Call<never, never, never, Identity>
type Params = Record<string, string>

/** The one way in. The order of the steps is the order in which the contract says that faults are answered. */
export function createDoor(deps: DoorDeps, route: Route): Door {
  return route.kind === 'once' ? onceDoor(deps, route.spec) : plainDoor(deps, route.spec)
}

function plainDoor(deps: DoorDeps, spec: AnyReadSpec): Door {
  return async (incoming, rawParams) => {
    const identity = await spec.guard.admit(incoming)
    const params = checkParams(spec, rawParams)
    await limit(deps, spec, { identity, incoming, params: params.value })
    const list = spec.isPaged ? listName(incoming, spec.guard.ownerOf?.(identity)) : ''
    const call = await readCall(deps, spec, { incoming, identity, params, list })
    const answer = await spec.handle(call)
    if ('headers' in answer) return answer
    if (answer.ready) return publicReply(incoming, answer.ready, call.now)
    const body = spec.isPaged ? pageBody(answer, { cursors: deps.cursors, list, incoming }) : bodyOf(answer)
    if (spec.caching !== 'public') return privateReply(answer, body, spec.caching === 'private')
    return publicReply(incoming, { body, etag: etagOf(body), changesAt: answer.changesAt ?? null }, call.now)
  }
}

function onceDoor(deps: DoorDeps, spec: AnyWriteSpec): Door {
  return async (incoming, rawParams) => {
    const identity = await spec.guard.admit(incoming)
    const key = readIdempotencyKey(header(incoming, 'x-service-idempotency-key'), spec.longestKey)
    const params = checkParams(spec, rawParams)
    await limit(deps, spec, { identity, incoming, params: params.value })
    const call = await readCall(deps, spec, { incoming, identity, params, list: '' })
    const { requestId, url } = incoming
    const fingerprint = requestFingerprint(spec.method, url.pathname, spec.body ? call.body : null)
    const request = { brandKey: identity.brandKey, key, fingerprint, requestId, now: call.now }
    let afterCommit: (() => void) | undefined
    try {
      const answer = await runOnce(deps.engine, request, async (tx) => {
        const result = await spec.handle(call, tx)
        afterCommit = result.afterCommit
        return { status: result.status ?? 200, body: bodyOf(result), location: result.location ?? null, requestId }
      })
      return onceReply(answer)
    } finally {
      // Also after an error: a commit whose answer was lost may have taken effect.
      afterCommit?.()
    }
  }
}

interface Admitted<Identity> {
  readonly identity: Identity
  readonly incoming: Incoming
  readonly params: unknown
}

async function limit(deps: DoorDeps, spec: AnyReadSpec | AnyWriteSpec, call: Admitted<unknown>): Promise<void> {
  if (!spec.limits) return
  const claims = await spec.limits(call as Admitted<BrandIdentity>)
  await takeLimits(deps.limiter, claims, call.incoming)
}

interface RawCall<Identity> {
  readonly incoming: Incoming
  readonly identity: Identity
  readonly params: Checked<unknown>
  readonly list: string
}

async function readCall<Identity>(
  deps: DoorDeps,
  spec: AnySpec,
  { incoming, identity, params, list }: RawCall<Identity>,
): Promise<AnyCall<Identity>> {
  const rawBody = spec.body ? await readJson(incoming.request) : undefined
  const { searchParams } = incoming.url
  const paging = spec.isPaged ? readPaging(deps.cursors, searchParams, list) : { limit: 0, after: null }
  const query = spec.query ? checkQuery(spec.query, searchParams) : nothing
  const body = spec.body ? check(spec.body, rawBody) : nothing
  const problems = [...params.problems, ...query.problems, ...body.problems]
  if (problems.length > 0) throw invalidInput(problems)
  const input = { params: params.value, query: query.value, body: body.value }
  return { incoming, identity, ...input, paging, now: deps.clock.now() } as AnyCall<Identity>
}

const nothing = { value: {}, problems: [] }

const checkParams = ({ params }: AnySpec, rawParams: Params): Checked<unknown> =>
  params ? check(params, rawParams) : nothing

function checkQuery(schema: z.ZodType, searchParams: URLSearchParams): Checked<unknown> {
  const query = queryObject(searchParams)
  const problem = stringProblem(query)
  return problem ? { value: undefined, problems: [problem] } : check(schema, query)
}

/** A parameter that is given twice arrives as an array, which no schema of ours takes. */
function queryObject(query: URLSearchParams): Record<string, unknown> {
  const values = new Map<string, string | string[]>()
  for (const [name, value] of query) {
    const earlier = values.get(name)
    values.set(name, earlier === undefined ? value : [earlier, value].flat())
  }
  return Object.fromEntries(values)
}

/** A cursor holds for one list: this endpoint, this owner, these filters. */
function listName({ url }: Incoming, owner = 'anyone'): string {
  const filters = [...url.searchParams].filter(([name]) => name !== 'limit' && name !== 'cursor').sort()
  return JSON.stringify([url.pathname, owner, filters])
}

function readPaging(cursors: Cursors, query: URLSearchParams, list: string): Paging {
  const limit = readLimit(query)
  const given = query.getAll('cursor')
  if (given.length === 0) return { limit, after: null }
  const cursor = given.length === 1 ? cursors.decode(given[0] ?? '') : null
  if (!cursor?.belongsTo(list)) throw invalidCursor()
  return { limit, after: cursor.position }
}
