import { type Decoding, MOST_PIXELS, writeImage } from './decoding.ts'

const WIDTHS = [320, 640, 1024]
const QUALITY = 82

/** Never larger than the picture is: a narrow one has a variant of its own width. */
export const variantWidths = (width: number): number[] => [...new Set(WIDTHS.map((wanted) => Math.min(wanted, width)))]

interface Wanted {
  readonly decoding: Decoding
  readonly from: string
  readonly to: string
  readonly width: number
}

export const makeVariant = ({ decoding, from, to, width }: Wanted): Promise<number> =>
  decoding.run(() => {
    const image = new Bun.Image(from, { maxPixels: MOST_PIXELS })
    return writeImage(image.resize(width, undefined, { withoutEnlargement: true }).webp({ quality: QUALITY }), to)
  })
