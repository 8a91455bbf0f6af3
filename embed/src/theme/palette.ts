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
  /** Around all that has the accent: the accent itself where it stands out from the card, else a tone of it that does. */
  readonly edge: Color
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

/** A brand's colours in one scheme. Its accent stays as it is; the others are adjusted until the contrast is sufficient. */
export function paletteOf(theme: Colors, scheme: Scheme): Palette {
  const { card, text: wished } = surfaceOf(theme, scheme)
  const target = opposite(card)
  const choice = filling(card, target, 0.06)
  const text = readableOn(wished, [card, choice], { ratio: TEXT_CONTRAST, target })
  const accent = theme.accent ?? ACCENT
  const fill = fillOf(accent, scheme)
  const chosen = chosenOf(accent, scheme)
  return {
    card,
    text,
    muted: readable(mix(text, card, 0.3), card, TEXT_CONTRAST),
    line: mix(text, card, 0.8),
    accent,
    onAccent: opposite(accent),
    edge: readable(accent, card, PART_CONTRAST),
    choice,
    fill,
    chosen,
    onFill: readableOn(text, [fill, chosen, REST[scheme]], { ratio: TEXT_CONTRAST, target }),
  }
}

/** The ground beside a bar; integrity.css paints it, at most a trace of a hue away from this. */
const REST: Record<Scheme, Color> = { light: '#f3f3f3', dark: '#272727' }

/** The bar of the other choice: a quiet tone of the accent, which looks no less switched on. */
const fillOf = (accent: Color, scheme: Scheme): Color => {
  const { c, h } = oklchOf(accent)
  return colorOf({ l: scheme === 'light' ? 0.845 : 0.44, c: Math.min(c * 0.2, 0.04), h: hueOf(h, scheme) })
}

/**
 * The bar of the own choice, or of the winner: the accent, as far as letters and the rest of the bar leave it room. Where the
 * accent has no hue that would tell both bars apart, the lightness does.
 */
function chosenOf(accent: Color, scheme: Scheme): Color {
  const { l, c, h } = oklchOf(accent)
  const [least, most] = CHOSEN_LIGHTNESS[scheme]
  const lightness = scheme === 'light' ? l * 0.5 + 0.45 : l * 0.35 + 0.32
  const bounded = Math.min(most, Math.max(least, lightness))
  const lit = c < LEAST_HUE ? GRAY_CHOSEN[scheme] : bounded
  return colorOf({ l: lit, c: scheme === 'light' ? c : Math.min(c, 0.16), h: hueOf(h, scheme) })
}

/** Yellow in the dark is olive to the eye, and amber looks like yellow in the shade. */
const hueOf = (h: number, scheme: Scheme): number => (scheme === 'dark' && h > AMBER && h < LIME ? AMBER : h)
const AMBER = 1.4
const LIME = 2.05

const CHOSEN_LIGHTNESS: Record<Scheme, readonly [number, number]> = { light: [0.7, 0.855], dark: [0.5, 0.54] }
const LEAST_HUE = 0.05
const GRAY_CHOSEN: Record<Scheme, number> = { light: 0.7, dark: 0.55 }

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
