import { randomUUID } from 'node:crypto'
import { AppError, methodNotAllowed, notFound, unavailable } from './base/errors.ts'
import { deterministicBox } from './base/secrets.ts'
import type { Deps } from './deps.ts'
import { ConcurrencyLimit } from './http/concurrency-limit.ts'
import { preflightHeaders } from './http/cors.ts'
import { Deadlines } from './http/deadlines.ts'
import { createDoor, type Door } from './http/door.ts'
import { encoded } from './http/encoded.ts'
import { toAppError } from './http/errors.ts'
import { ClientGone, Incoming, plainPath } from './http/incoming.ts'
import { Cursors } from './http/page.ts'
import { errorReply, publicReply, type Reply } from './http/reply.ts'
import { toResponse } from './http/response.ts'
import { type AnyReadSpec, fullPath, type Route } from './http/route.ts'
import { createRouter, type Match } from './http/router.ts'

/** Each reads and writes without a pause, as fast as its reader: a few do as much as many would. */
const MOST_EXPORTS = 32
const MOST_EXPORTS_OF_BRAND = 4

export interface App {
  /** `peer` tells the address at the other end of the connection, `holdOpen` lets that be silent for ever. */
  fetch(request: Request, peer: () => string, holdOpen?: () => void): Response | Promise<Response>
  /** How many were answered so far, by route and class of status; what is on no route has an empty name. */
  requests(): RequestCount[]
  /** From now on every new request is answered 503. Resolves when those before are answered. */
  drain(): Promise<void>
}

interface RequestCount {
  readonly route: string
  readonly status: string
  readonly count: number
}

interface Entrance {
  readonly name: string
  /** Answers so far, in the place of their status's first digit. */
  readonly answered: number[]
  readonly door: Door
  readonly fromMemory?: AnyReadSpec['fromMemory']
}

