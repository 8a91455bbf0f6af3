import frame from '../styles/frame.css' with { type: 'text' }
import { stylesheet, themeStyles } from '../stylesheet.ts'
import type { ServedTheme } from './service.ts'

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

const brandSheets = new Map<string, Promise<CSSStyleSheet | null>>()

/** Without it a poll is still a poll: a brand's stylesheet that does not come is left out. */
function brandSheet(url: string): Promise<CSSStyleSheet | null> {
  let loading = brandSheets.get(url)
  if (!loading) {
    loading = fetch(url, { credentials: 'omit' })
      .then(async (response) => (response.ok ? sheetOf(await response.text()) : null))
      .catch(() => {
        brandSheets.delete(url)
        return null
      })
    brandSheets.set(url, loading)
  }
  return loading
}

/** What is there at once, before a poll is known. */
export const plainSheets = (): CSSStyleSheet[] => [sheetOf(frame), sheetOf(stylesheet)]

export async function sheetsOf(theme: ServedTheme): Promise<CSSStyleSheet[]> {
  const brand = theme.customCssUrl === null ? null : await brandSheet(theme.customCssUrl)
  return [...plainSheets(), sheetOf(themeStyles(theme)), ...(brand ? [brand] : [])]
}
