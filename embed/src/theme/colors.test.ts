import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { contrast, isDark, luminance, mix, opposite, readable } from './colors.ts'
import { blend, colorOf, oklchOf } from './oklch.ts'
import { type Colors, pagePaletteOf, paletteOf } from './palette.ts'

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

test.each([
  ['#000000', '#ffffff', 21],
  ['#ffffff', '#ffffff', 1],
  ['#777777', '#ffffff', 4.48],
  ['#0000ff', '#ffffff', 8.59],
  ['#ff0000', '#000000', 5.25],
] as const)('%s on %s has a contrast of %p', (one, other, ratio) => {
  expect(contrast(one, other)).toBeCloseTo(ratio, 2)
  expect(contrast(other, one)).toBe(contrast(one, other))
})

test('colours are mixed channel by channel', () => {
  expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080')
  expect(mix('#102030', '#ffffff', 0)).toBe('#102030')
  expect(mix('#102030', '#a0b0c0', 1)).toBe('#a0b0c0')
  expect(luminance('#ffffff')).toBeCloseTo(1, 5)
})

test('OKLCH is that of CSS, and goes back', () => {
  const { l, c, h } = oklchOf('#ff0000')
  expect([l.toFixed(3), c.toFixed(3), ((h * 180) / Math.PI).toFixed(1)]).toEqual(['0.628', '0.258', '29.2'])
  fc.assert(fc.property(color, (given) => expect(colorOf(oklchOf(given))).toBe(given)))
  expect(blend('#000000', '#ffffff', 0.5)).toBe('#636363')
  // A chroma that no screen shows becomes weaker, and keeps its lightness.
  expect(oklchOf(colorOf({ l: 0.8, c: 0.4, h: 1 })).l).toBeCloseTo(0.8, 2)
})

test('of black and white, the one with more contrast is chosen', () => {
  expect([opposite('#ffffff'), opposite('#000000'), opposite('#ffcc00')]).toEqual(['#000000', '#ffffff', '#000000'])
  expect([isDark('#1c1b1f'), isDark('#fafafa')]).toEqual([true, false])
})

test('a colour is changed only as far as its contrast needs', () => {
  expect(readable('#1d1b20', '#ffffff', 4.5)).toBe('#1d1b20')
  const changed = readable('#999999', '#ffffff', 4.5)
  expect(contrast(changed, '#ffffff')).toBeGreaterThanOrEqual(4.5)
  expect(contrast(changed, '#ffffff')).toBeLessThan(6)
})

