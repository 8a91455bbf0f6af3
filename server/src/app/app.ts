import { randomUUID } from 'node:crypto'
import { methodNotAllowed, notFound, repeatedHost, unavailable } from '../base/errors.ts'
import { deterministicBox } from '../base/secrets.ts'
import type { Deps } from '../features/deps.ts'
import { type BrandAt, refusalFor } from '../features/pages/errors/error-page.ts'
import { encoded } from '../http/answers/encoded.ts'
import { type Around, errorReply, type Reply, repeatedReply, toAppError, toResponse } from '../http/answers/reply.ts'
import { preflightHeaders } from '../http/answers/response-headers.ts'
import { createDoor, type Door } from '../http/door.ts'
import { ClientGone, Incoming, type Peers, plainPath, type Surroundings } from '../http/incoming.ts'
import { ConcurrencyLimit } from '../http/limits/concurrency-limit.ts'
import { Deadlines } from '../http/limits/deadlines.ts'
import { limits } from '../http/limits/limits.ts'
import { Cursors } from '../http/paging.ts'
import { CLIENT_GONE, RequestRecord, type RouteCounts } from '../http/request-record.ts'
import { type AnyPlainSpec, API_PREFIX, fullPath, type Route } from '../http/route.ts'
import { createRouter, type Match } from '../http/router.ts'
import { Turn } from '../http/turn.ts'

/** Each export runs at its client's full speed, so a few reach the same throughput as many. */
const MOST_EXPORTS = 32

/** Probes ask whether the server answers, so they wait behind no read. */
const PROBES = ['/livez', '/readyz']

export interface App {
  fetch(request: Request, peers: Peers): Response | Promise<Response>
  /** How requests ended so far, by route. Requests that matched no route have an empty route name. */
  readonly answered: readonly RouteCounts[]
  /** From now on `/readyz` answers 503, while every other request is served. */
  announceStop(): void
  /** From now on every new request is answered 503. Resolves when all earlier requests are answered. */
  drain(): Promise<void>
}

interface Entrance {
  /** Answers may hold tokens: never stored, and never compressed. */
  readonly isAuth: boolean
  readonly counts: RouteCounts
  readonly door: Door
  /** Waits where reads have used the time of a turn of the event loop. */
  readonly isQueued: boolean
  readonly fromMemory?: AnyPlainSpec['fromMemory']
  readonly refusal?: AnyPlainSpec['refusal']
  readonly onFailure?: AnyPlainSpec['onFailure']
}

type Identified = Pick<Incoming, 'request' | 'requestId'>

type Asked = Identified & Pick<Incoming, 'isLast'>

type Params = Match<Entrance>['params']

/** Null if the door must answer. */
type MemoryReply = Reply | Promise<Reply> | null

/** A request that is not answered from memory. */
interface Visit {
  readonly incoming: Incoming
  /** Undefined if no route has this path and method. */
  readonly entrance: Entrance | undefined
}

type Ending = Identified & Around & { readonly reply: Reply; readonly ms: number }

