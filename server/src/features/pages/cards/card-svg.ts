import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { type PagePalette, type Palette, pagePaletteOf, paletteOf } from '../../../../../embed/src/theme/palette.ts'
import { JobKilled } from '../../../base/isolation/job.ts'
import { isFileKey } from '../../../files/file-keys.ts'
import type { FileStore } from '../../../files/file-store.ts'
import { type Box, imageErrorOf } from '../../../files/pictures/container.ts'
import type { Decoding } from '../../../files/pictures/decoding.ts'
import { focusOf, type Photo, type Placement } from '../../../files/pictures/photo.ts'
import type { Card } from './card.ts'
import { type Area, CARD_HEIGHT, CARD_WIDTH, type Layout, placesOf, type Tile, type Words } from './card-layout.ts'

const LARGEST_SVG = 32 * 1024
/** SVG features with which a few bytes can take too long to draw, or which load, and numbers that hide their names. A card leaves out such a logo. */
const EXPENSIVE =
  /&#|<(?:[\w-]+:)?(?:mask|pattern|filter|use|image|clippath|symbol|marker)\b|\b(?:filter|mask|mix-blend-mode|opacity)\b/i

/** A photo, or a drawing, whose size its renderer finds out. */
export type CardPicture = Photo | { readonly href: string; readonly width?: undefined }

/** A stored file as a data URL, scaled to fit the box. Null if the file is missing or not a picture. */
export async function cardPicture(
  { files, decoding }: { files: FileStore; decoding: Decoding },
  key: string,
  box: Box,
): Promise<CardPicture | null> {
  if (!isFileKey(key)) return null
  const file = await files.borrow(key)
  if (!file) return null
  try {
    return key.endsWith('.svg') ? await drawing(file.path) : await decoding.photo(file.path, box)
  } catch (error) {
    if (imageErrorOf(error) || error instanceof JobKilled) return null
    throw error
  } finally {
    await file.giveBack()
  }
}

