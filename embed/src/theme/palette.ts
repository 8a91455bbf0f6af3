import type { ThemeView } from '../poll-view.ts'
import { contrast, isDark, mix, opposite, readable, readableOn } from './colors.ts'
import { blend, type Color, colorOf, oklchOf } from './oklch.ts'

/** The colours of a card. */
export interface Palette {
  readonly card: Color
  readonly text: Color
  readonly muted: Color
  readonly line: Color
  readonly accent: Color
  readonly onAccent: Color
  /** The ground of a choice that has no colour of its own. */
  readonly choice: Color
  /** The bar of a choice, and of the one that the visitor made, with the words on both. */
  readonly fill: Color
  readonly chosen: Color
  readonly onFill: Color
}

/** The colours of a page around its cards. */
export interface PagePalette {
  readonly ground: Color
  readonly onGround: Color
  readonly groundMuted: Color
}

export type Scheme = 'light' | 'dark'

export type Colors = Pick<ThemeView, 'accent' | 'background' | 'foreground'>

const WHITE: Color = '#ffffff'
const TEXTS: Record<Scheme, Color> = { light: '#1d1b20', dark: '#f3eff7' }
const ACCENT: Color = '#4f46e5'

/** WCAG 2.2: the contrast of text, and of graphical parts. */
const TEXT_CONTRAST = 4.5
const PART_CONTRAST = 3

/** A brand's colours in one scheme, adjusted until the contrast is sufficient. */
export function paletteOf(theme: Colors, scheme: Scheme): Palette {
  const { card, text: wished } = surfaceOf(theme, scheme)
  const target = opposite(card)
  const choice = filling(card, target, 0.06)
  const text = readableOn(wished, [card, choice], { ratio: TEXT_CONTRAST, target })
  const accent = readable(theme.accent ?? ACCENT, card, PART_CONTRAST)
  const fill = filling(card, text, scheme === 'light' ? 0.22 : 0.34)
  const chosen = filling(card, accent, scheme === 'light' ? 0.5 : 0.75)
  return {
    card,
    text,
    muted: readable(mix(text, card, 0.3), card, TEXT_CONTRAST),
    line: mix(text, card, 0.8),
    accent,
    onAccent: opposite(accent),
    choice,
    fill,
    chosen,
    onFill: readableOn(text, [fill, chosen], { ratio: TEXT_CONTRAST, target }),
  }
}

/** The ground lies a little below its cards, in their hue. */
export function pagePaletteOf(theme: Colors, scheme: Scheme): PagePalette {
  const { card, text } = paletteOf(theme, scheme)
  const { l, c, h } = oklchOf(card)
  const hue = c > GRAY ? h : oklchOf(seedOf(theme)).h
  const ground = colorOf({ l: l - (isDark(card) ? 0.05 : 0.03), c: Math.max(c, tintOf(theme, 0.008)), h: hue })
  const onGround = readable(text, ground, TEXT_CONTRAST)
  return { ground, onGround, groundMuted: readable(mix(onGround, ground, 0.3), ground, TEXT_CONTRAST) }
}

/** A brand chooses one pair of colours. The other scheme has the hue of its accent. */
function surfaceOf(theme: Colors, scheme: Scheme): { card: Color; text: Color } {
  const { background, foreground } = theme
  if (background !== null && isDark(background) === (scheme === 'dark')) {
    return { card: background, text: foreground ?? TEXTS[scheme] }
  }
  const { h } = oklchOf(seedOf(theme))
  const card = scheme === 'dark' ? colorOf({ l: 0.225, c: tintOf(theme, 0.02), h }) : WHITE
  if (background === null) return { card, text: foreground ?? TEXTS[scheme] }
  // The ground of a page can be the ink of its reverse, where it is nearly white or nearly black.
  const isInk = contrast(background, card) >= INK_CONTRAST
  return { card, text: isInk ? background : TEXTS[scheme] }
}

const INK_CONTRAST = 12
const GRAY = 0.004

/** A brand without an accent may have chosen a hue by its background. */
const seedOf = ({ accent, background }: Colors): Color => {
  if (accent === null && background !== null && oklchOf(background).c > GRAY) return background
  return accent ?? ACCENT
}

/** A gray accent tints nothing. */
const tintOf = (theme: Colors, most: number): number => Math.min(most, oklchOf(seedOf(theme)).c * 0.2)

const FILL_STEP = 0.05

/** So much of a colour on the card that black or white letters are still readable on it. */
function filling(card: Color, color: Color, most: number): Color {
  for (let amount = most; amount > 0; amount -= FILL_STEP) {
    const found = blend(card, color, amount)
    if (contrast(found, opposite(card)) >= TEXT_CONTRAST) return found
  }
  return card
}
