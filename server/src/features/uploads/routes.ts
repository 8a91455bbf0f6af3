// features/uploads: tickets for uploads, the pictures they bring, and the files that are served.
// No file can be read before the transaction that adds its row.

import { z } from 'zod'
import { notFound, orNotFound } from '../../base/errors.ts'
import { contentTypeOf, isFileKey } from '../../files/file-keys.ts'
import { isNotModified, refuseUnsatisfiableRange } from '../../http/answers/caching.ts'
import { anyone, type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { brandSubject } from '../people/tokens/queries.ts'
import { ASSET_TYPES, POLL_TYPES } from './files.ts'
import { createReceiver, type MakeVariants } from './receive-upload.ts'
import { assetTicketBody, createTicket, ticket, uploadedFile } from './tickets.ts'

export const assetUploadRoutes = (deps: Deps): Route[] => [
  writeOnce({
    method: 'POST',
    path: '/brands/me/theme/assets/upload-url',
    name: 'createThemeAssetTicket',
    action: 'upload.requested',
    tag: 'Pictures',
    summary: 'Get a ticket to upload a logo or favicon',
    description:
      'Send the picture with `PUT` to `uploadUrl` within ten minutes, then set `publicUrl` on the theme. The ticket is valid for one upload of exactly `byteSize` bytes.',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    hasSecret: true,
    body: assetTicketBody,
    answers: { 200: { description: 'The ticket, valid for one upload within ten minutes.', schema: ticket } },
    handle: async ({ identity: { brandKey }, body }, tx) => ({
      data: await createTicket(deps, tx, { brandKey, ...body }),
      subject: await brandSubject(tx, brandKey),
    }),
  }),
]

const fileKeyParam = { description: 'The name of the file.', examples: ['q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mB.png'] }

const FILE_HEADERS = {
  always: ['ETag', 'Cross-Origin-Resource-Policy'],
  sometimes: ['Accept-Ranges', 'Content-Security-Policy', 'Content-Disposition'],
} as const

const YEAR_SECONDS = 31_536_000
/** An SVG opened in a tab is a document: its policy lets it run and load nothing. */
const SVG_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

export const uploadRoutes = (deps: Deps, makeVariants: MakeVariants): Route[] => {
  const receive = createReceiver(deps, makeVariants)
  return [
    route({
      method: 'PUT',
      path: '/uploads/{key}',
      isOutside: true,
      name: 'uploadFile',
      guard: anyone,
      caching: 'private',
      params: z.object({
        key: z.string().refine(isFileKey, { error: 'Must be the key of an upload ticket.' }).meta(fileKeyParam),
      }),
      query: z.object({
        signature: z
          .string()
          .regex(/^[A-Za-z0-9_-]{43}$/)
          .meta({
            description: 'The signature of the ticket, a part of `uploadUrl`.',
            examples: ['3sM0Xy7Qd1fKbZ9LrT5wVnC2eHgJ8aUoPiYk4tRxB6E'],
          }),
      }),
      takes: [...new Set([...POLL_TYPES, ...ASSET_TYPES])],
      answers: { 200: { description: 'Stored. The picture is now available at its publicUrl.', schema: uploadedFile } },
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
      guard: anyone,
      caching: 'own',
      params: z.object({ key: z.string().meta(fileKeyParam) }),
      headers: { Range: 'One part of the file, as `bytes=0-1023`.' },
      answers: {
        200: { description: 'The picture.', contentType: 'image/*', headers: FILE_HEADERS },
        206: {
          description:
            'The part that Range asks for, where files lie on the disk; several parts are sent as the whole.',
          contentType: 'image/*',
          headers: { ...FILE_HEADERS, always: [...FILE_HEADERS.always, 'Content-Range'] },
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
        const file = orNotFound(await deps.files.read(key))
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
