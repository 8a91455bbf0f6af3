import { MOST_PIXELS, writeImage } from './container.ts'
import { type Pixels, readPixels, writePixels } from './png.ts'
import type { Written } from './rewrite-picture.ts'

const LARGEST_SIDE = 512
const QUALITY = 82

/** Puts the middles of two pictures side by side. Bun.Image cannot combine pictures, so the pixels are copied here. */
export async function composePicture({
  left,
  right,
  to,
}: {
  left: string
  right: string
  to: string
}): Promise<Written> {
  const sides = [await shorterSide(left), await shorterSide(right)]
  const side = Math.min(LARGEST_SIDE, ...sides)
  const halves = [await square(left, side), await square(right, side)]
  const rgba = new Uint8Array(2 * side * side * 4)
  for (const [place, half] of halves.entries()) {
    for (let y = 0; y < side; y++) rgba.set(middleRow(half, side, y), (y * 2 + place) * side * 4)
  }
  const png = writePixels({ width: 2 * side, height: side, rgba })
  const byteSize = await writeImage(new Bun.Image(png).webp({ quality: QUALITY }), to)
  return { byteSize, width: 2 * side, height: side }
}

async function shorterSide(path: string): Promise<number> {
  const { width, height } = await new Bun.Image(path, { maxPixels: MOST_PIXELS }).metadata()
  return Math.min(width, height)
}

/** Scales the shorter side to `side`; `middleRow` crops the longer side. */
async function square(path: string, side: number): Promise<Pixels> {
  const image = new Bun.Image(path, { maxPixels: MOST_PIXELS })
  const { width, height } = await image.metadata()
  const scaled = (length: number) => Math.max(side, Math.round((length * side) / Math.min(width, height)))
  return readPixels(await image.resize(scaled(width), scaled(height)).png({ compressionLevel: 0 }).bytes())
}

function middleRow({ width, height, rgba }: Pixels, side: number, y: number): Uint8Array {
  const start = ((y + Math.floor((height - side) / 2)) * width + Math.floor((width - side) / 2)) * 4
  return rgba.subarray(start, start + side * 4)
}

const WIDTHS = [320, 640, 960, 1280]

/** Never wider than the original: a narrow picture gets one variant of its own width. */
export const variantWidths = (width: number): number[] => [...new Set(WIDTHS.map((wanted) => Math.min(wanted, width)))]

export const makeVariant = ({ from, to, width }: { from: string; to: string; width: number }): Promise<number> => {
  const image = new Bun.Image(from, { maxPixels: MOST_PIXELS })
  return writeImage(image.resize(width, undefined, { withoutEnlargement: true }).webp({ quality: QUALITY }), to)
}
