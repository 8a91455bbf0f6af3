// features/uploads: tickets for uploads, the pictures they bring, and the files that are served.
// Imports features: tokens.
// No file can be read before the transaction that adds its row.

import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { isNotModified } from '../../http/caching.ts'
import { anyone } from '../../http/guard.ts'
import { refuseUnsatisfiableRange } from '../../http/range.ts'
import { type Route, route } from '../../http/route.ts'
import { contentTypeOf, isFileKey } from '../../storage/file-keys.ts'
import { createReceiver } from './receive-upload.ts'
import { uploadedFile } from './schema.ts'
import { ASSET_TYPES, POLL_TYPES } from './slots.ts'

const fileKeyParam = { description: 'The name of the file.', examples: ['q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mB.png'] }

const YEAR_SECONDS = 31_536_000
/** An SVG opened in a tab is a document: its policy lets it run and load nothing. */
const SVG_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

export const uploadRoutes = (deps: Deps): Route[] => {
  const receive = createReceiver(deps)
  return [
    route({
      method: 'PUT',
      path: '/uploads/{key}',
      isOutside: true,
      name: 'uploadFile',
      summary: 'Upload the bytes that a ticket is for. The ticket is the credential; an answer 503 leaves it as it was',
      guard: anyone,
      caching: 'private',
      params: z.object({
        key: z.string().refine(isFileKey, { error: 'The key of a ticket.' }).meta(fileKeyParam),
      }),
      query: z.object({
        signature: z
          .string()
          .regex(/^[A-Za-z0-9_-]{43}$/)
          .meta({
            description: 'What makes the ticket valid. It is a part of `uploadUrl`.',
            examples: ['3sM0Xy7Qd1fKbZ9LrT5wVnC2eHgJ8aUoPiYk4tRxB6E'],
          }),
      }),
      takes: [...new Set([...POLL_TYPES, ...ASSET_TYPES])],
      answers: { 200: { description: 'The picture can now be shown under its publicUrl.', schema: uploadedFile } },
      errors: ['NOT_FOUND'],
      async handle({ incoming: { request }, params: { key }, query: { signature } }) {
        return { data: await receive(request, { key, signature }) }
      },
    }),

    route({
      method: 'GET',
      path: '/files/{key}',
      isOutside: true,
      name: 'getFile',
      summary: 'A picture, under an address whose content never changes',
      guard: anyone,
      caching: 'own',
      params: z.object({ key: z.string().meta(fileKeyParam) }),
      answers: {
        200: { description: 'The picture.', contentType: 'image/*' },
        206: {
          description:
            'The part that Range asks for, where files lie on the disk; several parts are sent as the whole.',
          contentType: 'image/*',
        },
      },
      errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
      async handle({ incoming: { request }, params: { key } }) {
        if (!isFileKey(key)) throw notFound()
        const headers = fileHeaders(deps, key)
        const isKnown = isNotModified(request, headers.ETag)
        if (isKnown || request.method === 'HEAD') {
          const size = await deps.files.sizeOf(key)
          if (size === null) throw notFound()
          if (isKnown) return { status: 304, body: null, headers }
          return { status: 200, body: null, headers: { ...headers, 'Content-Length': String(size) } }
        }
        const file = await deps.files.read(key)
        if (!file) throw notFound()
        const body = file.body()
        // A stream from S3 is always sent whole.
        if (body instanceof Blob) {
          refuseUnsatisfiableRange(request, { size: file.size, etag: headers.ETag })
        }
        return { status: 200, body, headers }
      },
    }),
  ]
}

function fileHeaders({ config }: Pick<Deps, 'config'>, key: string) {
  const contentType = contentTypeOf(key)
  const isSvg = contentType === 'image/svg+xml'
  return {
    'Content-Type': contentType,
    'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: `"${key}"`,
    ...(isSvg ? { 'Content-Security-Policy': SVG_POLICY } : {}),
    // A CDN may drop the policy header.
    ...(isSvg && config.filesUrl ? { 'Content-Disposition': 'attachment' } : {}),
  }
}
