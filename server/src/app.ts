import { randomUUID } from 'node:crypto'
import { AppError, methodNotAllowed, notFound, unavailable } from './base/errors.ts'
import { deterministicBox } from './base/secrets.ts'
import type { Deps } from './deps.ts'
import { anyPage, preflightHeaders } from './http/cors.ts'
import { createDoor, type Door } from './http/door.ts'
import { toAppError } from './http/errors.ts'
import type { Incoming } from './http/incoming.ts'
import { clientNetwork } from './http/network.ts'
import { Cursors } from './http/page.ts'
import { errorReply, type Reply } from './http/reply.ts'
import { fullPath, type Route } from './http/route.ts'
import { createRouter } from './http/router.ts'

export interface App {
  /** `peer` tells the address at the other end of the connection. */
  fetch(request: Request, peer: () => string): Promise<Response>
  /** From now on every new request is answered 503. Resolves when those before are answered. */
  drain(): Promise<void>
}

export function createApp(deps: Deps, routes: readonly Route[]): App {
  const { config, engine, log } = deps
  const doorDeps = { ...deps, cursors: new Cursors(deterministicBox(deps.keys.cursor)) }
  const find = createRouter<Door>(
    routes.map((route) => ({
      method: route.spec.method,
      path: fullPath(route.spec),
      handler: createDoor(doorDeps, route),
    })),
  )
  const inFlight = new Set<Promise<Reply>>()
  let isDraining = false

  async function answer(incoming: Incoming): Promise<Reply> {
    const match = find(incoming.url.pathname)
    if (!match) throw notFound()
    const { method } = incoming.request
    const allowed = allowedMethods(match.methods, incoming.url.pathname)
    if (method === 'OPTIONS' && allowed.includes('OPTIONS')) {
      return { status: 204, body: null, headers: preflightHeaders(allowed) }
    }
    const door = match.methods.get(method === 'HEAD' ? 'GET' : method)
    if (!door) throw methodNotAllowed(allowed)
    if (isDraining && incoming.url.pathname !== '/livez') throw unavailable()
    const reply = door(incoming, match.params)
    inFlight.add(reply)
    try {
      return await reply
    } finally {
      inFlight.delete(reply)
    }
  }

  async function fetch(request: Request, peer: () => string): Promise<Response> {
    const startedAt = performance.now()
    const requestId = randomUUID()
    const url = targetOf(request)
    const incoming: Incoming = {
      request,
      url,
      requestId,
      // Asked for by the limits alone.
      get network() {
        return clientNetwork(peer(), request.headers.get('x-forwarded-for'), config.trustedProxies)
      },
      answerHeaders: {},
    }
    let reply: Reply
    try {
      reply = await answer(incoming)
    } catch (error) {
      reply = isClientGone(error, request)
        ? { status: CLIENT_GONE, body: null, headers: {} }
        : errorReply(error instanceof AppError ? error : toAppError(error, { engine, log, requestId }), requestId)
    }
    if (log.isLevelEnabled('debug')) {
      const ms = performance.now() - startedAt
      log.debug({ requestId, method: request.method, path: url.pathname, status: reply.status, ms }, 'request')
    }
    // For HEAD the server sends all but the body: the length, too, is that of GET.
    return toResponse(reply, incoming, isDraining)
  }

  return {
    fetch,
    async drain() {
      isDraining = true
      await Promise.allSettled(inFlight)
    },
  }
}

/** What Host says decides nothing here: it may be absent, given twice, or no host at all. */
function targetOf({ url }: Request): URL {
  const target = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
  return new URL(`http://tossup${target.startsWith('/') ? '' : '/'}${target}`)
}

/** What the log says of a client that left; nobody is there to read it. */
const CLIENT_GONE = 499

const isAuthPath = (path: string): boolean => path.startsWith('/api/rest/v1/auth/')

/** The token endpoints take no preflight: no page of a browser may call them. */
function allowedMethods(methods: ReadonlyMap<string, unknown>, path: string): string[] {
  const names = [...methods.keys()]
  return [...names, ...(names.includes('GET') ? ['HEAD'] : []), ...(isAuthPath(path) ? [] : ['OPTIONS'])]
}

/** A client that leaves while its body is read is nobody's fault and waits for no answer. */
const isClientGone = (error: unknown, request: Request): boolean =>
  request.signal.aborted && error instanceof Error && error.name === 'AbortError'

/** A replay brings the id of the first answer along, in place of this request's own. */
const toResponse = ({ status, body, headers }: Reply, incoming: Incoming, isDraining: boolean): Response =>
  new Response(body, {
    status,
    headers: {
      'X-Request-Id': incoming.requestId,
      'X-Content-Type-Options': 'nosniff',
      ...(isAuthPath(incoming.url.pathname) ? {} : anyPage),
      ...(isDraining ? { Connection: 'close' } : {}),
      ...incoming.answerHeaders,
      ...headers,
    },
  })
