import type { Choice } from '../../../../../embed/src/poll-view.ts'
import { cardFont } from '../../../storage/cards/font.ts'
import { linesOf, writable } from '../../../storage/cards/lines.ts'
import type { Card, CardSide } from './card.ts'

export const [CARD_WIDTH, CARD_HEIGHT] = [1200, 630]

const EDGE = 48
const GAP = 24
const WIDE = CARD_WIDTH - 2 * EDGE
const TOP_HEIGHT = 44
export const TITLE = { size: 52, height: 62 }
export const LABEL = { size: 36, height: 46 }
export const LARGE_LABEL = { size: 56, height: 68 }
export const SHARE_HEIGHT = 56

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Words {
  readonly lines: readonly string[]
  readonly box: Box
}

export interface Tile {
  readonly choice: Choice
  readonly side: CardSide
  readonly box: Box
  /** Below the picture, or on the tile where no option has a picture. */
  readonly label: Words | null
  readonly isOnTile: boolean
  readonly share: Box | null
}

export interface Layout {
  readonly brandName: string | null
  readonly hasWatermark: boolean
  readonly top: Box
  readonly title: Words | null
  /** For a brand without a logo: its name on its colour. */
  readonly name: Words | null
  /** Behind both tiles where they share a picture; the whole card of a brand. */
  readonly picture: Box | null
  readonly tiles: readonly Tile[]
}

/** Text that the font lacks is left out; pictures and colours then take its space. */
export function layoutOf(card: Card): Layout {
  const isBrand = card.sides.length === 0
  const brandName = isBrand ? null : (fitted(card.brandName, { size: 26, width: WIDE * 0.75, lines: 1 })?.[0] ?? null)
  const hasWatermark = !card.theme.hideWatermark
  const top = { x: EDGE, y: EDGE - 8, width: WIDE, height: brandName !== null || hasWatermark ? TOP_HEIGHT : 8 }
  const isOnColor = isBrand && card.picture === null
  const lines = isOnColor ? null : fitted(card.title, { size: TITLE.size, width: WIDE, lines: 2 })
  const title = { x: EDGE, y: top.y + top.height, width: WIDE, height: (lines?.length ?? 0) * TITLE.height }
  const upper = title.y + title.height + GAP
  const rest = { x: EDGE, y: upper, width: WIDE, height: CARD_HEIGHT - EDGE - upper }
  const name = isOnColor ? fitted(card.title, { size: LARGE_LABEL.size, width: WIDE - 2 * GAP, lines: 3 }) : null
  return {
    brandName,
    hasWatermark,
    top,
    title: lines && { lines, box: title },
    name: name && { lines: name, box: rest },
    ...(isBrand ? { picture: rest, tiles: [] } : sidesOf(card, rest)),
  }
}

function sidesOf({ sides, picture }: Card, room: Box): Pick<Layout, 'picture' | 'tiles'> {
  const isPictured = picture !== null || sides.some((side) => side.picture !== null)
  const width = (room.width - GAP) / 2
  const { size, height } = isPictured ? LABEL : LARGE_LABEL
  const inset = isPictured ? 0 : GAP
  const labels = sides.map(({ label }) => fitted(label, { size, width: width - 2 * inset, lines: isPictured ? 2 : 3 }))
  // Either both labels are drawn or none: one alone would mislead.
  const rows = labels.every((lines) => lines !== null) ? Math.max(...labels.map((lines) => lines?.length ?? 0)) : 0
  const hasShares = (isPictured || rows > 0) && sides.some(({ share }) => share !== null)
  const under = (isPictured ? rows * height : 0) + (hasShares ? SHARE_HEIGHT : 0)
  const tall = room.height - (under > 0 ? under + GAP / 2 : 0)
  const tiles = sides.map((side, i): Tile => {
    const box = { x: room.x + i * (width + GAP), y: room.y, width, height: tall }
    const below = { ...box, y: room.y + tall + GAP / 2, height: rows * height }
    const share = { ...box, y: CARD_HEIGHT - EDGE - SHARE_HEIGHT, height: SHARE_HEIGHT }
    const lines = rows > 0 ? labels[i] : null
    return {
      choice: i === 0 ? 'A' : 'B',
      side,
      box,
      label: lines ? { lines, box: isPictured ? below : box } : null,
      isOnTile: !isPictured,
      share: hasShares ? share : null,
    }
  })
  return { picture: picture === null ? null : { ...room, height: tall }, tiles }
}

function fitted(text: string, room: Parameters<typeof linesOf>[2]): string[] | null {
  const written = writable(text, cardFont())
  return written === null ? null : linesOf(written, cardFont(), room)
}
