// features/pages/qr: QR codes of pages, as SVG, PNG and a page to print.

import { encode } from 'uqr'
import { z } from 'zod'
import { html } from '../../../../../embed/src/render/html.ts'
import { qrPath } from '../../../../../embed/src/render/qr-path.ts'
import around from '../../../../../embed/src/styles/page.css' with { type: 'text' }
import code from '../../../../../embed/src/styles/qr-page.css' with { type: 'text' }
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'
import { type Looks, renderOptionsOf, schemeOf, themeWith } from '../../../../../embed/src/theme/looks.ts'
import { pageThemeStyles } from '../../../../../embed/src/theme/theme-styles.ts'
import { directionOf, LANGS, wordsOf } from '../../../../../embed/src/words.ts'
import { sourceNameText } from '../../../events/resources/source-name.ts'
import { pngOf } from '../../../files/pictures/png.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import type { Route } from '../../../http/route.ts'
import type { FindSubjects } from '../find-subjects.ts'
import { askingOf, contentPolicy, type Page, type Subject, sourceHash } from '../page.ts'
import { routesBesidePages } from '../routes-beside-pages.ts'

/** The smallest margin that the standard allows. */
const QUIET = 4
const SIDE = 320

const sizeUpTo = (most: number) => ({
  size: z.coerce.number().int().min(64).max(most).default(SIDE).describe('The length of a side, in pixels.'),
})

/** The code of a place: a scan counts there. */
const sourceOfCode = {
  source: sourceNameText.optional().describe('The source that the code carries.'),
}

const withSource = (address: string, source: string | undefined): string =>
  source === undefined ? address : `${address}?source=${source}`

const headers = { always: ['ETag', 'Content-Security-Policy', 'Cross-Origin-Resource-Policy'] } as const

const codeOf = (address: string) => encode(address, { ecc: 'M', border: QUIET })

function qrSvg(address: string, side: number): string {
  const { size, data } = codeOf(address)
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${qrPath(data)}"/></svg>`.toString()
}

const ONE_BIT_GREY = [1, 0, 0, 0, 0]

/**
 * Draws a code as a PNG of `side` pixels, one bit each. Modules are whole pixels, because blurred edges are harder to scan, and
 * the code is in the middle of what is left. At least one pixel for each module.
 */
function qrPng(modules: readonly (readonly boolean[])[], side: number): Buffer {
  const scale = Math.max(1, Math.floor(side / modules.length))
  const margin = Math.max(0, Math.floor((side - scale * modules.length) / 2))
  const stride = 1 + Math.ceil(side / 8)
  const white = Buffer.alloc(stride, 0xff).fill(0, 0, 1)
  const rows = modules.map((row) => {
    const line = Buffer.from(white)
    for (const [x, isDark] of row.entries()) {
      if (!isDark) continue
      for (let at = margin + x * scale; at < margin + (x + 1) * scale; at++) {
        const byte = 1 + (at >> 3)
        line[byte] = (line[byte] ?? 0) & ~(0x80 >> (at & 7))
      }
    }
    return line
  })
  const lines = Array.from({ length: side }, (_, y) => rows[Math.floor((y - margin) / scale)] ?? white)
  return pngOf({ width: side, height: side, kind: ONE_BIT_GREY, level: 1 }, Buffer.concat(lines))
}

const STYLES = compactCss(around + code)
const SCRIPT = `{
const print = document.currentScript.previousElementSibling
print.hidden = false
print.onclick = () => window.print()
}`

/** Side of the downloadable files, in pixels: large enough for an A3 poster. */
const POSTER_SIDE = 2_048

/** A code with its title, to print or to download. Printed it is a poster: without buttons, with the address in words. */
function qrPage({ title, brandName, address, theme: own }: Subject, looks: Looks): Page {
  const { lang = 'en' } = renderOptionsOf(looks)
  const { qrCode, print, download } = wordsOf(lang)
  const { pathname, host } = new URL(address)
  const theme = themeWith(own, looks)
  const themed = pageThemeStyles(theme)
  const root = html` lang="${lang}" dir="${directionOf(lang)}" data-scheme="${schemeOf(theme)}" data-kind="page"`
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${qrCode}: ${title}</title><link rel="icon" href="data:,">`
  const file = (kind: 'svg' | 'png') =>
    html`<a href="${pathname}/qr.${kind}?size=${POSTER_SIDE}" download="qr${pathname.replaceAll('/', '-')}.${kind}">${download.replace('#', () => kind.toUpperCase())}</a>`
  const main = html`<main class="code"><p class="of" dir="auto">${brandName}</p><h1 dir="auto">${title}</h1><img src="${pathname}/qr.svg" width="320" height="320" alt="${qrCode}: ${address}"><p><a class="to" href="${pathname}" dir="ltr">${host + pathname}</a></p>`
  const ways = html`<p class="ways"><button type="button" hidden>${print}</button>`
  return {
    text: `<!doctype html><html${root}><head>${head}<style>${STYLES}</style><style>${themed}</style></head><body>${main}${ways}<script>${SCRIPT}</script>${file('svg')}${file('png')}</p></main></body></html>`,
    styleHashes: [STYLES, themed].map(sourceHash),
    scriptHashes: [sourceHash(SCRIPT)],
  }
}

/** The address of a page never changes, but the page may be deleted. */
const LASTING = { 'Cache-Control': 'public, max-age=86400', 'Cross-Origin-Resource-Policy': 'cross-origin' }

/** A code contains the URL of its page. A page holds a code only while it exists, so that no printed code leads to a missing page. */
export const qrRoutes = (find: FindSubjects, origins: readonly string[]): Route[] => [
  ...routesBesidePages(find, {
    file: 'qr.svg',
    name: 'Code',
    query: z.object({ ...sizeUpTo(4_096), ...sourceOfCode }),
    answer: { description: 'The code, dark on white, as an SVG.', contentType: 'image/svg+xml', headers },
    reply({ address }, { query: { size, source } }) {
      const body = qrSvg(withSource(address, source), size)
      const type = { 'Content-Type': 'image/svg+xml', 'Content-Security-Policy': "default-src 'none'" }
      return { status: 200, body, headers: { ...type, ...LASTING, ETag: etagOf(body) } }
    },
  }),
  ...routesBesidePages(find, {
    file: 'qr.png',
    name: 'CodePicture',
    // Larger ones take the event loop too long.
    query: z.object({ ...sizeUpTo(2_048), ...sourceOfCode }),
    answer: {
      description: 'The code, dark on white, as a PNG.',
      contentType: 'image/png',
      headers: { always: ['ETag', 'Cross-Origin-Resource-Policy'] },
    },
    reply({ address }, { query: { size, source } }) {
      const body = new Uint8Array(qrPng(codeOf(withSource(address, source)).data, size))
      return { status: 200, body, headers: { 'Content-Type': 'image/png', ...LASTING, ETag: etagOf(body) } }
    },
  }),
  ...routesBesidePages(find, {
    file: 'qr',
    name: 'CodePage',
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
