import { randomUUID } from 'node:crypto'
import { methodNotAllowed, notFound, repeatedHost, unavailable } from './base/errors.ts'
import { deterministicBox } from './base/secrets.ts'
import type { Deps } from './deps.ts'
import { refusalFor } from './features/pages/error-page.ts'
import { ConcurrencyLimit } from './http/concurrency-limit.ts'
import { preflightHeaders } from './http/cors.ts'
import { Deadlines } from './http/deadlines.ts'
import { createDoor, type Door } from './http/door.ts'
import { encoded } from './http/encoded.ts'
import { type FastDoor, fastDoorOf } from './http/fast-door.ts'
import { ClientGone, Incoming, plainPath } from './http/incoming.ts'
import { type Exit, Leaving } from './http/leaving.ts'
import { limits } from './http/limits.ts'
import { Cursors } from './http/paging.ts'
import { errorReply, publicReply, type Reply } from './http/reply.ts'
import { CLIENT_GONE, RequestRecord } from './http/request-record.ts'
import { type Around, toResponse } from './http/response.ts'
import { type AnyReadSpec, fullPath, type Route } from './http/route.ts'
import type { RouteCounts } from './http/route-counts.ts'
import { createRouter, type Match } from './http/router.ts'
import { toAppError } from './http/to-app-error.ts'
import type { Tracer } from './telemetry/tracer.ts'

/** Each export reads and writes at its reader's full speed: a few achieve the same throughput as many. */
const MOST_EXPORTS = 32

export interface App {
  /** `peer` returns the address at the other end of the connection; `holdOpen` turns off its idle timeout. */
  fetch(request: Request, peer: () => string, holdOpen?: () => void): Response | Promise<Response>
  /** How requests ended so far, by route. Requests that matched no route have an empty route name. */
  readonly answered: readonly RouteCounts[]
  /** From now on `/readyz` answers 503, while every other request is served. */
  announceStop(): void
  /** From now on each answer ends its connection, so that clients open the next one to another process. */
  stepAside(): void
  /**
   * From now on every new request is answered 503, except after `stepAside`, when other processes serve the port.
   * Resolves when all earlier requests are answered.
   */
  drain(): Promise<void>
}

interface Entrance {
  readonly counts: RouteCounts
  readonly door: Door
  readonly fast: FastDoor | null
  readonly fromMemory?: AnyReadSpec['fromMemory']
}

type Asked = Pick<Incoming, 'request' | 'requestId'>

type Params = Match<Entrance>['params']

/** Null if the door must answer. */
type MemoryReply = Reply | Promise<Reply> | null

/** A request on its way through the door. */
interface Entered {
  readonly incoming: Incoming
  readonly entrance: Entrance | undefined
  readonly isHead: boolean
  readonly holdOpen: (() => void) | undefined
}

type Ending = Asked & Around & { readonly reply: Reply; readonly ms: number }

