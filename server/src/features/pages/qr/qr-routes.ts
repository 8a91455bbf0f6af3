// features/pages/qr: QR codes of pages, as SVG, PNG and a page to print.

import { encode } from 'uqr'
import { z } from 'zod'
import { html } from '../../../../../embed/src/render/html.ts'
import { LANGS } from '../../../../../embed/src/words.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import type { Route } from '../../../http/route.ts'
import { askingOf } from '../asking.ts'
import { contentPolicy } from '../content-security-policy.ts'
import type { FindSubjects } from '../find-subjects.ts'
import { routesBesidePages } from '../routes-beside-pages.ts'
import { qrPage } from './qr-page.ts'
import { qrPng } from './qr-png.ts'

/** The smallest margin that the standard allows. */
const QUIET = 4
const SIDE = 320

const sizeUpTo = (most: number) => ({
  size: z.coerce.number().int().min(64).max(most).default(SIDE).describe('The length of a side, in pixels.'),
})

const headers = { always: ['ETag', 'Content-Security-Policy', 'Cross-Origin-Resource-Policy'] } as const

const codeOf = (address: string) => encode(address, { ecc: 'M', border: QUIET })

/** Draws `address` as a QR code: each run of dark modules is one stroke. */
function qrSvg(address: string, side: number): string {
  const { size, data } = codeOf(address)
  const strokes = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => {
      if (!isDark || row[x - 1]) return []
      const end = row.indexOf(false, x)
      return `M${x} ${y}h${(end === -1 ? size : end) - x}v1H${x}z`
    }),
  )
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${strokes.join('')}"/></svg>`.toString()
}

/** The address of a page never changes, but the page may be deleted. */
const LASTING = { 'Cache-Control': 'public, max-age=86400', 'Cross-Origin-Resource-Policy': 'cross-origin' }

/** A page holds a code only while it exists, so that no printed code leads to a missing page. */
const MISSING = 'The code contains the URL of the page. For a missing page the answer is 404.'

export const qrRoutes = (find: FindSubjects, origins: readonly string[]): Route[] => [
  ...routesBesidePages(find, {
    file: 'qr.svg',
    name: 'Code',
    tag: 'Pages',
    description: MISSING,
    summaries: {
      poll: "A QR code of a poll's page",
      campaign: "A QR code of a campaign's page",
      brand: "A QR code of a brand's page",
    },
    query: z.object(sizeUpTo(4_096)),
    answer: { description: 'The code, dark on white, as an SVG.', contentType: 'image/svg+xml', headers },
    reply({ address }, { query: { size } }) {
      const body = qrSvg(address, size)
      const type = { 'Content-Type': 'image/svg+xml', 'Content-Security-Policy': "default-src 'none'" }
      return { status: 200, body, headers: { ...type, ...LASTING, ETag: etagOf(body) } }
    },
  }),
  ...routesBesidePages(find, {
    file: 'qr.png',
    name: 'CodePicture',
    tag: 'Pages',
    description: MISSING,
    summaries: {
      poll: "A QR code of a poll's page, as a PNG",
      campaign: "A QR code of a campaign's page, as a PNG",
      brand: "A QR code of a brand's page, as a PNG",
    },
    // Larger ones take the event loop too long.
    query: z.object(sizeUpTo(2_048)),
    answer: {
      description: 'The code, dark on white, as a PNG.',
      contentType: 'image/png',
      headers: { always: ['ETag', 'Cross-Origin-Resource-Policy'] },
    },
    reply({ address }, { query: { size } }) {
      const body = new Uint8Array(qrPng(codeOf(address).data, size))
      return { status: 200, body, headers: { 'Content-Type': 'image/png', ...LASTING, ETag: etagOf(body) } }
    },
  }),
  ...routesBesidePages(find, {
    file: 'qr',
    name: 'CodePage',
    tag: 'Pages',
    description: `HTML with the code, to print or to download as SVG or PNG. ${MISSING}`,
    summaries: {
      poll: "A poll's QR code on a page of its own",
      campaign: "A campaign's QR code on a page of its own",
      brand: "A brand's QR code on a page of its own",
    },
    query: z.object({
      lang: z
        .enum(LANGS)
        .optional()
        .meta({ description: "The language of the page; by default the browser's.", examples: ['de'] }),
    }),
    answer: {
      description: 'The page.',
      contentType: 'text/html',
      headers: { always: ['ETag', 'Content-Security-Policy'] },
    },
    reply(found, { incoming }) {
      const { looks, vary } = askingOf(incoming)
      const { text, ...page } = qrPage(found.subject(looks), looks)
      const headers = {
        'Content-Type': 'text/html; charset=utf-8',
        ...vary,
        ETag: etagOf(text),
        'Cache-Control': 'public, max-age=0, s-maxage=2',
        'Content-Security-Policy': contentPolicy({ ...page, origins, frameAncestors: ["'self'"] }),
      }
      return { status: 200, body: text, headers }
    },
  }),
]
