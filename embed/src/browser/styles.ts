import type { Theme } from '../../../sdk/src/openapi.ts'
import waiting from '../styles/waiting.css' with { type: 'text' }
import { themeStyles } from '../theme-styles.ts'
import { addressOf } from './service.ts'

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
  const asked = fetch(url, { credentials: 'omit' }).then(async (response) => {
    if (!response.ok) throw new Error(`no stylesheet at ${url}`)
    return sheetOf(await response.text())
  })
  loading.set(url, asked)
  // The next caller tries again.
  asked.catch(() => loading.delete(url))
  return asked
}

/** The stylesheet of all polls. Hosted pages include it; elements load it. */
export const pollSheet = (): Promise<CSSStyleSheet> => sheetAt(addressOf('/embed/poll.css'))

/** Rules that apply before the poll is loaded. */
export const plainSheets = (): CSSStyleSheet[] => [sheetOf(waiting)]

/** A brand stylesheet that fails to load is left out: the poll works without it. */
export async function sheetsOf(theme: Theme): Promise<CSSStyleSheet[]> {
  const brand = theme.customCssUrl === null ? null : sheetAt(theme.customCssUrl).catch(() => null)
  const [poll, own] = await Promise.all([pollSheet(), brand])
  return [...plainSheets(), poll, sheetOf(themeStyles(theme)), ...(own ? [own] : [])]
}
