import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { contrast, isDark, luminance, mix, opposite, readable } from './colors.ts'
import { paletteOf } from './palette.ts'

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

test('of black and white the one that stands out is chosen', () => {
  expect([opposite('#ffffff'), opposite('#000000'), opposite('#ffcc00')]).toEqual(['#000000', '#ffffff', '#000000'])
  expect([isDark('#1c1b1f'), isDark('#fafafa')]).toEqual([true, false])
})

test('a colour is changed only as far as it must be', () => {
  expect(readable('#1d1b20', '#ffffff', 4.5)).toBe('#1d1b20')
  const changed = readable('#999999', '#ffffff', 4.5)
  expect(contrast(changed, '#ffffff')).toBeGreaterThanOrEqual(4.5)
  expect(contrast(changed, '#ffffff')).toBeLessThan(6)
})

describe('a palette', () => {
  const given = fc.option(color, { nil: null })

  test('can be read in both schemes, whatever the brand has chosen', () => {
    fc.assert(
      fc.property(given, given, given, fc.constantFrom('light', 'dark'), (accent, background, foreground, scheme) => {
        const palette = paletteOf({ accent, background, foreground }, scheme)
        expect(contrast(palette.text, palette.card)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(palette.muted, palette.card)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(palette.accent, palette.card)).toBeGreaterThanOrEqual(3)
        expect(contrast(palette.onAccent, palette.accent)).toBeGreaterThanOrEqual(4.5)
        for (const value of Object.values(palette)) expect(value).toMatch(/^#[0-9a-f]{6}$/)
      }),
      { numRuns: 2_000 },
    )
  })

  test('is the brand’s own where that can be read, and changes places in the other scheme', () => {
    const theme = { accent: '#c2410c', background: '#fff7ed', foreground: '#431407' }
    expect(paletteOf(theme, 'light')).toMatchObject({ card: '#fff7ed', text: '#431407', accent: '#c2410c' })
    const dark = paletteOf(theme, 'dark')
    expect(dark.text).toBe('#fff7ed')
    expect(isDark(dark.card)).toBe(true)
    const night = { accent: null, background: '#0b1220', foreground: '#e2e8f0' }
    expect(paletteOf(night, 'dark')).toMatchObject({ card: '#0b1220', text: '#e2e8f0' })
    expect(paletteOf(night, 'light').text).toBe('#0b1220')
  })

  test('follows the scheme where a brand has chosen nothing', () => {
    const nothing = { accent: null, background: null, foreground: null }
    expect(isDark(paletteOf(nothing, 'dark').card)).toBe(true)
    expect(isDark(paletteOf(nothing, 'light').card)).toBe(false)
  })
})
