import { isFileKey } from '../file-keys.ts'
import type { FileStore } from '../file-store.ts'
import { type Decoding, imageErrorOf, MOST_PIXELS } from '../pictures/decoding.ts'

const LARGEST_SVG = 32 * 1024
/** By these a few bytes can take longer to draw than a card may: a logo that has any of them is not drawn, and the name stands alone. */
const DEAR =
  /<(?:[\w-]+:)?(?:mask|pattern|filter|use|image|clippath|symbol|marker)\b|\b(?:filter|mask|mix-blend-mode|opacity)\b/i

interface Store {
  readonly files: FileStore
  readonly decoding: Decoding
}

interface Box {
  readonly width: number
  readonly height: number
}

/** A file of ours as an address that holds it, no larger than a box asks for. Null when it is not there or no picture. */
export async function cardPicture({ files, decoding }: Store, key: string, box: Box): Promise<string | null> {
  if (!isFileKey(key)) return null
  const file = await files.borrow(key)
  if (!file) return null
  try {
    return key.endsWith('.svg') ? await drawing(file.path) : await decoding.run(() => photo(file.path, box))
  } catch (error) {
    if (imageErrorOf(error)) return null
    throw error
  } finally {
    await file.giveBack()
  }
}

async function drawing(path: string): Promise<string | null> {
  const file = Bun.file(path)
  if (file.size > LARGEST_SVG) return null
  const svg = await file.text()
  return DEAR.test(svg) ? null : dataUrl('image/svg+xml', Buffer.from(svg))
}

/** As a PNG, because what draws the card knows no WebP. */
async function photo(path: string, box: Box): Promise<string> {
  const image = new Bun.Image(path, { maxPixels: MOST_PIXELS })
  const { width, height } = await image.metadata()
  const scale = Math.min(1, Math.max(box.width / width, box.height / height))
  const scaled = (length: number) => Math.max(1, Math.round(length * scale))
  return dataUrl('image/png', await image.resize(scaled(width), scaled(height)).png({ compressionLevel: 1 }).bytes())
}

const dataUrl = (type: string, bytes: Uint8Array): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
