import { type Color, isDark, mix, opposite, readable } from './colors.ts'
import type { ThemeView } from './poll-view.ts'

export interface Palette {
  readonly card: Color
  readonly text: Color
  readonly muted: Color
  readonly line: Color
  readonly accent: Color
  readonly onAccent: Color
}

export type Scheme = 'light' | 'dark'

type Colors = Pick<ThemeView, 'accent' | 'background' | 'foreground'>

const CARDS: Record<Scheme, Color> = { light: '#ffffff', dark: '#1c1b1f' }
const TEXTS: Record<Scheme, Color> = { light: '#1d1b20', dark: '#f3eff7' }
const ACCENT: Color = '#4f46e5'

/** WCAG 2.2: the contrast of text, and of graphical parts. */
const TEXT_CONTRAST = 4.5
const PART_CONTRAST = 3
/** A text colour is used as a card only when it is nearly black or nearly white. */
const CARD_CONTRAST = 12

/** A brand's colours in one scheme, adjusted until the contrast is sufficient. */
export function paletteOf(theme: Colors, scheme: Scheme): Palette {
  const { card, text } = surfaceOf(theme, scheme)
  const accent = readable(theme.accent ?? ACCENT, card, PART_CONTRAST)
  return {
    card,
    text,
    muted: readable(mix(text, card, 0.3), card, TEXT_CONTRAST),
    line: mix(text, card, 0.8),
    accent,
    onAccent: opposite(accent),
  }
}

/** A brand chooses one pair of colours. In the other scheme card and text swap. */
function surfaceOf({ background, foreground }: Colors, scheme: Scheme): { card: Color; text: Color } {
  const card = background ?? CARDS[scheme]
  const text = readable(foreground ?? textOn(card), card, TEXT_CONTRAST)
  if (background === null || isDark(background) === (scheme === 'dark')) return { card, text }
  return { card: readable(text, card, CARD_CONTRAST), text: card }
}

const textOn = (card: Color): Color => TEXTS[isDark(card) ? 'dark' : 'light']
