// files/pictures: decodes pictures and encodes them again; only SVG is stored as it came.
import type { ContentType } from '../file-keys.ts'
import { throwStoreAway } from '../file-store.ts'
import { checkSvg } from '../svg/check-svg.ts'
import { isBareJpeg } from './jpeg.ts'
import { isBarePng } from './png.ts'
import { type Rewriting, rewriteRaster, type Written } from './rewrite-raster.ts'
import { isBareWebp } from './webp.ts'

/** True if the bytes hold a picture, its colours and nothing else: no metadata, and nothing behind its end. */
export function isBarePicture(type: ContentType, bytes: Uint8Array): boolean {
  if (type === 'image/png') return isBarePng(bytes)
  if (type === 'image/jpeg') return isBareJpeg(bytes)
  return type === 'image/webp' && isBareWebp(bytes)
}

/** Writes what may be kept of the bytes of an upload; throws `PictureRefused` where that is nothing. */
export async function rewritePicture({ type, from, to }: Rewriting): Promise<Written> {
  if (type !== 'image/svg+xml') return rewriteRaster({ from, to, type })
  const bytes = await Bun.file(from).bytes()
  const size = checkSvg(bytes)
  return { byteSize: await Bun.write(to, bytes).catch(throwStoreAway), ...size }
}
