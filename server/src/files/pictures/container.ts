import { throwStoreAway } from '../file-store.ts'

export const MOST_PIXELS = 25_000_000

export const imageErrorOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_IMAGE_') ? String(error.code) : null

/** From file to file, past our own memory. What is no fault of the picture is one of the disk. */
export async function writeImage(image: Bun.Image, to: string): Promise<number> {
  try {
    return await image.write(to)
  } catch (error) {
    if (imageErrorOf(error)) throw error
    return throwStoreAway(error)
  }
}

/** Why the bytes are no picture of their type that may be decoded. Its size is read by Bun.Image, from the header. */
export type Fault = 'wrong_type' | 'damaged' | 'animated'

/** Null for a picture that is whole, as far as a decoder would not say it. */
export type CheckContainer = (bytes: Uint8Array) => Fault | null

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export function hasText(bytes: Uint8Array, text: string, at: number): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** The four-character code of a chunk. */
export const chunkName = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))

export interface Box {
  readonly width: number
  readonly height: number
}

/** A picture as a data URL, scaled to fit the box. A PNG, because the renderer of the cards cannot read WebP. */
export async function photoFor({ path, box }: { path: string; box: Box }): Promise<string> {
  const image = new Bun.Image(path, { maxPixels: MOST_PIXELS })
  const { width, height } = await image.metadata()
  const scale = Math.min(1, Math.max(box.width / width, box.height / height))
  const scaled = (length: number) => Math.max(1, Math.round(length * scale))
  const png = await image.resize(scaled(width), scaled(height)).png({ compressionLevel: 1 }).bytes()
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`
}
