import { html } from '../../../../../embed/src/render/html.ts'
import around from '../../../../../embed/src/styles/page.css' with { type: 'text' }
import code from '../../../../../embed/src/styles/qr-page.css' with { type: 'text' }
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'
import { type Looks, renderOptionsOf, themeWith } from '../../../../../embed/src/theme/looks.ts'
import { pageThemeStyles } from '../../../../../embed/src/theme/theme-styles.ts'
import { directionOf, wordsOf } from '../../../../../embed/src/words.ts'
import { sourceHash } from '../content-security-policy.ts'
import type { Page, Subject } from '../page.ts'

const styles = compactCss(around + code)
const SCRIPT = `{
const print = document.currentScript.previousElementSibling
print.hidden = false
print.onclick = () => window.print()
}`

/** Side of the downloadable files, in pixels: large enough for an A3 poster. */
const SIDE = 2_048

/** A code with its title, to print or to download. Printed it is a poster: without buttons, with the address in words. */
export function qrPage({ title, brandName, address, theme }: Subject, looks: Looks): Page {
  const { lang = 'en', scheme } = renderOptionsOf(looks)
  const { qrCode, print, download } = wordsOf(lang)
  const { pathname, host } = new URL(address)
  const themed = pageThemeStyles(themeWith(theme, looks))
  const root = html` lang="${lang}" dir="${directionOf(lang)}" data-scheme="${scheme}" data-kind="page"`
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${qrCode}: ${title}</title><link rel="icon" href="data:,">`
  const file = (kind: 'svg' | 'png') =>
    html`<a href="${pathname}/qr.${kind}?size=${SIDE}" download="qr${pathname.replaceAll('/', '-')}.${kind}">${download.replace('#', () => kind.toUpperCase())}</a>`
  const main = html`<main class="code"><p class="of" dir="auto">${brandName}</p><h1 dir="auto">${title}</h1><img src="${pathname}/qr.svg" width="320" height="320" alt="${qrCode}: ${address}"><p><a class="to" href="${pathname}" dir="ltr">${host + pathname}</a></p>`
  const ways = html`<p class="ways"><button type="button" hidden>${print}</button>`
  return {
    text: `<!doctype html><html${root}><head>${head}<style>${styles}</style><style>${themed}</style></head><body>${main}${ways}<script>${SCRIPT}</script>${file('svg')}${file('png')}</p></main></body></html>`,
    styleHashes: [styles, themed].map(sourceHash),
    scriptHashes: [sourceHash(SCRIPT)],
  }
}