export function createHttpApp(deps: Deps, routes: readonly Route[], brandAt: BrandAt = () => null): App {
  const { clock, config, engine, log } = deps
  const record = new RequestRecord(log)
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
      isAuth: isAuthPath(fullPath(route.spec)),
      counts: record.addRoute(route.spec.name, fullPath(route.spec)),
      door: createDoor(doorDeps, route),
      isQueued: route.spec.method === 'GET' && !PROBES.includes(fullPath(route.spec)),
      onFailure: route.spec.onFailure,
      ...(route.kind === 'plain' ? { fromMemory: route.spec.fromMemory, refusal: route.spec.refusal } : {}),
    },
  }))
  const find = createRouter<Entrance>(entrances)
  const elsewhere = record.addRoute('', '')
  const deadlines = new Deadlines()
  const turn = new Turn()
  let inFlight = 0
  let isDraining = false
  let isStopAnnounced = false
  const emptied = Promise.withResolvers<void>()
  let surroundings: Surroundings | null = null

  /** One object for all requests of a listener. */
  function around(peers: Peers): Surroundings {
    if (surroundings?.peers === peers) return surroundings
    surroundings = { peers, trustedProxies: config.trustedProxies, proxyWatch: deps.proxyWatch }
    return surroundings
  }

  function enter({ incoming, entrance }: Visit, match: Match<Entrance> | null): Promise<Reply> | Reply {
    const { path, request } = incoming
    if (!hasOneHost(request)) throw repeatedHost()
    if (!match) throw notFound()
    if (!entrance) return otherMethod(request.method, allowedMethods(match.methods, path))
    if (isRefused(path)) throw unavailable(1, { reason: 'the server is stopping' })
    const { door, isQueued } = entrance
    const reply = isQueued ? turn.read(incoming, () => door(incoming, match.params)) : door(incoming, match.params)
    return deadlines.within(incoming, reply, discard)
  }

  function isRefused(path: string): boolean {
    if (isDraining) return path !== '/livez'
    return isStopAnnounced && path === '/readyz'
  }

  function refusal(error: unknown, { request, requestId }: Identified, entrance?: Entrance): Reply {
    if (isClientGone(error, request)) return { status: CLIENT_GONE, body: null, headers: {} }
    if (entrance?.refusal) {
      const refused = toAppError(error, engine)
      return { ...entrance.refusal(refused), error: refused }
    }
    return refusalFor(request, errorReply(toAppError(error, engine), requestId), { requestId, brandAt })
  }

  /** Every request passes here exactly once, however it was answered. */
  function end(entrance: Entrance | undefined, ending: Ending): Response {
    const counts = entrance?.counts ?? elsewhere
    const { reply, requestId, isSameOrigin } = ending
    try {
      const response = toResponse(reply, ending)
      record.end(counts, ending)
      return response
    } catch (error) {
      // A header value was invalid.
      discard(reply)
      const failure = errorReply(toAppError(error, engine), requestId)
      record.end(counts, { ...ending, reply: failure })
      return toResponse(failure, { requestId, isSameOrigin })
    }
  }

  /** Answers a popular poll from memory: without parsing, promises or queries. */
  function fromMemory(request: Request, isLast: boolean): Response | Promise<Response> | null {
    if (request.method !== 'GET' || isDraining || !hasOneHost(request)) return null
    const path = plainPath(request)
    const match = path === null ? null : find(path)
    const entrance = match?.methods.get('GET')
    const reply = match && entrance && replyInMemory(entrance, match.params, request)
    if (!entrance || !reply) return null
    const requestId = randomUUID()
    if (reply instanceof Promise) return endLater(entrance, reply, { request, requestId, isLast })
    // Such an answer takes microseconds, and reading the clock twice would take a part of them, so its time counts as 0.
    return end(entrance, { request, requestId, reply, ms: 0, isSameOrigin: false, isLast })
  }

  function replyInMemory({ fromMemory: peek }: Entrance, params: Params, request: Request): MemoryReply {
    try {
      const now = clock.now()
      const ready = peek?.(params, now, request)
      return ready ? encoded('headers' in ready ? ready : repeatedReply(ready, now), request) : null
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async function endLater(entrance: Entrance, compressing: Promise<Reply>, asked: Asked): Promise<Response> {
    const startedAt = performance.now()
    const reply = await compressing.catch((error) => refusal(error, asked))
    return end(entrance, { ...asked, reply, ms: performance.now() - startedAt, isSameOrigin: false })
  }

  const fetch: App['fetch'] = (request, peers) => {
    const isLast = turn.isLast(request, peers)
    return fromMemory(request, isLast) ?? answerAsked(request, peers, isLast)
  }

  async function answerAsked(request: Request, peers: Peers, isLast: boolean): Promise<Response> {
    const incoming = new Incoming(request, around(peers), isLast)
    const match = find(incoming.path)
    const { method } = request
    const visit = { incoming, entrance: match?.methods.get(method === 'HEAD' ? 'GET' : method) }
    inFlight++
    let reply: Reply
    try {
      reply = await finish(visit, await enter(visit, match))
    } catch (error) {
      if (incoming.isAdmitted) visit.entrance?.onFailure?.(error, match?.params ?? {})
      reply = await finish(visit, refusal(error, incoming, visit.entrance))
    }
    return respond(visit, reply)
  }

  function respond(visit: Visit, reply: Reply): Response {
    inFlight--
    if (isDraining && inFlight === 0) emptied.resolve()
    const { incoming, entrance } = visit
    const { request, requestId, answerHeaders, limitHeaders, startedAt } = incoming
    if (reply.body instanceof ReadableStream) incoming.surroundings.peers.holdOpen(request)
    const ms = performance.now() - startedAt
    // For HEAD, Bun drops the body and sends the headers of GET, including the length.
    const isSameOrigin = isSameOriginPath(incoming.path)
    const isLast = isDraining || incoming.isLast || isChunked(request)
    const isHead = request.method === 'HEAD'
    return end(entrance, { request, requestId, reply, ms, isSameOrigin, isHead, isLast, answerHeaders, limitHeaders })
  }

  return {
    fetch,
    answered: record.routes,
    announceStop() {
      isStopAnnounced = true
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

/** Trailers may follow a chunked body, and Bun would answer them as another request. */
const isChunked = ({ headers, method }: Request): boolean => method !== 'GET' && headers.has('transfer-encoding')

const isAuthPath = (path: string): boolean => path.startsWith(`${API_PREFIX}/auth/`) || path.startsWith('/oauth/')

/** No page of another origin may call these paths: they take the keys of servers, the cookie of a session, or the tokens of agents. */
const isSameOriginPath = (path: string): boolean =>
  isAuthPath(path) || path === '/mcp' || path === `${API_PREFIX}/service` || path.startsWith(`${API_PREFIX}/service/`)

const isAuthVisit = ({ entrance, incoming }: Visit): boolean => entrance?.isAuth ?? isAuthPath(incoming.path)

/** Answers with tokens are never compressed: see `isSecret` of a reply. */
function finish(visit: Visit, reply: Reply): Reply | Promise<Reply> {
  if (!isAuthVisit(visit)) return encoded(reply, visit.incoming.request)
  return reply.error ? { ...reply, headers: { ...reply.headers, 'Cache-Control': 'no-store' } } : reply
}

function otherMethod(method: string, allowed: readonly string[]): Reply {
  if (method !== 'OPTIONS' || !allowed.includes('OPTIONS')) throw methodNotAllowed(allowed)
  return { status: 204, body: null, headers: preflightHeaders(allowed) }
}

function allowedMethods(methods: ReadonlyMap<string, unknown>, path: string): string[] {
  const names = [...methods.keys()]
  return [...names, ...(names.includes('GET') ? ['HEAD'] : []), ...(isSameOriginPath(path) ? [] : ['OPTIONS'])]
}

/** The client left while the server read its body: no error, and no client to answer. */
const isClientGone = (error: unknown, request: Request): boolean =>
  error instanceof ClientGone || (request.signal.aborted && error instanceof Error && error.name === 'AbortError')
