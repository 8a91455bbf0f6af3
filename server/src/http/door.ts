// http: everything about a request that no feature decides: routing, validation, limits, caching, errors.
// Every route passes the same steps in the same order; the handler is the last one.
import { z } from 'zod'
import { memoise } from '../base/cache.ts'
import type { Clock } from '../base/clock.ts'
import { invalidInput } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { DataKeys } from '../db/data-keys.ts'
import type { Engine } from '../db/store.ts'
import { recordActivity } from '../events/activity.ts'
import type { Answer } from './answers/answer.ts'
import { etagOf } from './answers/caching.ts'
import { type ExportType, exportReply, exportTypeFor } from './answers/export.ts'
import {
  bodyOf,
  onceReply,
  ownersReply,
  pageBody,
  privateReply,
  publicReply,
  type Reply,
  readyPage,
} from './answers/reply.ts'
import { readIdempotencyKey, requestFingerprint, runOnce } from './idempotency.ts'
import { header, type Incoming } from './incoming.ts'
import { parseJson, readJsonText, readNeedlessText } from './json.ts'
import type { ConcurrencyLimit } from './limits/concurrency-limit.ts'
import type { Limiter } from './limits/limits.ts'
import { type Admitted, countMalformed, limit, settleLimits } from './limits/rate-limit.ts'
import {
  type Cursors,
  checkQuery,
  listName,
  type Query,
  queryRules,
  readPaging,
  readQuery,
  refusePaging,
  unpaged,
} from './paging.ts'
import { conditionNotSupported, type Precondition, readIfMatch } from './precondition.ts'
import {
  type AnyOnceSpec,
  type AnyPlainSpec,
  actorName,
  type Call,
  isOwners,
  type Route,
  takesIfMatch,
  takesNothing,
} from './route.ts'
import { type Checked, checkForAll, isAccepted } from './validate.ts'

type AnySpec = AnyPlainSpec | AnyOnceSpec
type Params = Readonly<Record<string, string>>
type Values = Record<string, unknown>

interface CheckedQuery {
  readonly given: Query
  readonly checked: Checked<Values>
}

const nothing: Checked<Values> = { value: {}, problems: [] }

const emptyBody = z.strictObject({})
const noQuery: CheckedQuery = { given: { values: new Map(), repeated: new Set(), problems: [] }, checked: nothing }

/** Checks each part of a request against the route's schemas. */
function createChecks(spec: AnySpec) {
  const { params, query, body = emptyBody } = spec
  const rules = queryRules(spec)
  // The router returns the same params object for a path that it has cached.
  const known = new WeakMap<Params, Checked<Values>>()
  const checkBody = memoise((text) => checkForAll(body, parseJson(text)), isAccepted)
  return {
    params(raw: Params): Checked<Values> {
      if (!params) return nothing
      const checked = known.get(raw) ?? checkForAll(params, raw)
      known.set(raw, checked)
      return checked
    },
    query(incoming: Incoming): CheckedQuery {
      if (!query && incoming.search === '') return noQuery
      const given = readQuery(incoming, rules)
      return { given, checked: checkQuery(query, given) }
    },
    body: checkBody,
  }
}

type Checks = ReturnType<typeof createChecks>

export interface DoorDeps {
  readonly engine: Engine
  readonly keys: Pick<DataKeys, 'answer'>
  readonly limiter: Limiter
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  /** Limits the exports that are open at once. */
  readonly exports: ConcurrencyLimit
}

export type Door = (incoming: Incoming, rawParams: Params) => Promise<Reply>

type AnyCall<Identity = unknown> = Call<never, never, never, Identity>

/** The only way into a handler. The order of the steps is the order in which the contract says that errors are answered. */
export const createDoor = (deps: DoorDeps, route: Route): Door =>
  route.kind === 'once' ? onceDoor(deps, route.spec) : plainDoor(deps, route.spec)

