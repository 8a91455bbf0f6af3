import { compactCss } from '../../../../embed/src/compact-css.ts'
import { html } from '../../../../embed/src/html.ts'
import { LOOKS, type Looks, renderOptionsOf, themeWith } from '../../../../embed/src/looks.ts'
import around from '../../../../embed/src/styles/page.css' with { type: 'text' }
import { elementStylesheet } from '../../../../embed/src/stylesheet.ts'
import { themeStyles } from '../../../../embed/src/theme-styles.ts'
import { directionOf, wordsOf } from '../../../../embed/src/words.ts'
import type { Page, PageKind, Subject } from './page.ts'
import { sourceHash } from './policy.ts'
import { SHARE_SCRIPT_HASH, shareRow } from './share-row.ts'
import { shareTags } from './share-tags.ts'

const pageStyles = compactCss(around)
const elementStyles = compactCss(elementStylesheet)
const commonHashes = [pageStyles, elementStyles].map(sourceHash)

interface Place {
  readonly kind: PageKind
  readonly publicUrl: string
}

/** The page is complete before any script runs; the script then adopts it. */
export function renderPage(subject: Subject, looks: Looks, { kind, publicUrl }: Place): Page {
  const { element, reference, inside, data } = subject
  const theme = themeWith(subject.theme, looks)
  const { lang = 'en', scheme } = renderOptionsOf(looks)
  const brandColors = themeStyles(theme)
  const brandStyles = theme.customCssUrl === null ? '' : html`<link rel="stylesheet" href="${theme.customCssUrl}">`
  const given = LOOKS.map((name) => typeof looks[name] === 'string' && html` ${name.toLowerCase()}="${looks[name]}"`)
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject.title}</title>${shareTags(subject, kind, publicUrl)}`
  const root = html` lang="${lang}" dir="${directionOf(lang)}" data-scheme="${scheme}" data-kind="${kind}"${kind === 'frame' && html` data-tossup-frame`}`
  const told = html` ${reference.name}="${reference.value}"${given}`
  // Polls have second-level headings.
  const isNamed = kind === 'page' && element === 'tossup-feed'
  const heading = html`<h1 class="${isNamed ? 'name' : 'spoken'}" dir="auto">${subject.brandName}</h1>`
  const isShared = kind === 'page' && element !== 'tossup-feed'
  const below = isShared ? shareRow(subject.address, lang) : ''
  const within = `<style>${elementStyles}</style><style>${brandColors}</style>${brandStyles}`
  const top = `<!doctype html><html${root}><head>${head}<style>${pageStyles}</style><script type="module" src="/embed.js"></script></head>`
  return {
    start: `${top}<body><main>${heading}<${element}${told}><template shadowrootmode="open">${within}<div class="inside">`,
    rest: `${inside}</div></template><script type="application/json">${inScript({ ...data, words: wordsOf(lang) })}</script></${element}></main>${below}</body></html>`,
    styleHashes: [...commonHashes, sourceHash(brandColors)],
    scriptHashes: isShared ? [SHARE_SCRIPT_HASH] : [],
  }
}

/** A script element ends at its first closing tag, even within a string. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')
