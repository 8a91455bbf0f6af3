import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import { unavailable } from './base/errors.ts'
import type { Deps } from './deps.ts'
import type { Ready } from './http/answer.ts'
import { etagOf } from './http/caching.ts'
import { anyone } from './http/guard.ts'
import { PackedText } from './http/packed.ts'
import { publicReply, type Reply } from './http/reply.ts'
import { API_PREFIX, type Route, route } from './http/route.ts'

const OPENAPI = new URL('../openapi.json', import.meta.url)
const READY_WITHIN_MS = 2_000

const welcome = z.object({
  name: z.literal('Tossup').describe('The name of this service.'),
  api: z.string().meta({ description: 'Where the interface begins.', examples: [API_PREFIX] }),
  reference: z.string().meta({ description: 'Where this reference is.', examples: ['/openapi.json'] }),
})

const health = z.object({ status: z.literal('ok').describe('That all is well.') })

export function systemRoutes({ engine }: Pick<Deps, 'engine'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/',
      isOutside: true,
      name: 'getWelcome',
      summary: 'Where to look',
      guard: anyone,
      caching: 'public',
      answers: { 200: { description: 'The addresses to begin with.', schema: welcome } },
      handle: () => ({ data: { name: 'Tossup', api: API_PREFIX, reference: '/openapi.json' } }),
    }),

    route({
      method: 'GET',
      path: '/livez',
      isOutside: true,
      name: 'isAlive',
      summary: 'Whether the process answers',
      guard: anyone,
      caching: 'private',
      answers: { 200: { description: 'It does.', schema: health } },
      handle: () => ({ data: { status: 'ok' } }),
    }),

    route({
      method: 'GET',
      path: '/readyz',
      isOutside: true,
      name: 'isReady',
      summary: 'Whether requests can be served: the database answers and the process is not stopping',
      guard: anyone,
      caching: 'private',
      answers: { 200: { description: 'They can.', schema: health } },
      async handle() {
        const ping = sql`select 1`.execute(engine.db)
        const timeout = pause(READY_WITHIN_MS, undefined, { ref: false }).then(() => Promise.reject(unavailable()))
        // Whichever loses the race may fail later: that failure has been answered already.
        for (const side of [ping, timeout]) side.catch(() => undefined)
        await Promise.race([ping, timeout])
        return { data: { status: 'ok' } }
      },
    }),

    route({
      method: 'GET',
      path: '/openapi.json',
      isOutside: true,
      name: 'getOpenApi',
      summary: 'This reference, as OpenAPI 3.1',
      guard: anyone,
      caching: 'own',
      answers: { 200: { description: 'The document.', contentType: 'application/json' } },
      handle: openApiAnswer(),
    }),
  ]
}

function openApiAnswer() {
  let kept: Omit<Ready, 'changesAt'> | null = null
  return ({ now }: { now: number }): Reply => {
    if (!kept) {
      const body = readFileSync(OPENAPI, 'utf8')
      kept = { body, etag: etagOf(body), packed: new PackedText(body, 'best') }
    }
    return publicReply({ ...kept, changesAt: null }, now)
  }
}
