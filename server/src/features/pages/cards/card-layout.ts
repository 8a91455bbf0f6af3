import type { Choice } from '../../../../../embed/src/poll-view.ts'
import type { ShapedText, TextRequest } from '../../../files/cards/card-drawer.ts'
import type { Card, CardSide } from './card.ts'

export const [CARD_WIDTH, CARD_HEIGHT] = [1200, 630]

const EDGE = 48
const GAP = 24
const WIDE = CARD_WIDTH - 2 * EDGE
const TOP_HEIGHT = 44
const TILE_WIDTH = (WIDE - GAP) / 2
/** From the edge of a tile to what is on it. */
const INSET = 32
const WITHIN_TILE = TILE_WIDTH - 2 * INSET
const LINE_HEIGHT = 1.22
const BAR_HEIGHT = 16
/** Between a number and the bar below it. */
const BAR_GAP = 22

export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A text in its place: lines from the top of the box, or in its middle. */
export interface Words {
  readonly text: ShapedText
  readonly box: Area
  readonly align: 'start' | 'middle' | 'end'
}

export interface Tile {
  readonly choice: Choice
  readonly side: CardSide
  readonly box: Area
  readonly label: Words | null
  readonly number: Words | null
  readonly bar: Area | null
}

export interface Layout {
  /** The direction of the title is that of the card. */
  readonly isRightToLeft: boolean
  readonly top: Area
  readonly brand: Words | null
  readonly watermark: Words | null
  readonly title: Words | null
  readonly note: Words | null
  /** For a brand without a logo: its name on its colour. */
  readonly name: Words | null
  /** The area behind both tiles if they share a picture; the whole card for a brand. */
  readonly picture: Area | null
  readonly tiles: readonly Tile[]
}

/** The texts of a card, by their purpose. */
interface Texts<Each> {
  readonly brand: Each
  readonly watermark: Each
  readonly title: Each
  readonly note: Each
  readonly name: Each
  readonly labels: readonly Each[]
  readonly numbers: readonly Each[]
}

/** Pairs of a size and of the lines that a text may have in it. */
export const fits = (...pairs: readonly (readonly [size: number, lines: number])[]): TextRequest['fits'] =>
  pairs.map(([size, lines]) => ({ size, lines }))

/** Sizes for short texts first. Two lines of the title leave room for two lines of a label above its number. */
const TITLES = fits([68, 1], [56, 2], [46, 2])
/** A note takes the room of a line. */
const TITLES_ABOVE_NOTES = fits([56, 1], [44, 2], [40, 2])
const NOTES = fits([38, 1], [30, 1])
const NAMES = fits([104, 1], [84, 2], [64, 3])
const LABELS = {
  onPicture: fits([48, 1], [42, 2], [34, 2], [30, 3], [24, 5]),
  withNumber: fits([72, 1], [54, 1], [46, 2], [36, 2], [30, 3], [24, 5]),
  alone: fits([84, 1], [64, 2], [46, 3], [36, 4], [28, 5]),
}
/** Labels that are emoji alone, some with a variation selector that they do not need. */
const EMOJI_SIZES = { onPicture: [96], withNumber: [120, 90], alone: [200, 150, 100] }
export const EMOJI_ONLY = /^(?:\p{RGI_Emoji}\ufe0f?|\s)+$/v

const isPictured = ({ picture, sides }: Card): boolean =>
  picture !== null || sides.some((side) => side.picture !== null)

/** Texts to shape before a card can be laid out, in the order of `shapedTexts`. */
export function textsOf(card: Card): TextRequest[] {
  const { title, note, brandName, theme, sides } = card
  const { fontStack } = theme
  const isBrand = sides.length === 0
  const onPicture = isPictured(card)
  const hasNumbers = sides.some(({ share }) => share !== null)
  const bare = hasNumbers ? 'withNumber' : 'alone'
  const kind = onPicture ? 'onPicture' : bare
  const emoji = EMOJI_SIZES[kind].map((size) => ({ size, lines: 1 }))
  const fitsOf = (label: string) => (EMOJI_ONLY.test(label) ? [...emoji, ...LABELS[kind]] : LABELS[kind])
  return [
    { fontStack, text: isBrand ? '' : brandName, width: WIDE * 0.7, fits: fits([30, 1]) },
    { fontStack, text: theme.hideWatermark ? '' : 'Tossup', width: WIDE * 0.25, fits: fits([26, 1]) },
    { fontStack, text: title, width: WIDE, fits: note === null ? TITLES : TITLES_ABOVE_NOTES },
    { fontStack, text: note ?? '', width: WIDE, fits: NOTES },
    { fontStack, text: isBrand ? title : '', width: WIDE - 2 * INSET, fits: NAMES },
    ...sides.map(({ label }) => ({ fontStack, text: label, width: WITHIN_TILE, fits: fitsOf(label) })),
    ...sides.map(({ share }) => ({
      fontStack,
      text: share?.text ?? '',
      width: WITHIN_TILE,
      fits: [{ size: onPicture ? 60 : 68, lines: 1 }],
    })),
  ]
}

