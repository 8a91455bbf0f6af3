import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { pagePaletteOf, paletteOf } from '../../../../../embed/src/theme/palette.ts'
import type { CardDrawer, ShapedText, TextRequest } from '../../../files/cards/card-drawer.ts'
import type { Deps } from '../../deps.ts'
import { KeptCards } from '../cards/card.ts'
import { type Area, EMOJI_ONLY, fits, heightOf, type Layout, type Words } from '../cards/card-layout.ts'
import { pictureReader } from '../cards/card-routes.ts'
import { barOf, type Dress, placed, RADII, type ReadPicture, topOf, written } from '../cards/card-svg.ts'
import { type PictureSide, pictureVersion, type ResultsPicture, type Shape } from './results-picture.ts'

const MEASURES = {
  wide: {
    width: 1920,
    height: 1080,
    edge: 96,
    gap: 36,
    top: 52,
    titles: fits([92, 1], [76, 2], [60, 2], [50, 3]),
    labels: fits([56, 1], [48, 1], [42, 2]),
    shares: fits([104, 1]),
    // The room for a number beside its label.
    shareWidth: 420,
    counts: fits([34, 1]),
    bar: 40,
    // Side of the frame of a picture.
    frame: 220,
    verdicts: fits([48, 1], [40, 1], [32, 2]),
    notes: fits([28, 1], [26, 2]),
  },
  square: {
    width: 1080,
    height: 1080,
    edge: 64,
    gap: 24,
    top: 44,
    titles: fits([72, 1], [60, 2], [48, 3], [40, 4]),
    labels: fits([44, 1], [36, 2], [30, 3]),
    shares: fits([84, 1]),
    shareWidth: 330,
    counts: fits([30, 1], [26, 1], [24, 2]),
    bar: 34,
    frame: 180,
    verdicts: fits([42, 1], [36, 2], [30, 2]),
    notes: fits([26, 2], [24, 3], [22, 4]),
  },
} satisfies Record<Shape, unknown>

type Measures = (typeof MEASURES)[Shape]

interface PictureRow {
  readonly side: PictureSide
  readonly frame: Area | null
  readonly label: Words | null
  readonly share: Words | null
  readonly counts: Words | null
  readonly bar: Area
}

interface PictureLayout extends Pick<Layout, 'isRightToLeft' | 'top' | 'brand' | 'watermark' | 'title'> {
  readonly rows: readonly PictureRow[]
  readonly verdict: Words | null
  readonly notes: readonly Words[]
}

const isPictured = ({ sides }: ResultsPicture): boolean => sides.some(({ picture }) => picture !== null)

/** The width beside the frames of pictures, which both rows leave free if one has a picture. */
function rowWidth(picture: ResultsPicture, { width, edge, frame, gap }: Measures): number {
  return width - 2 * edge - (isPictured(picture) ? frame + gap : 0)
}

/** Texts to shape before a picture can be laid out. */
function pictureTexts(picture: ResultsPicture): TextRequest[] {
  const measures = MEASURES[picture.shape]
  const { fontStack, hideWatermark } = picture.theme
  const whole = measures.width - 2 * measures.edge
  const row = rowWidth(picture, measures)
  const text = (given: string, width: number, fits: TextRequest['fits']) => ({ fontStack, text: given, width, fits })
  const emoji = [{ size: measures.shares[0]?.size ?? 0, lines: 1 }, ...measures.labels]
  const small = [{ size: measures.top * 0.65, lines: 1 }]
  return [
    text(picture.brandName, whole * 0.7, small),
    text(hideWatermark ? '' : 'Tossup', whole * 0.25, small),
    text(picture.title, whole, measures.titles),
    text(picture.verdict, whole, measures.verdicts),
    text(picture.limits, whole, measures.notes),
    text(picture.facts, whole, measures.notes),
    ...picture.sides.flatMap(({ label, share, counts }) => [
      text(label, row - measures.shareWidth - measures.gap, EMOJI_ONLY.test(label) ? emoji : measures.labels),
      text(share, measures.shareWidth, measures.shares),
      text(counts, row, measures.counts),
    ]),
  ]
}

/** From the top: brand, title; from the bottom: facts, limits, verdict; both rows share the room between. */
function pictureLayout(picture: ResultsPicture, shaped: readonly (ShapedText | null)[]): PictureLayout {
  const measures = MEASURES[picture.shape]
  const { width, height, edge, gap, top: topHeight } = measures
  const [brand = null, watermark = null, title = null, verdict = null, limits = null, facts = null, ...more] = shaped
  const isRightToLeft = title?.direction === 'rtl'
  const [start, end] = isRightToLeft ? (['end', 'start'] as const) : (['start', 'end'] as const)
  const whole = width - 2 * edge
  const boxAt = (y: number, text: ShapedText | null): Area => ({ x: edge, y, width: whole, height: heightOf(text) })
  const words = (text: ShapedText | null, box: Area, align: Words['align'] = start): Words | null =>
    text && { text, box, align }
  const top = { x: edge, y: edge * 0.75, width: whole, height: topHeight }
  const titleBox = boxAt(top.y + topHeight + gap * 0.6, title)
  const factsBox = boxAt(height - edge * 0.7 - heightOf(facts), facts)
  const limitsBox = boxAt(factsBox.y - heightOf(limits) - 4, limits)
  const verdictBox = boxAt(limitsBox.y - heightOf(verdict) - gap * 0.3, verdict)
  const upper = titleBox.y + titleBox.height + gap * 0.6
  const room = (verdictBox.y - gap * 0.8 - upper) / 2
  const rows = picture.sides.map((side, i) =>
    rowOf(picture, { side, texts: more.slice(3 * i, 3 * i + 3), y: upper + i * room, room, isRightToLeft }),
  )
  return {
    isRightToLeft,
    top,
    brand: words(brand, top),
    watermark: words(watermark, top, end),
    title: words(title, titleBox),
    rows,
    verdict: words(verdict, verdictBox),
    notes: [words(limits, limitsBox), words(facts, factsBox)].filter((note) => note !== null),
  }
}

