import type { Theme } from '../../../sdk/src/openapi.ts'
import waiting from '../styles/waiting.css' with { type: 'text' }
import { themeStyles } from '../theme-styles.ts'
import { addressOf } from './service.ts'

/** Sheets that a script makes are the script's own: the policy of a page need not allow inline styles for them. */
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
  // Whoever needs it next asks again.
  asked.catch(() => loading.delete(url))
  return asked
}

/** What every poll looks like. A page that the server made has it already, and no script carries it along. */
export const pollSheet = (): Promise<CSSStyleSheet> => sheetAt(addressOf('/embed/poll.css'))

/** What is there at once, before a poll is known. */
export const plainSheets = (): CSSStyleSheet[] => [sheetOf(waiting)]

/** Without a brand's own stylesheet a poll is still a poll: one that does not come is left out. */
export async function sheetsOf(theme: Theme): Promise<CSSStyleSheet[]> {
  const brand = theme.customCssUrl === null ? null : sheetAt(theme.customCssUrl).catch(() => null)
  const [poll, own] = await Promise.all([pollSheet(), brand])
  return [...plainSheets(), poll, sheetOf(themeStyles(theme)), ...(own ? [own] : [])]
}
