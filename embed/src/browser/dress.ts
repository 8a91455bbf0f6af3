// `/embed/parts/dress.js`: what a theme looks like. It comes beside the stylesheet of the polls.
import { typefaceStyles } from '../theme/typeface.ts'
import { addressOf } from './address-of.ts'

// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { themeStyles } from '../theme/theme-styles.ts'

let isShown = false

/** Browsers read no font of a shadow root, so it becomes one of the page. A page whose policy forbids it shows its fallback. */
export function showTypeface(): void {
  if (isShown) return
  isShown = true
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(typefaceStyles(addressOf('')))
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}
