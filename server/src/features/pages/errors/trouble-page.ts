import { compactCss } from '../../../../../embed/src/compact-css.ts'
import { type Html, html } from '../../../../../embed/src/html.ts'
import { pagePaletteOf, paletteOf } from '../../../../../embed/src/palette.ts'
import { directionOf } from '../../../../../embed/src/words.ts'
import type { PageKind } from '../page.ts'
import look from './trouble-page.css' with { type: 'text' }

const LOOK = compactCss(look)

interface TroublePage {
  readonly status: number
  /** One sentence on what happened and one on what to do. */
  readonly words: readonly [happened: string, advice: string]
  /** How long to wait, if known. */
  readonly wait?: Html | false
  /** The way on; a page in a frame has none. */
  readonly way: Html | null
  readonly lang: string
  readonly styles: string
  /** The kind and the colour scheme that the page's address asks for. */
  readonly place?: { readonly kind: PageKind; readonly scheme: string }
  readonly below?: Html
}

/** The colours of a brand without a theme, with the given accent if there is one. */
export function troubleStyles(accent: string | null): string {
  const theme = { accent, background: null, foreground: null }
  const inBoth = (['light', 'dark'] as const).map((scheme) => {
    const { text, card, accent: own, onAccent } = paletteOf(theme, scheme)
    const { ground, onGround, groundMuted } = pagePaletteOf(theme, scheme)
    return { ground, 'on-ground': onGround, muted: groundMuted, text, card, accent: own, 'on-accent': onAccent }
  })
  const [light = {}, dark = {}] = inBoth as Record<string, string>[]
  const values = Object.keys(light).map((name) => `--${name}:light-dark(${light[name]},${dark[name]})`)
  return `:root{${values.join(';')}}${LOOK}`
}

/** Most pages have no accent: their styles are computed once. */
export const PLAIN_STYLES = troubleStyles(null)

/** Draws the digits of the status as a poll. The heading explains the status. */
export function troublePage(page: TroublePage): string {
  const { status, words, wait, way, lang, styles, place, below } = page
  const [happened, advice] = words
  const [first, middle, last] = String(status)
  const asked = place && html` data-scheme="${place.scheme}" data-kind="${place.kind}"`
  const root = html` lang="${lang}" dir="${directionOf(lang)}"${asked}`
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${happened}</title><link rel="icon" href="data:,">`
  const digits = html`<p class="status" dir="ltr" aria-hidden="true"><b>${first}</b><b>${last}</b><i>${middle}</i></p>`
  const main = html`<main>${digits}<h1>${happened}</h1><p>${advice}</p>${wait}${way && html`<p>${way}</p>`}${below}</main>`
  return `<!doctype html><html${root}><head>${head}<style>${styles}</style></head><body>${main}</body></html>`
}