async function drawing(path: string): Promise<CardPicture | null> {
  const file = Bun.file(path)
  if (file.size > LARGEST_SVG) return null
  const svg = await file.text()
  return EXPENSIVE.test(svg) ? null : { href: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` }
}

export const RADII: Record<Card['theme']['radius'], number> = { NONE: 0, SM: 10, MD: 24, LG: 36, FULL: 52 }
const LOGO_WIDTH = 420
const ON_PICTURE = '#ffffff'

/** Null when there is no such picture. */
export type ReadPicture = (url: string, box: Area) => Promise<CardPicture | null>

export interface Dress {
  readonly colors: Palette & PagePalette
  readonly radius: number
  readonly isRightToLeft: boolean
  /** Some answer has a picture: then one without is in the brand's colour. */
  readonly isPictured: boolean
}

const isAccented = (choice: Tile['choice'], { isPictured }: Dress): boolean => isPictured || choice === 'A'

/** The brand's light colours, with the contrast corrected as on its pages. */
export async function cardSvg(card: Card, layout: Layout, read: ReadPicture): Promise<string> {
  const { theme } = card
  const colors = { ...paletteOf(theme, 'light'), ...pagePaletteOf(theme, 'light') }
  const isPictured = card.sides.some(({ picture }) => picture !== null)
  const dress = { colors, radius: RADII[theme.radius], isRightToLeft: layout.isRightToLeft, isPictured }
  const both = card.picture !== null && layout.picture ? await read(card.picture, layout.picture) : null
  const tiles: Html[] = []
  for (const tile of layout.tiles) tiles.push(await tileOf(tile, { ...dress, read, isShared: both !== null }))
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}"><defs><linearGradient id="shade" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#000" stop-opacity="0"/><stop offset=".28" stop-color="#000" stop-opacity=".6"/><stop offset="1" stop-color="#000" stop-opacity=".8"/></linearGradient></defs><rect width="100%" height="100%" fill="${colors.ground}"/>${[
    await topOf(card.logo, layout, { ink: colors.groundMuted, logoWidth: LOGO_WIDTH, read }),
    layout.title && written(layout.title, colors.onGround),
    layout.note && written(layout.note, colors.groundMuted),
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
  const bare = isAccented(choice, dress) ? dress.colors.onAccent : dress.colors.card
  const isShaded = isOnPicture && (label !== null || number !== null)
  return html`${!isShared && groundOf(tile, own, dress)}${isShaded && shadeOf(tile, dress)}${wordsOn(tile, isOnPicture ? ON_PICTURE : bare, dress)}${side.isShared && markOf(box, dress)}`
}

/** The logo of the brand where it can be drawn, else its name; and the name of the service. */
export async function topOf(
  logo: string | null,
  { top, brand, watermark, isRightToLeft }: Pick<Layout, 'top' | 'brand' | 'watermark' | 'isRightToLeft'>,
  { ink, logoWidth, read }: { readonly ink: string; readonly logoWidth: number; readonly read: ReadPicture },
): Promise<Html> {
  const box = { ...top, x: isRightToLeft ? top.x + top.width - logoWidth : top.x, width: logoWidth }
  const drawing = logo === null ? null : await read(logo, box)
  const fit = isRightToLeft ? 'xMaxYMid meet' : 'xMinYMid meet'
  const named = brand && written(brand, ink)
  const shown = drawing && html`<image ${place(box)} preserveAspectRatio="${fit}" href="${drawing.href}"/>`
  return html`${shown ?? named}${watermark && written(watermark, ink)}`
}

/** The picture behind both tiles; on a brand's card its logo. */
function backOf(
  box: Area,
  picture: CardPicture | null,
  { isWhole, ...dress }: Dress & { isWhole: boolean },
): Html | null {
  if (picture === null) return null
  return isWhole
    ? html`<image ${place(box)} preserveAspectRatio="xMidYMid meet" href="${picture.href}"/>`
    : placed(picture, box, { id: 'both', placement: CENTRED, dress })
}

const groundOf = ({ box, choice, side }: Tile, own: CardPicture | null, dress: Dress): Html =>
  own === null
    ? block(box, dress.radius, isAccented(choice, dress) ? dress.colors.accent : dress.colors.text)
    : placed(own, box, { id: `tile-${choice}`, placement: side, dress })

/** Below words on a picture, from above them to the edge of the tile. */
function shadeOf({ box, label, number, choice }: Tile, { radius }: Dress): Html {
  const first = label ?? number
  const y = Math.max(box.y, (first?.box.y ?? box.y) - 110)
  const lower = { ...box, y, height: box.y + box.height - y }
  return html`<clipPath id="shade-${choice}"><rect ${place(box)} rx="${radius}"/></clipPath><rect ${place(lower)} fill="url(#shade)" clip-path="url(#shade-${choice})"/>`
}

const MARK = 56

/** A check in the corner at the end of the tile, and a frame around it. */
function markOf(box: Area, { colors, radius, isRightToLeft }: Dress): Html {
  const x = isRightToLeft ? box.x + 20 : box.x + box.width - MARK - 20
  const inner = { x: box.x + 4, y: box.y + 4, width: box.width - 8, height: box.height - 8 }
  return html`<rect ${place(inner)} rx="${Math.max(0, radius - 4)}" fill="none" stroke="#ffffff" stroke-width="8"/><rect ${place(box)} rx="${radius}" fill="none" stroke="${colors.text}" stroke-width="3"/><g transform="translate(${x} ${box.y + 20})"><circle cx="28" cy="28" r="28" fill="#ffffff"/><path d="M15 29l9 9 18-19" fill="none" stroke="#1d1b20" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"/></g>`
}

function wordsOn({ label, number, bar, side }: Tile, ink: string, { isRightToLeft }: Dress): Html {
  return html`${label && written(label, ink)}${number && written(number, ink)}${
    bar &&
    side.share !== null &&
    barOf(bar, side.share.length, { round: bar.height / 2, rest: [ink, '.3'], ink, isRightToLeft })
  }`
}

interface Bar {
  readonly round: number
  /** Behind the filled part. */
  readonly rest: readonly [fill: string, opacity: string]
  readonly ink: string
  readonly isRightToLeft: boolean
}

/** A bar that is filled from the start of the line, by a percentage. */
export function barOf(box: Area, length: number, { round, rest, ink, isRightToLeft }: Bar): Html {
  const width = (box.width * length) / 100
  const filled = { ...box, x: isRightToLeft ? box.x + box.width - width : box.x, width }
  return html`<rect ${place(box)} rx="${round}" fill="${rest[0]}" fill-opacity="${rest[1]}"/>${width > 0 && block(filled, Math.min(round, width / 2), ink)}`
}

const place = ({ x, y, width, height }: Area): Html => html`x="${x}" y="${y}" width="${width}" height="${height}"`

const block = (box: Area, radius: number, fill: string): Html =>
  html`<rect ${place(box)} rx="${radius}" fill="${fill}"/>`

const CENTRED: Placement = { fit: 'cover', focusX: 0.5, focusY: 0.5 }

/** A picture in its frame. Below its transparent parts is a ground on which its visible ones show. */
export function placed(
  picture: CardPicture,
  box: Area,
  { id, placement, dress: { colors, radius } }: { id: string; placement: Placement; dress: Dress },
): Html {
  if (picture.width === undefined) return image(picture.href, box, { id, clip: box, radius })
  const across = box.width / picture.width
  const down = box.height / picture.height
  const scale = placement.fit === 'contain' ? Math.min(across, down) : Math.max(across, down)
  const [width, height] = [picture.width * scale, picture.height * scale]
  const focus = focusOf(placement)
  const area = { x: box.x + (box.width - width) * focus.x, y: box.y + (box.height - height) * focus.y, width, height }
  const ground = picture.tone === 'light' ? colors.text : colors.choice
  return html`${block(box, radius, ground)}${image(picture.href, area, { id, clip: box, radius })}`
}

function image(
  href: string,
  area: Area,
  { id, clip, radius }: { readonly id: string; readonly clip: Area; readonly radius: number },
): Html {
  return html`<clipPath id="${id}"><rect ${place(clip)} rx="${radius}"/></clipPath><g clip-path="url(#${id})"><image ${place(area)} preserveAspectRatio="xMidYMid slice" href="${href}"/></g>`
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000

/** Letters are outlines: the renderer joins no Arabic letters and stacks no Devanagari vowels. */
export function written(words: Words, fill: string): Html {
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
