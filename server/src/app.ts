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
  fetch(request: Request, peer: string): Promise<Response>
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

  async function fetch(request: Request, peer: string): Promise<Response> {
    const startedAt = performance.now()
    const requestId = randomUUID()
    const url = new URL(request.url)
    const requestLog = log.child({ requestId })
    const network = clientNetwork(peer, request.headers.get('x-forwarded-for'), config.trustedProxies)
    const incoming = { request, url, requestId, network, log: requestLog, answerHeaders: new Headers() }
    let response: Response
    try {
      response = await answer(incoming)
    } catch (error) {
      response = isClientGone(error, request)
        ? new Response(null, { status: 499 })
        : errorResponse(error instanceof AppError ? error : toAppError(error, engine, requestLog), requestId)
    }
    finish(response, incoming, isDraining)
    requestLog.debug(
      { method: request.method, path: url.pathname, status: response.status, ms: performance.now() - startedAt },
      'request',
    )
    return request.method === 'HEAD' ? withoutBody(response) : response
  }

  return {
    fetch,
    async drain() {
      isDraining = true
      await Promise.allSettled(inFlight)
    },
  }
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

const withoutBody = ({ status, headers }: Response): Response => new Response(null, { status, headers })
