import type { ContentType } from '../file-keys.ts'
import { isBareJpeg } from './jpeg.ts'
import { isBarePng } from './png.ts'
import { isBareWebp } from './webp.ts'

/** True if the bytes hold a picture, its colours and nothing else: no metadata, and nothing behind its end. */
export function isBarePicture(type: ContentType, bytes: Uint8Array): boolean {
  if (type === 'image/png') return isBarePng(bytes)
  if (type === 'image/jpeg') return isBareJpeg(bytes)
  return type === 'image/webp' && isBareWebp(bytes)
}