function plainDoor(deps: DoorDeps, spec: AnyPlainSpec): Door {
  const reading = { spec, checks: createChecks(spec) }
  const { checks } = reading
  return async (incoming, rawParams) => {
    // A handler that reads the body itself may be receiving it for minutes.
    if (spec.takes) incoming.beginReceiving()
    const type = spec.exportAll ? fileType(incoming) : null
    const identity = await spec.guard.admit(incoming)
    incoming.isAdmitted = true
    const params = checks.params(rawParams)
    const admitted = { identity, incoming, params: params.value }
    if (!spec.refusedLimits) await limit(deps.limiter, spec.limits, admitted)
    const query = checks.query(incoming)
    const owner = spec.guard.ownerOf?.(identity)
    const filters = query.checked.value
    const list = spec.isPaged ? listName({ list: spec.path, owner, params: params.value, filters }) : ''
    const raw = { incoming, identity, params, query, list }
    if (type) return sendFile(deps, { spec, checks, type }, raw)
    const call = spec.refusedLimits
      ? await readThenLimit(deps, reading, raw, admitted)
      : toCall(deps, reading, raw, await readText(spec, incoming))
    const answer = await handled(deps, spec, call)
    return 'headers' in answer ? answer : replyTo(deps, spec, { answer, incoming, list, now: call.now })
  }
}

async function handled(deps: DoorDeps, spec: AnyPlainSpec, call: AnyCall): Promise<Answer | Reply> {
  try {
    return await spec.handle(call as never)
  } catch (error) {
    await settleLimits(deps.limiter, spec, { incoming: call.incoming, error })
    throw error
  }
}

/** Reads and checks the body before it counts the request: a malformed one counts against `refusedLimits`, one that never arrives nowhere. */
async function readThenLimit(
  deps: DoorDeps,
  reading: { readonly spec: AnyPlainSpec; readonly checks: Checks },
  raw: RawCall<unknown>,
  admitted: Admitted<unknown>,
): Promise<AnyCall> {
  const { spec } = reading
  let call: AnyCall
  try {
    call = toCall(deps, reading, raw, await readText(spec, raw.incoming))
  } catch (error) {
    await countMalformed(deps.limiter, spec, { admitted, error })
    throw error
  }
  await limit(deps.limiter, spec.limits, admitted)
  return call
}

/** Null if there is no body to read. Bun gives no body for a GET. */
function readText(spec: AnySpec, incoming: Incoming): Promise<string | null> | null {
  const { request } = incoming
  if (!spec.body && !takesNothing(spec)) return null
  // The deadline pauses while the client is sending.
  incoming.beginReceiving()
  const reading = spec.body ? readJsonText(request, spec) : readNeedlessText(request)
  return reading.then((text) => {
    incoming.endReceiving()
    return text
  })
}

function replyTo(
  { cursors }: DoorDeps,
  spec: AnyPlainSpec,
  { answer, incoming, list, now }: { answer: Answer; incoming: Incoming; list: string; now: number },
): Reply {
  if (answer.ready) return publicReply(answer.ready, now)
  if (answer.keptPage) return publicReply(readyPage(answer, answer.keptPage, { cursors, list, incoming }), now)
  const body = spec.isPaged ? pageBody(answer, { cursors, list, incoming }) : bodyOf(answer)
  if (isOwners(spec)) {
    const etag = spec.etag?.(answer.data as never) ?? etagOf(body)
    return ownersReply({ answer, body, etag, isKept: spec.caching === 'revalidated' })
  }
  if (spec.caching !== 'public') return privateReply(answer, body, spec.caching === 'private')
  return publicReply({ body, etag: etagOf(body), changesAt: answer.changesAt ?? null }, now)
}

/** The response varies by Accept even if it is a refusal. */
function fileType(incoming: Incoming): ExportType | null {
  incoming.addHeader('Vary', 'Accept')
  return exportTypeFor(header(incoming, 'accept'))
}

async function sendFile(
  deps: DoorDeps,
  { spec, checks, type }: { spec: AnyPlainSpec; checks: Checks; type: ExportType },
  raw: RawCall<unknown>,
): Promise<Reply> {
  const { requestId } = raw.incoming
  const onEnd = deps.exports.acquire(spec.guard.ownerOf?.(raw.identity) ?? null)
  try {
    refusePaging(raw.query.given)
    const call = toCall(deps, { spec: { ...spec, isPaged: false }, checks }, raw, null)
    const file = await spec.exportAll?.(call)
    if (!file) throw new Error(`${spec.name} has no file`)
    const { stillAdmits } = spec.guard
    const recheck = stillAdmits ? { stillAdmits: () => stillAdmits(raw.identity as never) } : {}
    return await exportReply(file, { type, log: deps.log, requestId, onEnd, ...recheck })
  } catch (error) {
    onEnd()
    throw error
  }
}