function textsIn(card: Card, shaped: readonly (ShapedText | null)[]): Texts<ShapedText | null> {
  const [brand = null, watermark = null, title = null, note = null, name = null, ...more] = shaped
  const count = card.sides.length
  return { brand, watermark, title, note, name, labels: more.slice(0, count), numbers: more.slice(count) }
}

/** Text that no face has is left out; pictures and colours then take its space. */
export function layoutOf(card: Card, shaped: readonly (ShapedText | null)[]): Layout {
  const texts = textsIn(card, shaped)
  const isBrand = card.sides.length === 0
  const isOnColor = isBrand && card.picture === null
  const isRightToLeft = (texts.title ?? texts.labels[0])?.direction === 'rtl'
  const hasTop = texts.brand !== null || texts.watermark !== null || card.logo !== null
  const top = { x: EDGE, y: EDGE - 8, width: WIDE, height: hasTop ? TOP_HEIGHT : 0 }
  const title = isOnColor ? null : texts.title
  const titleBox = {
    x: EDGE,
    y: top.y + top.height + (hasTop ? 16 : 8),
    width: WIDE,
    height: heightOf(title),
  }
  const noteBox = { ...titleBox, y: titleBox.y + titleBox.height + 4, height: heightOf(texts.note) }
  const upper = noteBox.y + noteBox.height + (texts.note ? 16 : GAP - 4)
  const rest = { x: EDGE, y: upper, width: WIDE, height: CARD_HEIGHT - EDGE - upper }
  const [start, end] = isRightToLeft ? (['end', 'start'] as const) : (['start', 'end'] as const)
  return {
    isRightToLeft,
    top,
    brand: texts.brand && { text: texts.brand, box: top, align: start },
    watermark: texts.watermark && { text: texts.watermark, box: top, align: end },
    title: title && { text: title, box: titleBox, align: start },
    note: texts.note && { text: texts.note, box: noteBox, align: start },
    name: isOnColor && texts.name ? { text: texts.name, box: rest, align: 'middle' } : null,
    picture: card.picture === null ? null : rest,
    tiles: card.sides.map((side, i) => {
      const isRight = (i === 1) !== isRightToLeft
      const box = { ...rest, x: rest.x + (isRight ? TILE_WIDTH + GAP : 0), width: TILE_WIDTH }
      return tileOf(card, texts, { side, at: i, box, start })
    }),
  }
}

/** From the bottom of a tile: the bar, the number, the label. Without a result the label of a bare tile is in its middle. */
function tileOf(
  card: Card,
  { labels, numbers }: Texts<ShapedText | null>,
  { side, at, box, start }: { side: CardSide; at: number; box: Area; start: 'start' | 'end' },
): Tile {
  const onPicture = isPictured(card)
  // Either both labels are drawn or none: one alone would mislead.
  const label = labels.every((each) => each !== null) ? (labels[at] ?? null) : null
  const number = label === null && !onPicture ? null : (numbers[at] ?? null)
  const inner = { x: box.x + INSET, y: box.y + INSET, width: WITHIN_TILE, height: box.height - 2 * INSET }
  const floor = inner.y + inner.height
  const bar = number && { ...inner, y: floor - BAR_HEIGHT, height: BAR_HEIGHT }
  const ceiling = bar === null ? floor : bar.y - BAR_GAP
  const numberHeight = number === null ? 0 : number.size * 0.76
  const numberBox = { ...inner, y: ceiling - numberHeight, height: numberHeight }
  const labelFloor = number === null ? floor : numberBox.y - 20
  const labelHeight = heightOf(label)
  const labelBox = onPicture
    ? { ...inner, y: labelFloor - labelHeight, height: labelHeight }
    : { ...inner, height: labelFloor - inner.y }
  const align = onPicture ? start : 'middle'
  return {
    choice: at === 0 ? 'A' : 'B',
    side,
    box,
    label: label && { text: label, box: labelBox, align },
    number: number && { text: number, box: numberBox, align },
    bar,
  }
}

export const heightOf = (text: ShapedText | null): number =>
  text === null ? 0 : text.lines.length * text.size * LINE_HEIGHT

/** Where each line of a text begins: its left edge and its baseline. Capitals are some 0.72 of their size high. */
export function placesOf({ text, box, align }: Words): { readonly x: number; readonly y: number }[] {
  const step = text.size * LINE_HEIGHT
  const top = box.y + (box.height - text.lines.length * step) / 2
  return text.lines.map(({ width }, i) => {
    const spare = box.width - width
    const x = box.x + { start: 0, middle: spare / 2, end: spare }[align]
    return { x, y: top + i * step + step / 2 + text.size * 0.36 }
  })
}
