import { randomUUID } from 'node:crypto'
import { AppError, methodNotAllowed, notFound, unavailable } from './base/errors.ts'
import { deterministicBox } from './base/secrets.ts'
import type { Deps } from './deps.ts'
import { anyPage, preflightHeaders } from './http/cors.ts'
import { createDoor, type Door } from './http/door.ts'
import { toAppError } from './http/errors.ts'
import { ClientGone, type Incoming } from './http/incoming.ts'
import { clientNetwork } from './http/network.ts'
import { Cursors } from './http/page.ts'
import { errorReply, publicReply, type Reply } from './http/reply.ts'
import { type AnyReadSpec, fullPath, type Route } from './http/route.ts'
import { createRouter } from './http/router.ts'

export interface App {
  /** `peer` tells the address at the other end of the connection. */
  fetch(request: Request, peer: () => string): Response | Promise<Response>
  /** From now on every new request is answered 503. Resolves when those before are answered. */
  drain(): Promise<void>
}

interface Entrance {
  readonly door: Door
  readonly fromMemory?: AnyReadSpec['fromMemory']
}

const AFTER_SCHEME = 'http://'.length
/** Paths that want a closer look before they can be trusted to be what they say. */
const UNUSUAL = /[?#%]|\.\./

export function createApp(deps: Deps, routes: readonly Route[]): App {
  const { clock, config, engine, log } = deps
  const isLogged = log.isLevelEnabled('debug')
  const doorDeps = { ...deps, cursors: new Cursors(deterministicBox(deps.keys.cursor)) }
  const find = createRouter<Entrance>(
    routes.map((route) => ({
      method: route.spec.method,
      path: fullPath(route.spec),
      handler: {
        door: createDoor(doorDeps, route),
        ...(route.kind === 'plain' ? { fromMemory: route.spec.fromMemory } : {}),
      },
    })),
  )
  const inFlight = new Set<Promise<Reply>>()
  let isDraining = false

  async function answer(incoming: Incoming): Promise<Reply> {
    const match = find(incoming.url.pathname)
    if (!match) throw notFound()
    const { method } = incoming.request
    const entrance = match.methods.get(method === 'HEAD' ? 'GET' : method)
    if (!entrance) return otherMethod(method, allowedMethods(match.methods, incoming.url.pathname))
    if (isDraining && incoming.url.pathname !== '/livez') throw unavailable()
    const reply = entrance.door(incoming, match.params)
    inFlight.add(reply)
    try {
      return await reply
    } finally {
      inFlight.delete(reply)
    }
  }

  /** What a poll that everybody looks at is answered with: no parsing, no promise, no query. */
  function fromMemory(request: Request): Reply | null {
    if (request.method !== 'GET' || isDraining) return null
    const { url } = request
    const path = url.slice(url.indexOf('/', AFTER_SCHEME))
    const match = UNUSUAL.test(path) ? null : find(path)
    const now = clock.now()
    const ready = match?.methods.get('GET')?.fromMemory?.(match.params, now)
    return ready ? publicReply({ request }, ready, now) : null
  }

  function fetch(request: Request, peer: () => string): Response | Promise<Response> {
    const reply = isLogged ? null : fromMemory(request)
    return reply ? toResponse(reply, { requestId: randomUUID(), isAuth: false }) : fetchAsked(request, peer)
  }

  async function fetchAsked(request: Request, peer: () => string): Promise<Response> {
    const startedAt = performance.now()
    const requestId = randomUUID()
    const url = targetOf(request)
    const answerHeaders: Record<string, string> = {}
    const incoming: Incoming = {
      request,
      url,
      requestId,
      // Asked for by the limits alone.
      get network() {
        const address = peer()
        if (address === '') throw new ClientGone()
        return clientNetwork(address, request.headers.get('x-forwarded-for'), config.trustedProxies)
      },
      answerHeaders,
    }
    let reply: Reply
    try {
      reply = await answer(incoming)
    } catch (error) {
      reply = isClientGone(error, request)
        ? { status: CLIENT_GONE, body: null, headers: {} }
        : errorReply(error instanceof AppError ? error : toAppError(error, { engine, log, requestId }), requestId)
    }
    if (isLogged) {
      const ms = performance.now() - startedAt
      log.debug({ requestId, method: request.method, path: url.pathname, status: reply.status, ms }, 'request')
    }
    // For HEAD the server sends all but the body: the length, too, is that of GET.
    return toResponse(reply, { requestId, isAuth: isAuthPath(url.pathname), isDraining, answerHeaders })
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

interface Around {
  readonly requestId: string
  readonly isAuth: boolean
  readonly isDraining?: boolean
  readonly answerHeaders?: Readonly<Record<string, string>>
}

/** A replay brings the id of the first answer along, in place of this request's own. */
const toResponse = (
  { status, body, headers }: Reply,
  { requestId, isAuth, isDraining, answerHeaders }: Around,
): Response =>
  new Response(body, {
    status,
    headers: {
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      ...(isAuth ? {} : anyPage),
      ...(isDraining ? { Connection: 'close' } : {}),
      ...answerHeaders,
      ...headers,
    },
  })