/** How long an identity holds while the body arrives: an ordinary request is read within it, and asked once. */
const IDENTITY_HOLDS_MS = 500

function onceDoor(deps: DoorDeps, spec: AnyOnceSpec): Door {
  const checks = createChecks(spec)
  return async (incoming, rawParams) => {
    const first = await spec.guard.admit(incoming)
    const admittedAt = performance.now()
    incoming.isAdmitted = true
    const key = readIdempotencyKey(header(incoming, 'x-service-idempotency-key'), spec.longestKey)
    const ifMatch = readIfMatch(header(incoming, 'if-match'))
    if (ifMatch && !takesIfMatch(spec)) throw conditionNotSupported()
    const params = checks.params(rawParams)
    await limit(deps.limiter, spec.limits, { identity: first, incoming, params: params.value })
    const text = await readText(spec, incoming)
    // A caller who lost their rights while the body trickled in must not use them.
    const isLate = performance.now() - admittedAt > IDENTITY_HOLDS_MS
    const identity = isLate ? await admitAgain(spec, incoming) : first
    const query = checks.query(incoming)
    const prepared = text !== null && spec.prepare ? await spec.prepare(parseJson(text)) : nothing
    const raw = { incoming, identity, params, query, list: '', ifMatch, prepared }
    const call = toCall(deps, { spec, checks }, raw, text)
    const { requestId, path } = incoming
    const fingerprint = requestFingerprint({
      method: spec.method,
      path,
      body: spec.body ? call.body : null,
      caller: spec.hasSecret ? actorName(identity.actor) : null,
    })
    const sealKey = spec.hasSecret ? deps.keys.answer : null
    const request = { brandKey: identity.brandKey, key, fingerprint, requestId, now: call.now, sealKey }
    const answer = await runOnce(deps.engine, request, async (tx) => {
      const result = await spec.handle(call, tx, prepared.value)
      const { brandKey, actor } = identity
      const { subject, action = spec.action } = result
      if (subject) await recordActivity(tx, { brandKey, at: call.now, actor, action, subject })
      return { status: result.status ?? 200, body: bodyOf(result), location: result.location ?? null, requestId }
    }).catch(async (error) => {
      await settleLimits(deps.limiter, spec, { incoming, error })
      throw error
    })
    return { ...onceReply(answer, spec.etag), isSecret: spec.hasSecret ?? false }
  }
}

async function admitAgain({ guard }: AnyOnceSpec, incoming: Incoming) {
  try {
    return await guard.admit(incoming)
  } catch (error) {
    // A refusal by the guard tells nothing of the caller's limits, whenever it comes.
    incoming.limitHeaders = null
    throw error
  }
}

interface RawCall<Identity> {
  readonly incoming: Incoming
  readonly identity: Identity
  readonly params: Checked<Values>
  readonly query: CheckedQuery
  readonly list: string
  readonly ifMatch?: Precondition | null
  readonly prepared?: Checked<unknown>
}

function toCall<Identity>(
  deps: DoorDeps,
  { spec, checks }: { spec: AnySpec; checks: Checks },
  raw: RawCall<Identity>,
  text: string | null,
): AnyCall<Identity> {
  const { incoming, identity, params, list, ifMatch = null, prepared = nothing } = raw
  const { given, checked: query } = raw.query
  const body = text === null ? nothing : checks.body(text)
  const paging = spec.isPaged ? readPaging(deps.cursors, given, list) : unpaged
  if (!(isAccepted(params) && isAccepted(query) && isAccepted(body) && isAccepted(prepared))) {
    throw invalidInput([params, query, body, prepared].flatMap(({ problems }) => problems))
  }
  const call = {
    incoming,
    identity,
    params: params.value,
    query: query.value,
    body: body.value,
    paging,
    ifMatch,
    now: deps.clock.now(),
  }
  return call as AnyCall<Identity>
}
