import { encode } from 'uqr'
import { z } from 'zod'
import { html } from '../../../../embed/src/html.ts'
import { etagOf } from '../../http/caching.ts'
import type { Route } from '../../http/route.ts'
import type { FindSubjects } from './find-subjects.ts'
import { routesBesidePages } from './routes-beside-pages.ts'

/** The smallest margin that the standard allows. */
const QUIET = 4
const SIDE = 320

const query = z.object({
  size: z.coerce.number().int().min(64).max(4_096).default(SIDE).describe('The length of a side, in pixels.'),
})

/** Draws `address` as a QR code: each run of dark modules is one stroke. */
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

export const qrRoutes = (find: FindSubjects): Route[] =>
  routesBesidePages(find, {
    file: 'qr.svg',
    name: 'Code',
    summaries: {
      poll: "A QR code of a poll's page",
      campaign: "A QR code of a campaign's page",
      brand: "A QR code of a brand's page",
    },
    query,
    answer: { description: 'The code, dark on white, as an SVG.', contentType: 'image/svg+xml' },
    reply({ address }, { query: { size } }) {
      const body = qrSvg(address, size)
      const headers = {
        'Content-Type': 'image/svg+xml',
        ETag: etagOf(body),
        // The address of a page never changes, but the page may be deleted.
        'Cache-Control': 'public, max-age=86400',
        'Content-Security-Policy': "default-src 'none'",
        'Cross-Origin-Resource-Policy': 'cross-origin',
      }
      return { status: 200, body, headers }
    },
  })
