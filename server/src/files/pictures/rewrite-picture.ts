// files/pictures: decodes pictures and encodes them again; only SVG is stored as it came.

import { throwStoreAway } from '../file-store.ts'
import { checkSvg } from '../svg/check-svg.ts'
import { type Rewriting, rewriteRaster, type Written } from './rewrite-raster.ts'

/** Writes what may be kept of the bytes of an upload; throws `PictureRefused` where that is nothing. */
export async function rewritePicture({ type, from, to }: Rewriting): Promise<Written> {
  if (type !== 'image/svg+xml') return rewriteRaster({ from, to, type })
  const bytes = await Bun.file(from).bytes()
  const size = checkSvg(bytes)
  return { byteSize: await Bun.write(to, bytes).catch(throwStoreAway), ...size }
}
