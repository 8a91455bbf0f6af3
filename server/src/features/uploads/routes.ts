import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { anyone } from '../../http/guard.ts'
import { unlessKnown } from '../../http/reply.ts'
import { type Route, route } from '../../http/route.ts'
import { contentTypeOf, isFileKey } from './files.ts'

const YEAR_SECONDS = 31_536_000

export const uploadRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/files/{key}',
    isOutside: true,
    name: 'getFile',
    summary: 'A picture, under an address whose content never changes',
    guard: anyone,
    caching: 'own',
    params: z.object({ key: z.string() }),
    answers: { 200: { description: 'The picture.', contentType: 'image/*' } },
    errors: ['NOT_FOUND'],
    async handle({ incoming, params: { key } }) {
      const file = isFileKey(key) ? await deps.files.read(key) : null
      if (!file) throw notFound()
      return unlessKnown(incoming, {
        status: 200,
        body: file,
        headers: {
          'Content-Type': contentTypeOf(key),
          'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
          'Cross-Origin-Resource-Policy': 'cross-origin',
          ETag: `"${key}"`,
        },
      })
    },
  }),
]
