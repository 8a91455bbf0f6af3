import type { Theme } from '../../../sdk/src/openapi.ts'
import waiting from '../styles/waiting.css' with { type: 'text' }
import { addressOf } from './address-of.ts'
import { loadDress, startOnce } from './parts.ts'
import { fetchFile } from './service.ts'

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

const sheetAt = (url: string): Promise<CSSStyleSheet> =>
  startOnce(url, async () => sheetOf(await (await fetchFile(url)).text()))

/** The stylesheet of all polls. Hosted pages include it; elements load it. */
export const pollSheet = (): Promise<CSSStyleSheet> => sheetAt(addressOf('/embed/poll.css'))

/** Rules that apply before the poll is loaded. */
export const plainSheets = (): CSSStyleSheet[] => [sheetOf(waiting)]

/** Parts of a brand's look that fail to load are left out: the poll works in the default colours. */
export async function sheetsOf(theme: Theme, element: HTMLElement): Promise<CSSStyleSheet[]> {
  const brand = theme.customCssUrl === null ? null : sheetAt(theme.customCssUrl).catch(() => null)
  const [poll, own, dress] = await Promise.all([pollSheet(), brand, loadDress()])
  return [...plainSheets(), poll, ...(dress ? [sheetOf(dress.dressOf(theme, element))] : []), ...(own ? [own] : [])]
}
