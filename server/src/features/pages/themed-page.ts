import { type Html, html } from '../../../../embed/src/render/html.ts'
import { isWebAddress } from '../../../../embed/src/render/picture.ts'
import { schemeOf } from '../../../../embed/src/theme/looks.ts'
import { pageThemeStyles, themeStyles } from '../../../../embed/src/theme/theme-styles.ts'
import { typefaceStyles } from '../../../../embed/src/theme/typeface.ts'
import { directionOf, type Lang } from '../../../../embed/src/words.ts'
import type { Theme } from '../../events/resources/theme.ts'
import { type Page, sourceHash } from './page.ts'

const TYPEFACE = typefaceStyles('')

interface ThemedPage {
  readonly theme: Theme
  readonly lang: Lang
  readonly sheet: string
  readonly title: string
  /** Beside the metadata of every such page. */
  readonly head?: Html
  /** Attributes of the root. */
  readonly root?: Html
  readonly body: string
  readonly scriptHashes?: readonly string[]
}

/** A document in the looks of a brand that no search engine lists: it shows what another page shows to visitors. */
export function themedPage({ theme, lang, sheet, title, head, root, body, scriptHashes = [] }: ThemedPage): Page {
  const typeface = theme.fontStack === 'MANROPE' ? [TYPEFACE] : []
  const worn = [sheet, pageThemeStyles(theme), themeStyles(theme), ...typeface].filter(Boolean)
  const icon = isWebAddress(theme.faviconUrl) ? theme.faviconUrl : 'data:,'
  const attributes = html` lang="${lang}" dir="${directionOf(lang)}" data-scheme="${schemeOf(theme)}"${root}`
  const first = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><link rel="icon" href="${icon}">${head}`
  return {
    text: `<!doctype html><html${attributes}><head>${first}${worn.map((css) => `<style>${css}</style>`).join('')}</head>${body}</html>`,
    styleHashes: worn.map(sourceHash),
    scriptHashes,
  }
}

/** The data of a page for the script that brings it to life, and that script. */
export const scriptWith = (given: object, address: string): string =>
  `<script type="application/json" id="given">${inScript(JSON.stringify(given))}</script><script type="module" src="${address}"></script>`

/** A script element ends at its first closing tag, even within a string. */
export const inScript = (json: string): string => json.replaceAll('<', '\\u003c')