describe('a palette', () => {
  const given = fc.option(color, { nil: null })

  const schemes = ['light', 'dark'] as const

  /** The ground beside a bar, as integrity.css computes it from the bar's color. */
  function restOf(bar: string, scheme: 'light' | 'dark'): string {
    const { l, c, h } = oklchOf(bar)
    const within = (least: number, value: number, most: number) => Math.min(most, Math.max(least, value))
    return scheme === 'light'
      ? colorOf({ l: within(0.45, (0.86 - l) * 999, 0.965), c: Math.min(c, 0.006), h })
      : colorOf({ l: within(0.27, (0.42 - l) * 999, 0.62), c: Math.min(c, 0.018), h })
  }

  function expectReadable(theme: Colors, scheme: 'light' | 'dark') {
    const palette = { ...paletteOf(theme, scheme), ...pagePaletteOf(theme, scheme) }
    const onto: [keyof typeof palette, keyof typeof palette, number][] = [
      ['text', 'card', 4.5],
      ['text', 'choice', 4.5],
      ['muted', 'card', 4.5],
      ['onAccent', 'accent', 4.5],
      ['onFill', 'fill', 4.5],
      ['onFill', 'chosen', 4.5],
      ['onGround', 'ground', 4.5],
      ['groundMuted', 'ground', 4.5],
      // Around an accent that the card swallows.
      ['edge', 'card', 3],
    ]
    for (const [front, back, ratio] of onto) {
      const reached = contrast(palette[front], palette[back])
      if (reached < ratio) throw new Error(`${front} on ${back}: ${reached} in ${scheme} of ${JSON.stringify(theme)}`)
    }
    for (const bar of [palette.fill, palette.chosen]) {
      const reached = contrast(palette.onFill, restOf(bar, scheme))
      if (reached < 4.5) throw new Error(`onFill beside ${bar}: ${reached} in ${scheme} of ${JSON.stringify(theme)}`)
    }
    expect(palette.accent).toBe(theme.accent ?? '#4f46e5')
    for (const value of Object.values(palette)) expect(value).toMatch(/^#[0-9a-f]{6}$/)
    return palette
  }

  test('is readable in both schemes with every color of a brand', () => {
    fc.assert(
      fc.property(given, given, given, fc.constantFrom(...schemes), (accent, background, foreground, scheme) => {
        expectReadable({ accent, background, foreground }, scheme)
      }),
      { numRuns: 2_000 },
    )
  })

  test('of an accent alone is readable for every hue, and its dark cards are dark, hardly tinted, and of that hue', () => {
    const parts = ['00', '33', '66', '99', 'cc', 'ff']
    for (const accent of parts.flatMap((red) =>
      parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)),
    )) {
      const theme = { accent, background: null, foreground: null }
      const light = expectReadable(theme, 'light')
      const dark = expectReadable(theme, 'dark')
      expect(light.card).toBe('#ffffff')
      const { l, c, h } = oklchOf(dark.card)
      expect(l).toBeLessThan(0.25)
      expect(c).toBeLessThan(0.025)
      const seed = oklchOf(accent)
      const apart = Math.abs(Math.atan2(Math.sin(h - seed.h), Math.cos(h - seed.h)))
      // Eight bits of a dark colour tell its hue only roughly.
      if (seed.c > 0.1) expect(apart).toBeLessThan(0.35)
    }
  })

  test('keeps the brand’s colours where they are readable, and swaps them in the other scheme', () => {
    const theme = { accent: '#c2410c', background: '#fff7ed', foreground: '#431407' }
    expect(paletteOf(theme, 'light')).toMatchObject({ card: '#fff7ed', text: '#431407', accent: '#c2410c' })
    const dark = paletteOf(theme, 'dark')
    expect(dark.text).toBe('#fff7ed')
    expect(isDark(dark.card)).toBe(true)
    // No brown of the text, but a dark tone of the accent.
    expect(oklchOf(dark.card).c).toBeLessThan(0.025)
    const night = { accent: null, background: '#0b1220', foreground: '#e2e8f0' }
    expect(paletteOf(night, 'dark')).toMatchObject({ card: '#0b1220', text: '#e2e8f0' })
    expect(paletteOf(night, 'light').text).toBe('#0b1220')
  })

  test('leaves a bright accent bright: a yellow is no olive, not in the bars of either scheme', () => {
    for (const accent of ['#ffd60a', '#ffff66', '#facc15', '#fde047']) {
      const theme = { accent, background: null, foreground: null }
      const light = paletteOf(theme, 'light')
      expect([light.accent, light.onAccent, light.edge === accent]).toEqual([accent, '#000000', false])
      const { l, c } = oklchOf(light.chosen)
      expect(l).toBeGreaterThan(0.8)
      expect(c).toBeGreaterThan(0.1)
      expect(paletteOf(theme, 'dark')).toMatchObject({ accent, edge: accent })
      // Amber: yellow in the shade.
      expect(oklchOf(paletteOf(theme, 'dark').chosen).h).toBeLessThan(1.45)
    }
  })

  test('tells the bar of the own choice from the other, with any accent', () => {
    for (const accent of ['#000000', '#ffffff', '#808080', '#e11d48', '#ffd60a', '#0a7d33', '#4f46e5', '#5eead4']) {
      for (const scheme of schemes) {
        const { fill, chosen } = paletteOf({ accent, background: null, foreground: null }, scheme)
        const [one, other] = [oklchOf(fill), oklchOf(chosen)]
        expect(Math.max(Math.abs(one.l - other.l), Math.abs(one.c - other.c))).toBeGreaterThan(0.055)
      }
    }
  })

  test('follows the scheme where a brand has set no colours', () => {
    const nothing = { accent: null, background: null, foreground: null }
    expect(isDark(paletteOf(nothing, 'dark').card)).toBe(true)
    expect(isDark(paletteOf(nothing, 'light').card)).toBe(false)
  })
})
