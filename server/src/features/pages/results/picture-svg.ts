import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { pagePaletteOf, paletteOf } from '../../../../../embed/src/theme/palette.ts'
import type { CardDrawer } from '../../../files/cards/card-drawer.ts'
import type { Deps } from '../../deps.ts'
import { KeptCards } from '../cards/card.ts'
import type { Area } from '../cards/card-layout.ts'
import { pictureReader } from '../cards/card-routes.ts'
import { barOf, type Dress, placed, RADII, type ReadPicture, topOf, written } from '../cards/card-svg.ts'
import { MEASURES, type PictureLayout, type PictureRow, pictureLayout, pictureTexts } from './picture-layout.ts'
import { pictureVersion, type ResultsPicture } from './results-picture.ts'

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
  for (const row of layout.rows) rows.push(await rowOf(row, dress, read))
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${colors.card}"/>${[
    await topOf(picture.logo, layout, { ink: colors.muted, logoWidth: LOGO_WIDTH, read }),
    layout.title && written(layout.title, colors.text),
    rows,
    layout.verdict && written(layout.verdict, colors.text),
    layout.notes.map((note) => written(note, colors.muted)),
  ]}</svg>`.toString()
}

async function rowOf({ side, frame, label, share, counts, bar }: PictureRow, dress: Dress, read: ReadPicture) {
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
