import { type Palette, paletteOf } from './palette.ts'
import type { ThemeView } from './poll-view.ts'

/** `--tossup-on-accent` for `onAccent`. */
const propertyOf = (name: string): string =>
  `--tossup-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** The colours of one theme. All other theme fields are attributes of the poll. */
export function themeStyles(colors: Pick<ThemeView, 'accent' | 'background' | 'foreground'>): string {
  const light = paletteOf(colors, 'light')
  const dark = paletteOf(colors, 'dark')
  const values = (Object.keys(light) as (keyof Palette)[]).map(
    (name) => `${propertyOf(name)}:light-dark(${light[name]},${dark[name]})`,
  )
  return `@layer tossup.theme{.tossup{${values.join(';')}}}`
}
