import type { ThemeView } from '../poll-view.ts'
import { type Colors, type PagePalette, type Palette, pagePaletteOf, paletteOf, type Scheme } from './palette.ts'
import { FONT_FAMILIES } from './typeface.ts'

/** Theme fields that are values; all others are attributes of the poll. */
export type Dress = Colors & Pick<ThemeView, 'fontStack'>

/** `--tossup-on-accent` for `onAccent`. */
const propertyOf = (name: string): string =>
  `--tossup-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

function inBoth<Colored extends Palette | PagePalette>(palette: (scheme: Scheme) => Colored): string {
  const [light, dark] = [palette('light'), palette('dark')]
  return (Object.keys(light) as (keyof Colored & string)[])
    .map((name) => `${propertyOf(name)}:light-dark(${String(light[name])},${String(dark[name])})`)
    .join(';')
}

/** The colours and the font of one theme, for what is in the root of an element. */
export const themeStyles = (theme: Dress, fontFamily = FONT_FAMILIES[theme.fontStack]): string =>
  `@layer tossup.theme{:host,.tossup{${inBoth((scheme) => paletteOf(theme, scheme))};--tossup-font:${fontFamily}}}`

/** The same for a page around its elements. */
export const pageThemeStyles = (theme: Dress): string =>
  `:root{${inBoth((scheme) => pagePaletteOf(theme, scheme))};--tossup-font:${FONT_FAMILIES[theme.fontStack]}}`
