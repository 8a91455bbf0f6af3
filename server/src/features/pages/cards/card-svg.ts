import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { type PagePalette, type Palette, pagePaletteOf, paletteOf } from '../../../../../embed/src/theme/palette.ts'
import type { Card } from './card.ts'
import { type Area, CARD_HEIGHT, CARD_WIDTH, type Layout, placesOf, type Tile, type Words } from './card-layout.ts'

const RADII: Record<Card['theme']['radius'], number> = { NONE: 0, SM: 10, MD: 24, LG: 36, FULL: 52 }
const LOGO_WIDTH = 420
const ON_PICTURE = '#ffffff'

/** Reads a picture as a data URL; null when there is none. */
export type ReadPicture = (url: string, box: Area) => Promise<string | null>

interface Dress {
  readonly colors: Palette & PagePalette
  readonly radius: number
  readonly isRightToLeft: boolean
}

/** The brand's light colours, with the contrast corrected as on its pages. */
export async function cardSvg(card: Card, layout: Layout, read: ReadPicture): Promise<string> {
  const { theme } = card
  const colors = { ...paletteOf(theme, 'light'), ...pagePaletteOf(theme, 'light') }
  const dress = { colors, radius: RADII[theme.radius], isRightToLeft: layout.isRightToLeft }
  const both = card.picture !== null && layout.picture ? await read(card.picture, layout.picture) : null
  const tiles: Html[] = []
  for (const tile of layout.tiles) tiles.push(await tileOf(tile, { ...dress, read, isShared: both !== null }))
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}"><defs><linearGradient id="shade" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".78"/></linearGradient></defs><rect width="100%" height="100%" fill="${colors.ground}"/>${[
    await topOf(card, layout, { ...dress, read }),
    layout.title && written(layout.title, colors.onGround),
    layout.picture && backOf(layout.picture, both, { ...dress, isWhole: tiles.length === 0 }),
    layout.name && [block(layout.name.box, dress.radius, colors.accent), written(layout.name, colors.onAccent)],
    tiles,
  ]}</svg>`.toString()
}

interface Around extends Dress {
  readonly read: ReadPicture
  /** Both tiles lie on one picture. */
  readonly isShared: boolean
}

async function tileOf(tile: Tile, { isShared, read, ...dress }: Around): Promise<Html> {
  const { side, box, choice, label, number } = tile
  const own = side.picture === null ? null : await read(side.picture, box)
  const isOnPicture = isShared || own !== null
  const bare = choice === 'A' ? dress.colors.onAccent : dress.colors.card
  const isShaded = isOnPicture && (label !== null || number !== null)
  return html`${!isShared && groundOf(tile, own, dress)}${isShaded && shadeOf(tile, dress)}${wordsOn(tile, isOnPicture ? ON_PICTURE : bare, dress)}`
}

/** The logo of the brand where it can be drawn, else its name; and the name of the service. */
async function topOf(
  { logo }: Card,
  { top, brand, watermark }: Layout,
  { colors, isRightToLeft, read }: Dress & { readonly read: ReadPicture },
): Promise<Html> {
  const box = { ...top, x: isRightToLeft ? top.x + top.width - LOGO_WIDTH : top.x, width: LOGO_WIDTH }
  const drawing = logo === null ? null : await read(logo, box)
  const fit = isRightToLeft ? 'xMaxYMid meet' : 'xMinYMid meet'
  return html`${
    drawing === null
      ? brand && written(brand, colors.groundMuted)
      : html`<image ${place(box)} preserveAspectRatio="${fit}" href="${drawing}"/>`
  }${watermark && written(watermark, colors.groundMuted)}`
}

/** The picture behind both tiles; on a brand's card its logo. */
function backOf(box: Area, picture: string | null, { isWhole, radius }: Dress & { isWhole: boolean }): Html | null {
  return picture === null ? null : image(picture, box, { id: 'both', radius, isWhole })
}

const groundOf = ({ box, choice }: Tile, own: string | null, { colors, radius }: Dress): Html =>
  own === null
    ? block(box, radius, choice === 'A' ? colors.accent : colors.text)
    : image(own, box, { id: `tile-${choice}`, radius })

/** Below words on a picture, from above them to the edge of the tile. */
function shadeOf({ box, label, number, choice }: Tile, { radius }: Dress): Html {
  const first = label ?? number
  const y = Math.max(box.y, (first?.box.y ?? box.y) - 72)
  const lower = { ...box, y, height: box.y + box.height - y }
  return html`<clipPath id="shade-${choice}"><rect ${place(box)} rx="${radius}"/></clipPath><rect ${place(lower)} fill="url(#shade)" clip-path="url(#shade-${choice})"/>`
}

function wordsOn({ label, number, bar, side }: Tile, ink: string, { isRightToLeft }: Dress): Html {
  return html`${label && written(label, ink)}${number && written(number, ink)}${
    bar && side.share !== null && barOf(bar, side.share.length, { ink, isRightToLeft })
  }`
}

function barOf(box: Area, length: number, { ink, isRightToLeft }: { ink: string; isRightToLeft: boolean }): Html {
  const width = (box.width * length) / 100
  const filled = { ...box, x: isRightToLeft ? box.x + box.width - width : box.x, width }
  const round = box.height / 2
  return html`<rect ${place(box)} rx="${round}" fill="${ink}" fill-opacity=".3"/>${width > 0 && block(filled, Math.min(round, width / 2), ink)}`
}

const place = ({ x, y, width, height }: Area): Html => html`x="${x}" y="${y}" width="${width}" height="${height}"`

const block = (box: Area, radius: number, fill: string): Html =>
  html`<rect ${place(box)} rx="${radius}" fill="${fill}"/>`

interface Framing {
  readonly id: string
  readonly radius: number
  /** Contained in the box instead of covering it. */
  readonly isWhole?: boolean
}

function image(href: string, box: Area, { id, radius, isWhole = false }: Framing): Html {
  const fit = isWhole ? 'xMidYMid meet' : 'xMidYMid slice'
  return html`<clipPath id="${id}"><rect ${place(box)} rx="${isWhole ? 0 : radius}"/></clipPath><g clip-path="url(#${id})"><image ${place(box)} preserveAspectRatio="${fit}" href="${href}"/></g>`
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000

/** Letters are outlines: the renderer joins no Arabic letters and stacks no Devanagari vowels. */
function written(words: Words, fill: string): Html {
  const places = placesOf(words)
  const glyphs = words.text.lines.flatMap(({ glyphs }, i) => {
    const { x = 0, y = 0 } = places[i] ?? {}
    return glyphs.map(
      (glyph) =>
        html`<path transform="matrix(${glyph.scale} 0 0 ${-glyph.scale} ${rounded(x + glyph.x)} ${rounded(y + glyph.y)})" d="${glyph.outline}"/>`,
    )
  })
  return html`<g fill="${fill}">${glyphs}</g>`
}
