import { JobKilled } from '../../base/isolation/job.ts'
import { isFileKey } from '../file-keys.ts'
import type { FileStore } from '../file-store.ts'
import { type Box, imageErrorOf } from '../pictures/container.ts'
import type { Decoding } from '../pictures/decoding.ts'
import type { Photo } from '../pictures/photo.ts'

const LARGEST_SVG = 32 * 1024
/** SVG features with which a few bytes can take too long to draw, or which load, and numbers that hide their names. A card leaves out such a logo. */
const EXPENSIVE =
  /&#|<(?:[\w-]+:)?(?:mask|pattern|filter|use|image|clippath|symbol|marker)\b|\b(?:filter|mask|mix-blend-mode|opacity)\b/i

/** A photo, or a drawing, whose size its renderer finds out. */
export type CardPicture = Photo | { readonly href: string; readonly width?: undefined }

/** A stored file as a data URL, scaled to fit the box. Null if the file is missing or not a picture. */
export async function cardPicture(
  { files, decoding }: { files: FileStore; decoding: Decoding },
  key: string,
  box: Box,
): Promise<CardPicture | null> {
  if (!isFileKey(key)) return null
  const file = await files.borrow(key)
  if (!file) return null
  try {
    return key.endsWith('.svg') ? await drawing(file.path) : await decoding.photo(file.path, box)
  } catch (error) {
    if (imageErrorOf(error) || error instanceof JobKilled) return null
    throw error
  } finally {
    await file.giveBack()
  }
}

async function drawing(path: string): Promise<CardPicture | null> {
  const file = Bun.file(path)
  if (file.size > LARGEST_SVG) return null
  const svg = await file.text()
  return EXPENSIVE.test(svg) ? null : { href: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` }
}
