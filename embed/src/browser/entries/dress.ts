// `/embed/parts/dress.js`: what a theme looks like. It comes beside the stylesheet of the polls.
import type { ThemeView } from '../../poll-view.ts'
import { type Dress, themeStyles } from '../../theme/theme-styles.ts'
import { typefaceStyles } from '../../theme/typeface.ts'
import { addressOf } from '../address-of.ts'
import { followHost, leaveHost } from '../host/follow-host.ts'

let isShown = false

/** Browsers read no font of a shadow root, so it becomes one of the page. A page whose policy forbids it shows its fallback. */
function showTypeface(): void {
  if (isShown) return
  isShown = true
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(typefaceStyles(addressOf('')))
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}

/** The styles of a theme in an element, which takes from the page around it what the theme leaves to the page. */
export function dressOf(theme: Dress & Pick<ThemeView, 'colorScheme'>, element: HTMLElement): string {
  if (theme.fontStack === 'MANROPE') showTypeface()
  if (theme.colorScheme === 'HOST') followHost(element)
  else leaveHost(element)
  return themeStyles(theme, theme.fontStack === 'INHERIT' ? getComputedStyle(element).fontFamily : undefined)
}
