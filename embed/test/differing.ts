import { type Pixels, readPixels } from '../../server/src/files/pictures/png.ts'
import { luminance as luminanceOf } from '../src/theme/colors.ts'

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The light of each value of a channel, which is that of the grey with it. */
const LIGHT = Float64Array.from({ length: 256 }, (_, i) => luminanceOf(`#${i.toString(16).padStart(2, '0').repeat(3)}`))

/** Stylesheets that change nothing leave the same pictures. */
const counted = new Map<number | bigint, number>()

/** In how many pixels of a box two screenshots, PNGs in base64, differ by at least that contrast. */
export async function differing(before: string, after: string, box: Box, ratio: number): Promise<number> {
  const key = Bun.hash(JSON.stringify([before, after, box, ratio]))
  const count = counted.get(key) ?? countIn(await pixelsOf(before), await pixelsOf(after), box, ratio)
  counted.set(key, count)
  return count
}

function countIn(left: Pixels, right: Pixels, box: Box, ratio: number): number {
  const [from, to] = [Math.max(0, Math.floor(box.left)), Math.min(box.right, left.width, right.width)]
  let count = 0
  for (let y = Math.max(0, Math.floor(box.top)); y < Math.min(box.bottom, left.height, right.height); y++)
    for (let x = from; x < to; x++) if (contrast(luminance(left, x, y), luminance(right, x, y)) >= ratio) count++
  return count
}

function luminance({ rgba, width }: Pixels, x: number, y: number): number {
  const at = 4 * (y * width + x)
  const [red = 0, green = 0, blue = 0] = [LIGHT[rgba[at] ?? 0], LIGHT[rgba[at + 1] ?? 0], LIGHT[rgba[at + 2] ?? 0]]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: number, other: number): number => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)

const KEPT = 8
/** The last screenshots, because each is compared several times. */
const decoded = new Map<string, Promise<Pixels>>()

/** Bun decodes in a third of the time of a page, to which a screenshot would be sent once more. */
function pixelsOf(shot: string): Promise<Pixels> {
  const pixels = decoded.get(shot) ?? decode(shot)
  decoded.set(shot, pixels)
  if (decoded.size > KEPT) decoded.delete(decoded.keys().next().value ?? '')
  return pixels
}

const decode = async (shot: string): Promise<Pixels> =>
  readPixels(await new Bun.Image(Buffer.from(shot, 'base64')).png({ compressionLevel: 0 }).bytes())
