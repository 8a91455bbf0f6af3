import { type Html, html } from '../../../../../embed/src/html.ts'
import { type Palette, paletteOf } from '../../../../../embed/src/palette.ts'
import { FONT_FAMILY } from '../../../storage/cards/font.ts'
import type { Card } from './card.ts'
import {
  type Box,
  CARD_HEIGHT,
  CARD_WIDTH,
  LABEL,
  LARGE_LABEL,
  type Layout,
  SHARE_HEIGHT,
  TITLE,
  type Tile,
  type Words,
} from './card-layout.ts'

const RADII: Record<Card['theme']['radius'], number> = { NONE: 0, SM: 8, MD: 20, LG: 32, FULL: 44 }
const PERCENT_WIDTH = 104

/** Reads a picture as a data URL; null when there is none. */
export type ReadPicture = (url: string, box: Box) => Promise<string | null>

interface Dress {
  readonly colors: Palette
  readonly radius: number
}

/** The brand's light colours, with the contrast corrected as on its pages. */
export async function cardSvg(card: Card, layout: Layout, read: ReadPicture): Promise<string> {
  const dress = { colors: paletteOf(card.theme, 'light'), radius: RADII[card.theme.radius] }
  const both = card.picture !== null && layout.picture ? await read(card.picture, layout.picture) : null
  const tiles: Html[] = []
  for (const tile of layout.tiles) {
    const own = tile.side.picture === null ? null : await read(tile.side.picture, tile.box)
    tiles.push(html`${both === null && groundOf(tile, own, dress)}${labelOf(tile, dress)}${shareOf(tile, dress)}`)
  }
  const { colors } = dress
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}" font-family="${FONT_FAMILY}" font-weight="600"><rect width="100%" height="100%" fill="${colors.card}"/>${[
    topOf(layout, dress),
    layout.title && written(layout.title, { ...TITLE, fill: colors.text }),
    layout.picture && backOf(layout.picture, both, { ...dress, isWhole: tiles.length === 0 }),
    layout.name && centered(layout.name, { ...LARGE_LABEL, fill: colors.onAccent }),
    tiles,
  ]}</svg>`.toString()
}

function topOf({ top, brandName, hasWatermark }: Layout, { colors }: Dress): Html {
  const small = html` font-size="26" fill="${colors.muted}" y="${top.y + 27}"`
  const name = brandName !== null && html`<text x="${top.x}"${small}>${brandName}</text>`
  return html`${name}${hasWatermark && html`<text x="${top.x + top.width}" text-anchor="end"${small}>Tossup</text>`}`
}

/** The picture behind both tiles; on a brand's card its logo, or its colour. */
function backOf(box: Box, picture: string | null, { isWhole, ...dress }: Dress & { isWhole: boolean }): Html | null {
  if (picture !== null) return image(picture, box, { id: 'both', radius: dress.radius, isWhole })
  return isWhole ? block(box, dress.radius, dress.colors.accent) : null
}

const groundOf = ({ box, choice }: Tile, own: string | null, { colors, radius }: Dress): Html =>
  own === null
    ? block(box, radius, choice === 'A' ? colors.accent : colors.text)
    : image(own, box, { id: `tile-${choice}`, radius })

function labelOf({ label, isOnTile, choice }: Tile, { colors }: Dress): Html | null {
  if (!label) return null
  if (!isOnTile) return centered(label, { ...LABEL, fill: colors.text })
  return centered(label, { ...LARGE_LABEL, fill: choice === 'A' ? colors.onAccent : colors.card })
}

const block = ({ x, y, width, height }: Box, radius: number, fill: string): Html =>
  html`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`

interface Framing {
  readonly id: string
  readonly radius: number
  /** Contained in the box instead of covering it. */
  readonly isWhole?: boolean
}

function image(href: string, box: Box, { id, radius, isWhole = false }: Framing): Html {
  const { x, y, width, height } = box
  const place = html`x="${x}" y="${y}" width="${width}" height="${height}"`
  const fit = isWhole ? 'xMidYMid meet' : 'xMidYMid slice'
  return html`<clipPath id="${id}"><rect ${place} rx="${isWhole ? 0 : radius}"/></clipPath><g clip-path="url(#${id})"><image ${place} preserveAspectRatio="${fit}" href="${href}"/></g>`
}

interface Style {
  readonly size: number
  readonly height: number
  readonly fill: string
}

const written = ({ lines, box }: Words, { size, height, fill }: Style): Html =>
  html`${lines.map((line, i) => html`<text x="${box.x}" y="${box.y + i * height + size}" font-size="${size}" fill="${fill}">${line}</text>`)}`

function centered({ lines, box }: Words, { size, height, fill }: Style): Html {
  const top = box.y + (box.height - lines.length * height) / 2 + size
  const middle = box.x + box.width / 2
  return html`${lines.map((line, i) => html`<text x="${middle}" y="${top + i * height}" text-anchor="middle" font-size="${size}" fill="${fill}">${line}</text>`)}`
}

function shareOf({ side, share: box }: Tile, { colors }: Dress): Html | null {
  if (box === null || side.share === null) return null
  const track = { x: box.x, y: box.y + SHARE_HEIGHT / 2 - 6, width: box.width - PERCENT_WIDTH, height: 24 }
  const filled = { ...track, width: (track.width * side.share) / 100 }
  const right = box.x + box.width
  return html`${block(track, 12, colors.line)}${filled.width > 0 && block(filled, 12, colors.accent)}<text x="${right}" y="${box.y + SHARE_HEIGHT - 8}" text-anchor="end" font-size="38" fill="${colors.text}">${side.share}%</text>`
}
