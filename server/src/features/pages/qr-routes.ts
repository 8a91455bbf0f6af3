import { encode } from 'uqr'
import { z } from 'zod'
import { html } from '../../../../embed/src/html.ts'
import { notFound } from '../../base/errors.ts'
import { etagOf } from '../../http/caching.ts'
import { anyone } from '../../http/guard.ts'
import type { Incoming } from '../../http/incoming.ts'
import { type Reply, unlessKnown } from '../../http/reply.ts'
import { type Route, route } from '../../http/route.ts'
import { brandParams } from '../brands/schema.ts'
import { campaignParams } from '../campaigns/schema.ts'
import { pollParams } from '../polls/schema.ts'
import type { Find, FindSubjects } from './find-subjects.ts'

/** As light a margin as the standard asks for. */
const QUIET = 4
const SIDE = 320

const query = z.object({ size: z.coerce.number().int().min(64).max(4_096).default(SIDE) })
const answers = { 200: { description: 'The code, dark on white, as an SVG.', contentType: 'image/svg+xml' } }
const common = {
  method: 'GET',
  isOutside: true,
  guard: anyone,
  caching: 'own',
  query,
  answers,
  errors: ['NOT_FOUND'],
} as const

/** Says `address` in squares: a row of dark ones is one stroke. */
function qrSvg(address: string, side: number): string {
  const { size, data } = encode(address, { ecc: 'M', border: QUIET })
  const strokes = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => {
      if (!isDark || row[x - 1]) return []
      const end = row.indexOf(false, x)
      return `M${x} ${y}h${(end === -1 ? size : end) - x}v1H${x}z`
    }),
  )
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${strokes.join('')}"/></svg>`.toString()
}

export function qrRoutes(find: FindSubjects): Route[] {
  interface Asked {
    readonly incoming: Incoming
    readonly query: z.output<typeof query>
    readonly now: number
  }

  async function reply(findIt: Find, reference: string, { incoming, query: { size }, now }: Asked): Promise<Reply> {
    const found = await findIt(reference, now)
    if (!found) throw notFound()
    const body = qrSvg(found.address, size)
    const headers = {
      'Content-Type': 'image/svg+xml',
      ETag: etagOf(body),
      // The address of a page never changes; the page may go.
      'Cache-Control': 'public, max-age=86400',
      'Content-Security-Policy': "default-src 'none'",
      'Cross-Origin-Resource-Policy': 'cross-origin',
    }
    return unlessKnown(incoming, { status: 200, body, headers })
  }

  return [
    route({
      ...common,
      path: '/p/{slug}/qr.svg',
      name: 'getPollCode',
      summary: "A QR code of a poll's page",
      params: pollParams,
      handle: ({ params, ...asked }) => reply(find.poll, params.slug, asked),
    }),
    route({
      ...common,
      path: '/c/{campaignId}/qr.svg',
      name: 'getCampaignCode',
      summary: "A QR code of a campaign's page",
      params: campaignParams,
      handle: ({ params, ...asked }) => reply(find.campaign, params.campaignId, asked),
    }),
    route({
      ...common,
      path: '/b/{brandSlug}/qr.svg',
      name: 'getBrandCode',
      summary: "A QR code of a brand's page",
      params: brandParams,
      handle: ({ params, ...asked }) => reply(find.feed, params.brandSlug, asked),
    }),
  ]
}
