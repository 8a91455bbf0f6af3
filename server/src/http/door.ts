// http: everything about a request that no feature decides: routing, validation, limits, caching, errors.
// Imports rooms: base, bus, db, storage.
// Every route passes the same steps in the same order; the handler is the last one.

import type { Clock } from '../base/clock.ts'
import { invalidInput } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { DataKeys } from '../db/data-keys.ts'
import type { Engine } from '../db/store.ts'
import type { Answer } from './answer.ts'
import { readJsonText, readNeedlessText } from './body.ts'
import { etagOf } from './caching.ts'
import {
  type AnySpec,
  type CheckedQuery,
  type Checks,
  createChecks,
  nothing,
  type Params,
  type Values,
} from './checks.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { type ExportType, exportReply, exportTypeFor } from './export.ts'
import { readIdempotencyKey, requestFingerprint, runOnce } from './idempotency.ts'
import { header, type Incoming } from './incoming.ts'
import type { Claim, Limiter } from './limiter.ts'
import { type Cursors, listName, type Paging, readPaging, refusePaging } from './page.ts'
import { type Precondition, readIfMatch } from './precondition.ts'
import { giveBackLimits, takeLimits } from './rate-limit.ts'
import { bodyOf, onceReply, ownersReply, pageBody, privateReply, publicReply, type Reply } from './reply.ts'
import {
  type AnyReadSpec,
  type AnyWriteSpec,
  type Call,
  isOwners,
  type Route,
  takesIfMatch,
  takesNothing,
} from './route.ts'
import type { Checked } from './validate.ts'

export interface DoorDeps {
  readonly engine: Engine
  readonly keys: Pick<DataKeys, 'answer'>
  readonly limiter: Limiter
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  /** Files that are being sent. */
  readonly exports: ConcurrencyLimit
}

export type Door = (incoming: Incoming, rawParams: Params) => Promise<Reply>

type AnyCall<Identity = unknown> = Call<never, never, never, Identity>

/** The one way in. The order of the steps is the order in which the contract says that faults are answered. */
export function createDoor(deps: DoorDeps, route: Route): Door {
  return route.kind === 'once' ? onceDoor(deps, route.spec) : plainDoor(deps, route.spec)
}

function plainDoor(deps: DoorDeps, spec: AnyReadSpec): Door {
  const checks = createChecks(spec)
  return async (incoming, rawParams) => {
    // A body that the handler reads by itself may be on its way for minutes.
    if (spec.takes) incoming.beginReceiving()
    const type = spec.exportAll ? fileType(incoming) : null
    const identity = await spec.guard.admit(incoming)
    const params = checks.params(rawParams)
    if (spec.limits) await limit(deps, spec.limits, { identity, incoming, params: params.value })
    const query = checks.query(incoming)
    const owner = spec.guard.ownerOf?.(identity)
    const filters = query.checked.value
    const list = spec.isPaged ? listName({ list: spec.path, owner, params: params.value, filters }) : ''
    if (type) return sendFile(deps, { spec, checks, type }, { incoming, identity, params, query, list })
    const text = await readText(spec, incoming)
    const call = toCall(deps, { spec, checks }, { incoming, identity, params, query, list, text })
    let answer: Answer | Reply
    try {
      answer = await spec.handle(call)
    } catch (error) {
      await giveBackLimits(deps.limiter, incoming, error)
      throw error
    }
    return 'headers' in answer ? answer : replyTo(deps, spec, { answer, incoming, list, now: call.now })
  }
}

/** Null where there is nothing to look at. Bun shows no body of a GET. */
function readText(spec: AnySpec, incoming: Incoming): Promise<string | null> | null {
  if (spec.body) return receive(incoming, readJsonText(incoming.request, spec.mostBodyBytes))
  return takesNothing(spec) ? receive(incoming, readNeedlessText(incoming.request)) : null
}

/** While the client is sending, no deadline runs. */
async function receive<T>(incoming: Incoming, reading: Promise<T>): Promise<T> {
  incoming.beginReceiving()
  const text = await reading
  incoming.endReceiving()
  return text
}

interface Answered {
  readonly answer: Answer
  readonly incoming: Incoming
  readonly list: string
  readonly now: number
}

