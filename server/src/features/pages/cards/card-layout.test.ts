import { describe, expect, test } from 'bun:test'
import { shapeTexts } from '../../../files/cards/shape-text.ts'
import type { Card, CardSide } from './card.ts'
import { layoutOf, textsOf } from './card-layout.ts'
import { type CardPicture, cardSvg } from './card-svg.ts'

const side = (label: string, more: Partial<CardSide> = {}): CardSide => ({
  label,
  picture: null,
  fit: 'cover',
  focusX: 0.5,
  focusY: 0.5,
  isShared: false,
  share: null,
  ...more,
})

const cardOf = (...sides: CardSide[]): Card => ({
  title: 'Tea or coffee?',
  note: null,
  answer: null,
  brandName: 'Corner Café',
  theme: {
    accent: '#0f766e',
    background: null,
    foreground: null,
    radius: 'MD',
    fontStack: 'INHERIT',
    hideWatermark: false,
  },
  sides,
  picture: null,
  logo: null,
})

const KINDS: Readonly<Record<string, Partial<CardSide>>> = {
  alone: {},
  'with a number': { share: { text: '67%', length: 67 } },
  'on a picture': { picture: 'https://polls.test/files/a.webp' },
}

describe.each(Object.entries(KINDS))('a label %s', (_kind, more) => {
  const labelsOf = (label: string) => {
    const card = cardOf(side(label, more), side('Coffee', more))
    return layoutOf(card, shapeTexts(textsOf(card))).tiles.map((tile) => tile.label)
  }

  test.each(['W'.repeat(80), '茶'.repeat(80), 'an answer of some words '.repeat(4).slice(0, 80)])(
    'is never cut: %s',
    (label) => {
      const [words] = labelsOf(label)
      const glyphs = words?.text.lines.flatMap((line) => line.glyphs) ?? []
      expect(glyphs.length).toBe(label.replaceAll(' ', '').length)
    },
  )

  test.each(['🍵', '☕️', '❤️', '👨‍👩‍👧', '🇵🇹'])('of emoji alone is large: %s', (label) => {
    const [emoji, coffee] = labelsOf(label)
    expect(emoji?.text.size).toBeGreaterThanOrEqual(90)
    expect(emoji?.text.size).toBeGreaterThan(coffee?.text.size ?? 0)
    expect(labelsOf('1')[0]?.text.size).toBeLessThan(90)
  })
})

const drawn = (card: Card, read: () => CardPicture | null) =>
  cardSvg(card, layoutOf(card, shapeTexts(textsOf(card))), () => Promise.resolve(read()))

test('an answer without a picture beside one with a picture has the colour of the brand', async () => {
  const fills = async (card: Card) => {
    const svg = await drawn(card, () => ({ href: 'data:,', width: 10, height: 10, tone: 'opaque' }))
    return [...svg.matchAll(/<rect x="[^"]*" y="[^"]*" width="540"[^>]* fill="(#\w+)"/g)].map(([, fill]) => fill)
  }
  const [accent, ink] = await fills(cardOf(side('A'), side('B')))
  expect([accent, ink === accent]).toEqual(['#0f766e', false])
  expect(await fills(cardOf(side('A', { picture: 'x' }), side('B')))).toContain(accent)
  expect(await fills(cardOf(side('A', { picture: 'x' }), side('B')))).not.toContain(ink)
})

test('a picture is placed by its fit and focal point, on a ground that shows its visible parts', async () => {
  const placeOf = async (placement: Partial<CardSide>, tone: 'opaque' | 'light' | 'dark' = 'opaque') => {
    const card = cardOf(side('A', { picture: 'x', ...placement }), side('B'))
    const svg = await drawn(card, () => ({ href: 'data:,', width: 2_000, height: 500, tone }))
    const [x = 0, , width = 0] = [...(/<image x="([^"]*)" y="([^"]*)" width="([^"]*)"/.exec(svg) ?? [])]
      .slice(1)
      .map(Number)
    const [, ground] = /<rect [^>]*width="540"[^>]* fill="(#\w+)"/.exec(svg) ?? []
    return { left: Math.round(x - 48), right: Math.round(x + width - 48 - 540), ground }
  }
  expect(await placeOf({ focusX: 0 })).toMatchObject({ left: 0 })
  expect(await placeOf({ focusX: 1 })).toMatchObject({ right: 0 })
  const middle = await placeOf({})
  expect(middle.left).toBe(-middle.right)
  expect(await placeOf({ fit: 'contain', focusX: 0 })).toMatchObject({ left: 0, right: 0 })
  const [light, dark] = [await placeOf({}, 'light'), await placeOf({}, 'dark')]
  expect(Number.parseInt(light.ground?.slice(1) ?? '', 16)).toBeLessThan(0x40_40_40)
  expect(Number.parseInt(dark.ground?.slice(1) ?? '', 16)).toBeGreaterThan(0xc0_c0_c0)
})