interface Row {
  readonly side: PictureSide
  readonly texts: readonly (ShapedText | null)[]
  readonly y: number
  readonly room: number
  readonly isRightToLeft: boolean
}

/** Label and number on one line, the bar below, then the counts: together in the middle of their room. */
function rowOf(picture: ResultsPicture, { side, texts, y, room, isRightToLeft }: Row): PictureRow {
  const measures = MEASURES[picture.shape]
  const { edge, gap, bar: barHeight, shareWidth } = measures
  const [label = null, share = null, counts = null] = texts
  const frameSide = isPictured(picture) ? Math.min(measures.frame, room - gap * 0.5) : 0
  const width = rowWidth(picture, measures)
  const x = isPictured(picture) && !isRightToLeft ? edge + measures.frame + gap : edge
  const head = Math.max(heightOf(label), share === null ? 0 : share.size * 0.9)
  const inner = gap * 0.35
  const used = head + inner + barHeight + inner + heightOf(counts)
  const first = y + (room - used) / 2
  const [start, end] = isRightToLeft ? (['end', 'start'] as const) : (['start', 'end'] as const)
  const at = (top: number, height: number): Area => ({ x, y: top, width, height })
  const barTop = first + head + inner
  const labelWidth = width - shareWidth - gap
  const labelX = isRightToLeft ? x + shareWidth + gap : x
  const labelBox = { x: labelX, y: first + head - heightOf(label), width: labelWidth, height: heightOf(label) }
  const frameX = isRightToLeft ? edge + width + gap + (measures.frame - frameSide) : edge + measures.frame - frameSide
  const frameBox = { x: frameX, y: y + (room - frameSide) / 2, width: frameSide, height: frameSide }
  return {
    side,
    frame: side.picture === null ? null : frameBox,
    label: label && { text: label, box: labelBox, align: start },
    share: share && { text: share, box: at(first + head - share.size * 0.98, share.size * 0.9), align: end },
    counts: counts && { text: counts, box: at(barTop + barHeight + inner, heightOf(counts)), align: start },
    bar: at(barTop, barHeight),
  }
}

const LOGO_WIDTH = 560
const MOST_BYTES = 16 * 1024 * 1024

/** Pictures of results, drawn by the process of the share cards, with a queue and a cache of their own. */
export function pictureDrawer(deps: Deps, drawer: CardDrawer) {
  const kept = new KeptCards(MOST_BYTES)
  const read = pictureReader(deps)
  const draw = async (picture: ResultsPicture) =>
    pictureSvg(picture, pictureLayout(picture, await drawer.shape(pictureTexts(picture))), read)
  return (picture: ResultsPicture) => kept.find(pictureVersion(picture), () => drawer.draw(() => draw(picture), 'png'))
}

/** In the brand's light colours, as slides and print are. */
async function pictureSvg(picture: ResultsPicture, layout: PictureLayout, read: ReadPicture): Promise<string> {
  const { width, height } = MEASURES[picture.shape]
  const colors = { ...paletteOf(picture.theme, 'light'), ...pagePaletteOf(picture.theme, 'light') }
  const radius = RADII[picture.theme.radius]
  const dress: Dress = { colors, radius, isRightToLeft: layout.isRightToLeft, isPictured: true }
  const rows: Html[] = []
  for (const row of layout.rows) rows.push(await drawnRow(row, dress, read))
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${colors.card}"/>${[
    await topOf(picture.logo, layout, { ink: colors.muted, logoWidth: LOGO_WIDTH, read }),
    layout.title && written(layout.title, colors.text),
    rows,
    layout.verdict && written(layout.verdict, colors.text),
    layout.notes.map((note) => written(note, colors.muted)),
  ]}</svg>`.toString()
}

async function drawnRow({ side, frame, label, share, counts, bar }: PictureRow, dress: Dress, read: ReadPicture) {
  const { colors } = dress
  const drawing = frame && side.picture !== null ? await read(side.picture, frame) : null
  const id = `frame-${Math.round(bar.y)}`
  return html`${drawing && frame && placed(drawing, frame, { id, placement: side, dress })}${label && written(label, colors.text)}${share && written(share, colors.text)}${barWithReach(bar, side, dress)}${counts && written(counts, colors.muted)}`
}

/** The interval is a line with an end at either side. */
function barWithReach(
  box: Area,
  { length, interval, isAhead }: PictureRow['side'],
  { colors, isRightToLeft }: Dress,
): Html {
  const xAt = (share: number) => box.x + box.width * (isRightToLeft ? 1 - share : share)
  const middle = box.y + box.height / 2
  const [from, to] = [box.y + box.height * 0.2, box.y + box.height * 0.8]
  const reach =
    interval &&
    html`<path d="M${xAt(interval.low)} ${middle}H${xAt(interval.high)}M${xAt(interval.low)} ${from}V${to}M${xAt(interval.high)} ${from}V${to}" stroke="${colors.text}" stroke-width="4" stroke-linecap="round"/>`
  const ink = isAhead ? colors.chosen : colors.fill
  return html`${barOf(box, length, { round: 8, rest: [colors.line, '.55'], ink, isRightToLeft })}${reach}`
}
