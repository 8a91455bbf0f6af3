import { MOST_PIXELS, writeImage } from './container.ts'

const WIDTHS = [320, 640, 1024]
const QUALITY = 82

/** Never wider than the original: a narrow picture gets one variant of its own width. */
export const variantWidths = (width: number): number[] => [...new Set(WIDTHS.map((wanted) => Math.min(wanted, width)))]

interface VariantJob {
  readonly from: string
  readonly to: string
  readonly width: number
}

export const makeVariant = ({ from, to, width }: VariantJob): Promise<number> => {
  const image = new Bun.Image(from, { maxPixels: MOST_PIXELS })
  return writeImage(image.resize(width, undefined, { withoutEnlargement: true }).webp({ quality: QUALITY }), to)
}