export function createApp(deps: Deps, routes: readonly Route[]): App {
  const { clock, config, engine, log } = deps
  const isLogged = log.isLevelEnabled('debug')
  const doorDeps = {
    ...deps,
    cursors: new Cursors(deterministicBox(deps.keys.cursor)),
    exports: new ConcurrencyLimit({ name: 'exports', total: MOST_EXPORTS, perOwner: MOST_EXPORTS_OF_BRAND }),
  }
  const entrances = routes.map((route) => ({
    method: route.spec.method,
    path: fullPath(route.spec),
    handler: {
      name: route.spec.name,
      answered: noneYet(),
      door: createDoor(doorDeps, route),
      ...(route.kind === 'plain' ? { fromMemory: route.spec.fromMemory } : {}),
    },
  }))
  const find = createRouter<Entrance>(entrances)
  const elsewhere = { name: '', answered: noneYet() }
  const deadlines = new Deadlines()
  let inFlight = 0
  let isDraining = false
  const emptied = Promise.withResolvers<void>()

  function enter(incoming: Incoming, match: Match<Entrance> | null, entrance?: Entrance): Reply | Promise<Reply> {
    const { path, request } = incoming
    if (!match) throw notFound()
    if (!entrance) return otherMethod(request.method, allowedMethods(match.methods, path))
    if (isDraining && path !== '/livez') throw unavailable()
    return entrance.door(incoming, match.params)
  }

  function refusal(error: unknown, { request, requestId }: Incoming): Reply {
    if (isClientGone(error, request)) return { status: CLIENT_GONE, body: null, headers: {} }
    return errorReply(error instanceof AppError ? error : toAppError(error, { engine, log, requestId }), requestId)
  }

  /** Plain numbers in an array: on the way of every request nothing dearer has a place. */
  function noted(entrance: Entrance | undefined, reply: Reply): Reply {
    const { answered } = entrance ?? elsewhere
    const digit = Math.floor(reply.status / 100)
    answered[digit] = (answered[digit] ?? 0) + 1
    return reply
  }

  /** What a poll that everybody looks at is answered with: no parsing, no promise, no query. */
  function fromMemory(request: Request): Response | Promise<Response> | null {
    if (request.method !== 'GET' || isDraining) return null
    const path = plainPath(request)
    const match = path === null ? null : find(path)
    const now = clock.now()
    const entrance = match?.methods.get('GET')
    const ready = match && entrance?.fromMemory?.(match.params, now, request)
    if (!ready) return null
    const reply = encoded('headers' in ready ? ready : publicReply(ready, now), request)
    return reply instanceof Promise ? reply.then((sent) => send(entrance, sent)) : send(entrance, reply)
  }

  const send = (entrance: Entrance | undefined, reply: Reply): Response =>
    toResponse(noted(entrance, reply), { requestId: randomUUID(), isAuth: false })

  const fetch: App['fetch'] = (request, peer, holdOpen) =>
    (isLogged ? null : fromMemory(request)) ?? fetchAsked(request, peer, holdOpen)

  async function replyTo(incoming: Incoming, match: Match<Entrance> | null, entrance?: Entrance): Promise<Reply> {
    inFlight++
    try {
      const entering = enter(incoming, match, entrance)
      const reply = entering instanceof Promise ? await deadlines.within(incoming, entering, discard) : entering
      return await finish(reply, incoming)
    } catch (error) {
      return await finish(refusal(error, incoming), incoming)
    } finally {
      inFlight--
      if (isDraining && inFlight === 0) emptied.resolve()
    }
  }

  async function fetchAsked(request: Request, peer: () => string, holdOpen?: () => void): Promise<Response> {
    const startedAt = isLogged ? performance.now() : 0
    const incoming = new Incoming(request, { peer, trustedProxies: config.trustedProxies })
    const { path, requestId, answerHeaders } = incoming
    const isHead = request.method === 'HEAD'
    const match = find(path)
    const entrance = match?.methods.get(isHead ? 'GET' : request.method)
    const reply = await replyTo(incoming, match, entrance)
    noted(entrance, reply)
    if (reply.body instanceof ReadableStream) holdOpen?.()
    if (isLogged) {
      const ms = performance.now() - startedAt
      log.debug({ requestId, method: request.method, path, status: reply.status, ms }, 'request')
    }
    // For HEAD the server sends all but the body: the length, too, is that of GET.
    return toResponse(reply, { requestId, isAuth: isAuthPath(path), isHead, isDraining, answerHeaders })
  }

  return {
    fetch,
    requests: () => [...entrances.map(({ handler }) => handler), elsewhere].flatMap(countsOf),
    async drain() {
      isDraining = true
      if (inFlight > 0) await emptied.promise
    },
  }
}

const noneYet = (): number[] => [0, 0, 0, 0, 0, 0]

type Counting = Pick<Entrance, 'name' | 'answered'>

const countsOf = ({ name, answered }: Counting): RequestCount[] =>
  answered.flatMap((count, digit) => (count === 0 ? [] : [{ route: name, status: `${digit}xx`, count }]))

/** What the log says of a client that left; nobody is there to read it. */
const CLIENT_GONE = 499

/** Nobody reads what comes after the answer. */
function discard({ body }: Reply): void {
  if (body instanceof ReadableStream) void body.cancel()
}

const isAuthPath = (path: string): boolean => path.startsWith('/api/rest/v1/auth/')

/** Tokens are answered as they are: see `isSecret` of a reply. */
const finish = (reply: Reply, { path, request }: Incoming): Reply | Promise<Reply> =>
  isAuthPath(path) ? reply : encoded(reply, request)

function otherMethod(method: string, allowed: readonly string[]): Reply {
  if (method !== 'OPTIONS' || !allowed.includes('OPTIONS')) throw methodNotAllowed(allowed)
  return { status: 204, body: null, headers: preflightHeaders(allowed) }
}

/** The token endpoints take no preflight: no page of a browser may call them. */
function allowedMethods(methods: ReadonlyMap<string, unknown>, path: string): string[] {
  const names = [...methods.keys()]
  return [...names, ...(names.includes('GET') ? ['HEAD'] : []), ...(isAuthPath(path) ? [] : ['OPTIONS'])]
}

/** A client that leaves while its body is read is nobody's fault and waits for no answer. */
const isClientGone = (error: unknown, request: Request): boolean =>
  error instanceof ClientGone || (request.signal.aborted && error instanceof Error && error.name === 'AbortError')