export function createHttpApp(deps: Deps, routes: readonly Route[], tracer: Tracer | null = null): App {
  const { clock, config, engine, log } = deps
  const record = new RequestRecord(log, tracer)
  const doorDeps = {
    ...deps,
    cursors: new Cursors(deterministicBox(deps.keys.cursor)),
    exports: new ConcurrencyLimit({
      name: limits.exports.policy,
      total: MOST_EXPORTS,
      perOwner: limits.exports.quota,
    }),
  }
  const entrances = routes.map((route) => ({
    method: route.spec.method,
    path: fullPath(route.spec),
    handler: {
      counts: record.addRoute(route.spec.name, fullPath(route.spec)),
      door: createDoor(doorDeps, route),
      fast: fastDoorOf(doorDeps, route),
      ...(route.kind === 'plain' ? { fromMemory: route.spec.fromMemory } : {}),
    },
  }))
  const find = createRouter<Entrance>(entrances)
  const elsewhere = record.addRoute('', '')
  const deadlines = new Deadlines()
  let inFlight = 0
  let isDraining = false
  let isStopAnnounced = false
  let isSteppingAside = false
  const emptied = Promise.withResolvers<void>()
  const exit: Exit<Entered> = {
    leave,
    refuse: (asked, error) => leave(asked, refusal(error, asked.incoming)),
    discard,
  }

  function enter(asked: Entered, match: Match<Entrance> | null): Response | Promise<Response> {
    const { incoming, entrance } = asked
    const { path, request } = incoming
    if (!hasOneHost(request)) throw repeatedHost()
    if (!match) throw notFound()
    if (!entrance) return leave(asked, otherMethod(request.method, allowedMethods(match.methods, path)))
    if (isRefused(path)) throw unavailable(1, { reason: 'the server is stopping' })
    return enterFast(asked, entrance, match.params) ?? enterDoor(asked, entrance, match.params)
  }

  function isRefused(path: string): boolean {
    if (isDraining && !isSteppingAside) return path !== '/livez'
    return isStopAnnounced && path === '/readyz'
  }

  /** Null if the door must answer. */
  function enterFast(asked: Entered, { fast }: Entrance, params: Params): Promise<Response> | null {
    const { incoming } = asked
    const admitted = fast?.admit(incoming, params)
    if (!fast || !admitted) return null
    const answering = Promise.withResolvers<Response>()
    fast.answer(admitted, deadlines.bound<Reply>(incoming, new Leaving(exit, asked, answering)))
    return answering.promise
  }

  function enterDoor(asked: Entered, { door }: Entrance, params: Params): Promise<Response> {
    const { incoming } = asked
    return deadlines.within(incoming, door(incoming, params), discard).then(
      (reply) => leave(asked, reply),
      (error) => leave(asked, refusal(error, incoming)),
    )
  }

  function refusal(error: unknown, { request, requestId }: Asked): Reply {
    if (isClientGone(error, request)) return { status: CLIENT_GONE, body: null, headers: {} }
    return refusalFor(request, errorReply(toAppError(error, engine), requestId), requestId)
  }

  /** Every request passes here exactly once, however it was answered. */
  function end(entrance: Entrance | undefined, ending: Ending): Response {
    const counts = entrance?.counts ?? elsewhere
    const { reply, requestId, isAuth } = ending
    try {
      const response = toResponse(reply, ending)
      record.end(counts, ending)
      return response
    } catch (error) {
      // A header value was invalid.
      discard(reply)
      const failure = errorReply(toAppError(error, engine), requestId)
      record.end(counts, { ...ending, reply: failure })
      return toResponse(failure, { requestId, isAuth })
    }
  }

  /** Answers a popular poll from memory: without parsing, promises or queries. */
  function fromMemory(request: Request): Response | Promise<Response> | null {
    if (request.method !== 'GET' || isDraining || isSteppingAside || !hasOneHost(request)) return null
    const path = plainPath(request)
    const match = path === null ? null : find(path)
    const entrance = match?.methods.get('GET')
    const reply = match && entrance && replyInMemory(entrance, match.params, request)
    if (!entrance || !reply) return null
    const requestId = randomUUID()
    if (reply instanceof Promise) return endLater(entrance, reply, { request, requestId })
    // Such an answer takes microseconds, and reading the clock twice would take a part of them, so its time counts as 0.
    return end(entrance, { request, requestId, reply, ms: 0, isAuth: false })
  }

  function replyInMemory({ fromMemory: peek }: Entrance, params: Params, request: Request): MemoryReply {
    try {
      const now = clock.now()
      const ready = peek?.(params, now, request)
      return ready ? encoded('headers' in ready ? ready : publicReply(ready, now), request) : null
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async function endLater(entrance: Entrance, compressing: Promise<Reply>, asked: Asked): Promise<Response> {
    const startedAt = performance.now()
    const reply = await compressing.catch((error) => refusal(error, asked))
    return end(entrance, { ...asked, reply, ms: performance.now() - startedAt, isAuth: false })
  }

  const fetch: App['fetch'] = (request, peer, holdOpen) => fromMemory(request) ?? fetchAsked(request, peer, holdOpen)

  /** Awaits nothing that is already there: a promise for each step would slow every vote. */
  function fetchAsked(request: Request, peer: () => string, holdOpen?: () => void): Response | Promise<Response> {
    const incoming = new Incoming(request, { peer, trustedProxies: config.trustedProxies, proxyWatch: deps.proxyWatch })
    const isHead = request.method === 'HEAD'
    const match = find(incoming.path)
    const entrance = match?.methods.get(isHead ? 'GET' : request.method)
    const asked: Entered = { incoming, entrance, isHead, holdOpen }
    inFlight++
    try {
      return enter(asked, match)
    } catch (error) {
      return leave(asked, refusal(error, incoming))
    }
  }

  function leave(asked: Entered, reply: Reply): Response | Promise<Response> {
    const coded = finished(asked.incoming, reply)
    return coded instanceof Promise ? coded.then((ready) => respond(asked, ready)) : respond(asked, coded)
  }

  function finished(incoming: Incoming, reply: Reply): Reply | Promise<Reply> {
    const refused = (error: unknown) => finish(refusal(error, incoming), incoming)
    try {
      const coded = finish(reply, incoming)
      return coded instanceof Promise ? coded.catch(refused) : coded
    } catch (error) {
      return refused(error)
    }
  }

  function respond({ incoming, entrance, isHead, holdOpen }: Entered, reply: Reply): Response {
    inFlight--
    if (isDraining && inFlight === 0) emptied.resolve()
    const { request, requestId, path, answerHeaders, limitHeaders, startedAt } = incoming
    if (reply.body instanceof ReadableStream) holdOpen?.()
    const ms = performance.now() - startedAt
    // For HEAD, Bun drops the body and sends the headers of GET, including the length.
    const isAuth = isAuthPath(path)
    const isLast = isDraining || isSteppingAside
    return end(entrance, { request, requestId, reply, ms, isAuth, isHead, isLast, answerHeaders, limitHeaders })
  }

  return {
    fetch,
    answered: record.routes,
    announceStop() {
      isStopAnnounced = true
    },
    stepAside() {
      isSteppingAside = true
    },
    async drain() {
      isDraining = true
      if (inFlight > 0) await emptied.promise
      record.flush()
    },
  }
}

/** Cancels the body of an answer that will not be sent. */
function discard({ body }: Reply): void {
  if (body instanceof ReadableStream) void body.cancel()
}

/** Two programs may believe two different ones of several Host headers. Bun joins them by a comma, which no host contains. */
const hasOneHost = ({ headers }: Request): boolean => headers.get('host')?.includes(',') !== true

const isAuthPath = (path: string): boolean => path.startsWith('/api/rest/v1/auth/')

/** Answers with tokens are never compressed: see `isSecret` of a reply. */
const finish = (reply: Reply, { path, request }: Incoming): Reply | Promise<Reply> =>
  isAuthPath(path) ? reply : encoded(reply, request)

function otherMethod(method: string, allowed: readonly string[]): Reply {
  if (method !== 'OPTIONS' || !allowed.includes('OPTIONS')) throw methodNotAllowed(allowed)
  return { status: 204, body: null, headers: preflightHeaders(allowed) }
}

/** The token endpoints answer no preflight, because no web page may call them. */
function allowedMethods(methods: ReadonlyMap<string, unknown>, path: string): string[] {
  const names = [...methods.keys()]
  return [...names, ...(names.includes('GET') ? ['HEAD'] : []), ...(isAuthPath(path) ? [] : ['OPTIONS'])]
}

/** The client left while its body was read: not an error, and there is nobody to answer. */
const isClientGone = (error: unknown, request: Request): boolean =>
  error instanceof ClientGone || (request.signal.aborted && error instanceof Error && error.name === 'AbortError')
