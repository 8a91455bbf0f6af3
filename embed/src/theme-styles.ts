import { type Palette, paletteOf } from './palette.ts'
import type { ThemeView } from './poll-view.ts'

const NAMES: Record<keyof Palette, string> = {
  card: '--tossup-card',
  text: '--tossup-text',
  muted: '--tossup-muted',
  line: '--tossup-line',
  accent: '--tossup-accent',
  onAccent: '--tossup-on-accent',
}

/** The colours of one theme. All else that a theme says stands in the attributes of the poll. */
export function themeStyles(colors: Pick<ThemeView, 'accent' | 'background' | 'foreground'>): string {
  const light = paletteOf(colors, 'light')
  const dark = paletteOf(colors, 'dark')
  const values = (Object.keys(NAMES) as (keyof Palette)[]).map(
    (name) => `${NAMES[name]}:light-dark(${light[name]},${dark[name]})`,
  )
  return `@layer tossup.theme{.tossup{${values.join(';')}}}`
}
