/** Constructed, which the policy of the page allows. */
export function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  return sheet
}

/** Styles of one page, which come with its script: the first load has those that all pages share. */
export const addStyles = (css: string): void => void document.adoptedStyleSheets.push(sheetOf(css))
