import { z } from 'zod'
import { openApiText } from '../base/own-texts.ts'
import type { Readiness } from '../features/votes/readiness.ts'
import type { Ready } from '../http/answers/answer.ts'
import { etagOf } from '../http/answers/caching.ts'
import { PackedText } from '../http/answers/content-coding.ts'
import { publicReply, type Reply } from '../http/answers/reply.ts'
import { anyone, type Route, route } from '../http/route.ts'

const document = z
  .looseObject({
    openapi: z.string().meta({ description: 'The version of the OpenAPI Specification.', examples: ['3.1.0'] }),
  })
  .meta({
    description: 'An OpenAPI document.',
    examples: [{ openapi: '3.1.0', info: { title: 'Tossup', version: '1.0.0' }, paths: {} }],
  })

const headers = { always: ['ETag'] } as const

const health = z.object({ status: z.literal('ok').describe('Always `ok`.') })

const ready = health.extend({
  instance: z.string().meta({
    description: 'Tells this service from any other: the same for all servers of one database.',
    examples: ['0b8f9f0e-6f6d-4d5a-9d57-8f2f6a2f8c11'],
  }),
})

export function systemRoutes(readiness: Readiness, instance: string): Route[] {
  return [
    route({
      method: 'GET',
      path: '/livez',
      isOutside: true,
      name: 'isAlive',
      isAlwaysUp: true,
      guard: anyone,
      caching: 'private',
      answers: { 200: { description: 'The process answers.', schema: health } },
      handle: () => ({ data: { status: 'ok' } }),
    }),

    route({
      method: 'GET',
      path: '/readyz',
      isOutside: true,
      name: 'isReady',
      guard: anyone,
      caching: 'private',
      answers: { 200: { description: 'Votes can be stored.', schema: ready } },
      async handle() {
        await readiness.check()
        return { data: { status: 'ok', instance } }
      },
    }),

    route({
      method: 'GET',
      path: '/openapi.json',
      isOutside: true,
      name: 'getOpenApi',
      guard: anyone,
      caching: 'own',
      answers: { 200: { description: 'The document.', contentType: 'application/json', schema: document, headers } },
      handle: openApiAnswer(),
    }),
  ]
}

function openApiAnswer() {
  let kept: Omit<Ready, 'changesAt'> | null = null
  return ({ now }: { now: number }): Reply => {
    if (!kept) {
      const body = openApiText()
      kept = { body, etag: etagOf(body), packed: new PackedText(body, 'best') }
    }
    return publicReply({ ...kept, changesAt: null }, now)
  }
}
