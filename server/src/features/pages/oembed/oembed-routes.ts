// features/pages/oembed: the frame of a page for editors that ask by oEmbed.

import { z } from 'zod'
import { formatNotSupported, notFound } from '../../../base/errors.ts'
import { etagOf, publicCaching } from '../../../http/answers/caching.ts'
import { anyone } from '../../../http/guard.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import type { FindSubjects } from '../find-subjects.ts'
import { type OEmbed, oEmbed, oEmbedXml, presentOEmbed, readPageAddress, thumbnailOf } from './oembed.ts'

const pixels = z.coerce.number().int().min(1).max(100_000).optional()
const PAGE = 'https://polls.example.com/p/Xk3_pQ9vZ2Lm'

const FORMATS: Readonly<Record<string, { type: string; write(values: OEmbed): string }>> = {
  json: { type: 'application/json', write: JSON.stringify },
  xml: { type: 'text/xml; charset=utf-8', write: oEmbedXml },
}

/** Unlisted pages can be shown by their address too. */
export const oEmbedRoutes = ({ config: { publicUrl } }: Pick<Deps, 'config'>, find: FindSubjects): Route[] => [
  route({
    method: 'GET',
    path: '/oembed',
    isOutside: true,
    name: 'getOEmbed',
    tag: 'Embeds',
    summary: 'The embed of a page, as oEmbed 1.0',
    description:
      'For programs that turn a link into an embed. `url` is a page of this service; its appearance parameters are kept. As oEmbed requires, the answer has no envelope; with `format=xml` it is XML.',
    guard: anyone,
    caching: 'own',
    query: z.object({
      url: z
        .url()
        .max(2_048)
        .meta({ description: 'The address of a page of this service.', examples: [PAGE] }),
      format: z.string().min(1).max(16).default('json').describe('`json` or `xml`.'),
      maxwidth: pixels.describe('The maximum width in pixels.'),
      maxheight: pixels.describe('The maximum height in pixels.'),
    }),
    answers: {
      200: {
        description: 'A frame.',
        contentType: 'application/json',
        schema: oEmbed,
        otherTypes: ['text/xml'],
        headers: { always: ['ETag'] },
      },
    },
    errors: ['NOT_FOUND', 'FORMAT_NOT_SUPPORTED'],
    async handle({ query: { url, format, ...bounds }, now }) {
      const written = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
      if (!written) throw formatNotSupported(Object.keys(FORMATS))
      const address = readPageAddress(url, publicUrl)
      const findIt = address && { p: find.poll, c: find.campaign, b: find.feed }[address.kind]
      const found = await findIt?.(address?.reference ?? '', now)
      if (!found || !address) throw notFound()
      const { looks } = address
      const subject = found.subject({})
      const values = { ...presentOEmbed(subject, { ...bounds, publicUrl, looks }), ...thumbnailOf(subject, bounds) }
      const body = written.write(values)
      const headers = {
        'Content-Type': written.type,
        ETag: etagOf(body),
        ...publicCaching(now, found),
      }
      return { status: 200, body, headers }
    },
  }),
]
