import { compactCss } from '../../../../embed/src/compact-css.ts'
import { html } from '../../../../embed/src/html.ts'
import { type Looks, renderOptionsOf } from '../../../../embed/src/looks.ts'
import around from '../../../../embed/src/styles/page.css' with { type: 'text' }
import { directionOf, wordsOf } from '../../../../embed/src/words.ts'
import { sourceHash } from './content-security-policy.ts'
import type { Page } from './page.ts'

/** The 404 page for people. A draft, a deleted poll and no poll at all look the same. */
export function missingPage(looks: Looks): Page {
  const { lang = 'en', scheme } = renderOptionsOf(looks)
  const { missing } = wordsOf(lang)
  const styles = compactCss(around)
  const root = html` lang="${lang}" dir="${directionOf(lang)}" data-scheme="${scheme}" data-kind="page"`
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${missing}</title><link rel="icon" href="data:,">`
  const start = `<!doctype html><html${root}><head>${head}<style>${styles}</style></head><body><main>${html`<h1 class="message">${missing}</h1>`}</main></body></html>`
  return { start, rest: '', styleHashes: [sourceHash(styles)], scriptHashes: [] }
}
