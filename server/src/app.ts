import { randomUUID } from 'node:crypto'
import { AppError, methodNotAllowed, notFound, unavailable } from './base/errors.ts'
import { deterministicBox } from './base/secrets.ts'
import type { Deps } from './deps.ts'
import { addCors, preflightHeaders } from './http/cors.ts'
import { createDoor, type Door } from './http/door.ts'
import { toAppError } from './http/errors.ts'
import type { Incoming } from './http/incoming.ts'
import { clientNetwork } from './http/network.ts'
import { Cursors } from './http/page.ts'
import { errorResponse } from './http/respond.ts'
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
  const inFlight = new Set<Promise<Response>>()
  let isDraining = false

  async function answer(incoming: Incoming): Promise<Response> {
    const match = find(incoming.url.pathname)
    if (!match) throw notFound()
    const { method } = incoming.request
    const allowed = allowedMethods(match.methods, incoming.url.pathname)
    if (method === 'OPTIONS' && allowed.includes('OPTIONS')) {
      return new Response(null, { status: 204, headers: preflightHeaders(allowed) })
    }
    const door = match.methods.get(method === 'HEAD' ? 'GET' : method)
    if (!door) throw methodNotAllowed(allowed)
    if (isDraining) throw unavailable()
    const response = door(incoming, match.params)
    inFlight.add(response)
    try {
      return await response
    } finally {
      inFlight.delete(response)
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
      answerHeaders: new Headers(),
    }
    let response: Response
    try {
      response = await answer(incoming)
    } catch (error) {
      response = isClientGone(error, request)
        ? new Response(null, { status: 499 })
        : errorResponse(error instanceof AppError ? error : toAppError(error, { engine, log, requestId }), requestId)
    }
    finish(response, incoming, isDraining)
    if (log.isLevelEnabled('debug')) {
      const ms = performance.now() - startedAt
      log.debug({ requestId, method: request.method, path: url.pathname, status: response.status, ms }, 'request')
    }
    // For HEAD the server sends all but the body: the length, too, is that of GET.
    return response
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

const isAuthPath = (path: string): boolean => path.startsWith('/api/rest/v1/auth/')

/** The token endpoints take no preflight: no page of a browser may call them. */
function allowedMethods(methods: ReadonlyMap<string, unknown>, path: string): string[] {
  const names = [...methods.keys()]
  return [...names, ...(names.includes('GET') ? ['HEAD'] : []), ...(isAuthPath(path) ? [] : ['OPTIONS'])]
}

/** A client that leaves while its body is read is nobody's fault and waits for no answer. */
const isClientGone = (error: unknown, request: Request): boolean =>
  request.signal.aborted && error instanceof Error && error.name === 'AbortError'

function finish({ headers }: Response, { answerHeaders, requestId, url }: Incoming, isDraining: boolean): void {
  for (const [name, value] of answerHeaders) headers.set(name, value)
  // A replay has brought the id of the first answer along.
  if (!headers.has('X-Request-Id')) headers.set('X-Request-Id', requestId)
  headers.set('X-Content-Type-Options', 'nosniff')
  addCors(headers, isAuthPath(url.pathname))
  if (isDraining) headers.set('Connection', 'close')
}
