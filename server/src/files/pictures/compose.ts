import { MOST_PIXELS, writeImage } from './container.ts'
import { focusOf, type Placement } from './photo.ts'
import { type Pixels, readPixels, writePixels } from './png.ts'
import type { Written } from './rewrite-picture.ts'

const LARGEST_SIDE = 512
const QUALITY = 82
const A_PIXEL = 4

/** A picture, and how it fills its half. */
export interface Part extends Placement {
  readonly path: string
}

/** Puts two pictures side by side. Bun.Image cannot combine pictures, so the pixels are copied here. */
export async function composePicture({ left, right, to }: { left: Part; right: Part; to: string }): Promise<Written> {
  const sides = [await shorterSide(left.path), await shorterSide(right.path)]
  const side = Math.min(LARGEST_SIDE, ...sides)
  const rgba = new Uint8Array(2 * side * side * A_PIXEL)
  for (const [place, part] of [left, right].entries()) {
    const { width, height, rgba: pixels } = await scaledTo(side, part)
    const focus = focusOf(part)
    const [x, y] = [Math.floor((width - side) * focus.x), Math.floor((height - side) * focus.y)]
    const length = Math.min(width, side) * A_PIXEL
    // A negative start is the space around a whole picture, which stays transparent.
    for (let row = Math.max(0, -y); row < Math.min(side, height - y); row++) {
      const from = ((row + y) * width + Math.max(0, x)) * A_PIXEL
      rgba.set(pixels.subarray(from, from + length), ((row * 2 + place) * side + Math.max(0, -x)) * A_PIXEL)
    }
  }
  const png = writePixels({ width: 2 * side, height: side, rgba })
  const byteSize = await writeImage(new Bun.Image(png).webp({ quality: QUALITY }), to)
  return { byteSize, width: 2 * side, height: side }
}

async function shorterSide(path: string): Promise<number> {
  const { width, height } = await new Bun.Image(path, { maxPixels: MOST_PIXELS }).metadata()
  return Math.min(width, height)
}

/** Scales the shorter side to `side`, or the longer one of a picture that is shown whole. */
async function scaledTo(side: number, { path, fit }: Part): Promise<Pixels> {
  const image = new Bun.Image(path, { maxPixels: MOST_PIXELS })
  const { width, height } = await image.metadata()
  const scale = side / (fit === 'contain' ? Math.max(width, height) : Math.min(width, height))
  const scaled = (length: number) => Math.max(fit === 'contain' ? 1 : side, Math.round(length * scale))
  return readPixels(await image.resize(scaled(width), scaled(height)).png({ compressionLevel: 0 }).bytes())
}

const WIDTHS = [320, 640, 960, 1280]

/** Never wider than the original: a narrow picture gets one variant of its own width. */
export const variantWidths = (width: number): number[] => [...new Set(WIDTHS.map((wanted) => Math.min(wanted, width)))]

export const makeVariant = ({ from, to, width }: { from: string; to: string; width: number }): Promise<number> => {
  const image = new Bun.Image(from, { maxPixels: MOST_PIXELS })
  return writeImage(image.resize(width, undefined, { withoutEnlargement: true }).webp({ quality: QUALITY }), to)
}
