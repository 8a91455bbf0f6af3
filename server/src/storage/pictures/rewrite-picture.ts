// storage/pictures: decodes pictures and encodes them again; nothing of an uploaded file is stored as it came.

import { throwStoreAway } from '../file-store.ts'
import { rewriteSvg } from '../svg/rewrite-svg.ts'
import { type Rewriting, rewriteRaster, type Written } from './rewrite-raster.ts'

/** Writes what may be kept of the bytes of an upload; throws `PictureRefused` where that is nothing. */
export async function rewritePicture({ type, from, to }: Rewriting): Promise<Written> {
  if (type !== 'image/svg+xml') return rewriteRaster({ from, to, type })
  const { bytes, ...size } = rewriteSvg(await Bun.file(from).bytes())
  return { byteSize: await Bun.write(to, bytes).catch(throwStoreAway), ...size }
}