function replyTo({ cursors }: DoorDeps, spec: AnyReadSpec, { answer, incoming, list, now }: Answered): Reply {
  if (answer.ready) return publicReply(answer.ready, now)
  const body = spec.isPaged ? pageBody(answer, { cursors, list, incoming }) : bodyOf(answer)
  if (isOwners(spec)) return ownersReply({ answer, body, etag: spec.etag?.(answer.data as never) ?? etagOf(body) })
  if (spec.caching !== 'public') return privateReply(answer, body, spec.caching === 'private')
  return publicReply({ body, etag: etagOf(body), changesAt: answer.changesAt ?? null }, now)
}

/** What is answered depends on what is asked for, also where that is refused. */
function fileType(incoming: Incoming): ExportType | null {
  incoming.answerHeaders['Vary'] = 'Accept'
  return exportTypeFor(header(incoming, 'accept'))
}

async function sendFile(
  deps: DoorDeps,
  { spec, checks, type }: { spec: AnyReadSpec; checks: Checks; type: ExportType },
  raw: RawCall<unknown>,
): Promise<Reply> {
  const { requestId } = raw.incoming
  const onEnd = deps.exports.acquire(spec.guard.ownerOf?.(raw.identity) ?? null)
  try {
    refusePaging(raw.query.given)
    const call = toCall(deps, { spec: { ...spec, isPaged: false }, checks }, { ...raw, text: null })
    const file = await spec.exportAll?.(call)
    if (!file) throw new Error(`${spec.name} has no file`)
    return await exportReply(file, { type, log: deps.log, requestId, onEnd })
  } catch (error) {
    onEnd()
    throw error
  }
}

function onceDoor(deps: DoorDeps, spec: AnyWriteSpec): Door {
  const checks = createChecks(spec)
  return async (incoming, rawParams) => {
    const identity = await spec.guard.admit(incoming)
    const key = readIdempotencyKey(header(incoming, 'x-service-idempotency-key'), spec.longestKey)
    const ifMatch = takesIfMatch(spec) ? readIfMatch(header(incoming, 'if-match')) : null
    const params = checks.params(rawParams)
    if (spec.limits) await limit(deps, spec.limits, { identity, incoming, params: params.value })
    const text = await readText(spec, incoming)
    const query = checks.query(incoming)
    const call = toCall(deps, { spec, checks }, { incoming, identity, params, query, list: '', text, ifMatch })
    const { requestId, path } = incoming
    const fingerprint = requestFingerprint(spec.method, path, spec.body ? call.body : null)
    const sealKey = spec.hasSecret ? deps.keys.answer : null
    const request = { brandKey: identity.brandKey, key, fingerprint, requestId, now: call.now, sealKey }
    const answer = await runOnce(deps.engine, request, async (tx) => {
      const result = await spec.handle(call, tx)
      return { status: result.status ?? 200, body: bodyOf(result), location: result.location ?? null, requestId }
    })
    return { ...onceReply(answer, spec.etag), isSecret: spec.hasSecret ?? false }
  }
}

interface Admitted<Identity> {
  readonly identity: Identity
  readonly incoming: Incoming
  readonly params: Values | undefined
}

type Limits = (call: Admitted<never>) => Promise<readonly Claim[]> | readonly Claim[]

function limit({ limiter }: DoorDeps, limits: Limits, call: Admitted<unknown>): Promise<void> | void {
  const claims = limits(call as Admitted<never>)
  if (claims instanceof Promise) return claims.then((known) => takeLimits(limiter, known, call.incoming))
  return takeLimits(limiter, claims, call.incoming)
}

interface RawCall<Identity> {
  readonly incoming: Incoming
  readonly identity: Identity
  readonly params: Checked<Values>
  readonly query: CheckedQuery
  readonly list: string
  readonly ifMatch?: Precondition | null
}

function toCall<Identity>(
  deps: DoorDeps,
  { spec, checks }: { spec: AnySpec; checks: Checks },
  { incoming, identity, params, list, text, ifMatch = null, ...raw }: RawCall<Identity> & { text: string | null },
): AnyCall<Identity> {
  const { given, checked: query } = raw.query
  const body = text === null ? nothing : checks.body(text)
  const paging = spec.isPaged ? readPaging(deps.cursors, given, list) : unpaged
  if (params.problems.length + query.problems.length + body.problems.length > 0) {
    throw invalidInput([...params.problems, ...query.problems, ...body.problems])
  }
  const input = { params: params.value, query: query.value, body: body.value }
  return { incoming, identity, ...input, paging, ifMatch, now: deps.clock.now() } as AnyCall<Identity>
}

const unpaged: Paging = { limit: 0, after: null }
