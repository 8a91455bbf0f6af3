import '../../../../embed/src/all-languages.ts'
import { compactCss } from '../../../../embed/src/compact-css.ts'
import { html } from '../../../../embed/src/html.ts'
import { LOOKS, type Looks, renderOptionsOf, themeWith } from '../../../../embed/src/looks.ts'
import { renderInside } from '../../../../embed/src/render-inside.ts'
import frame from '../../../../embed/src/styles/frame.css' with { type: 'text' }
import page from '../../../../embed/src/styles/page.css' with { type: 'text' }
import { stylesheet, themeStyles } from '../../../../embed/src/stylesheet.ts'
import { directionOf } from '../../../../embed/src/words.ts'
import type { BrandedPoll, Page, PageKind } from './page.ts'
import { shareTags } from './share-tags.ts'

const pollStyles = compactCss(`${frame}${stylesheet}`)
const pageStyles = compactCss(page)

/** One poll, readable and in its shape before any script runs; the script then takes over what stands there. */
export function pollPage(poll: BrandedPoll, looks: Looks, kind: PageKind): Page {
  const theme = themeWith(poll.brand.theme, looks)
  const options = renderOptionsOf(looks)
  const lang = options.lang ?? 'en'
  const styles = [pageStyles, pollStyles, themeStyles(theme)]
  const [around = '', ...within] = styles.map((css) => `<style>${css}</style>`)
  const customCss = theme.customCssUrl === null ? '' : html`<link rel="stylesheet" href="${theme.customCssUrl}">`
  const attributes = LOOKS.map(
    (name) => typeof looks[name] === 'string' && html` ${name.toLowerCase()}="${looks[name]}"`,
  )
  const text = `${html`<!doctype html><html lang="${lang}" dir="${directionOf(lang)}" data-scheme="${options.scheme}" data-kind="${kind}"${
    kind === 'frame' && html` data-tossup-frame`
  }><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${poll.title}</title>${shareTags(
    poll,
    kind,
  )}`}${around}<script type="module" src="/embed.js"></script></head><body><main>${html`<tossup-poll poll="${poll.shortId}"${attributes}>`}<template shadowrootmode="open">${within.join('')}${customCss}<div class="inside">${renderInside(
    poll,
    theme,
    options,
  )}</div></template><script type="application/json">${inScript(poll)}</script></tossup-poll></main></body></html>`
  return { text, styles }
}

/** A script element ends at its first closing tag, wherever that stands. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')
