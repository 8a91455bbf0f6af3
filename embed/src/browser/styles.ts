import type { Theme } from '../../../sdk/src/openapi.ts'
import waiting from '../styles/waiting.css' with { type: 'text' }
import { loadDress } from './parts.ts'
import { addressOf, fetchFile } from './service.ts'

/** Constructed stylesheets need no `unsafe-inline` in the page's policy. */
const sheets = new Map<string, CSSStyleSheet>()

function sheetOf(css: string): CSSStyleSheet {
  let sheet = sheets.get(css)
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    sheets.set(css, sheet)
  }
  return sheet
}

const loading = new Map<string, Promise<CSSStyleSheet>>()

function sheetAt(url: string): Promise<CSSStyleSheet> {
  const known = loading.get(url)
  if (known !== undefined) return known
  const asked = fetchFile(url).then(async (response) => sheetOf(await response.text()))
  loading.set(url, asked)
  // The next caller tries again.
  asked.catch(() => loading.delete(url))
  return asked
}

/** The stylesheet of all polls. Hosted pages include it; elements load it. */
export const pollSheet = (): Promise<CSSStyleSheet> => sheetAt(addressOf('/embed/poll.css'))

/** Rules that apply before the poll is loaded. */
export const plainSheets = (): CSSStyleSheet[] => [sheetOf(waiting)]

/** Parts of a brand's look that fail to load are left out: the poll works in the default colours. */
export async function sheetsOf(theme: Theme): Promise<CSSStyleSheet[]> {
  const brand = theme.customCssUrl === null ? null : sheetAt(theme.customCssUrl).catch(() => null)
  const [poll, own, dress] = await Promise.all([pollSheet(), brand, loadDress()])
  if (theme.fontStack === 'MANROPE') dress?.showTypeface()
  return [...plainSheets(), poll, ...(dress ? [sheetOf(dress.themeStyles(theme))] : []), ...(own ? [own] : [])]
}
