import { throwStoreAway } from '../file-store.ts'

const MESSAGES = {
  wrong_type: 'The bytes are not of the content type that the ticket was asked for.',
  damaged: 'The picture is damaged or not complete.',
  animated: 'A picture here stands still: animations are refused.',
  too_costly: 'The picture takes too much time or memory to read.',
  too_large: 'At most 8,192 pixels a side and 25 million in all.',
} as const

/** A message may quote a refused name, and a name can be megabytes long. */
const LONGEST_MESSAGE = 200

/** The uploaded bytes are not a picture that can be shown. */
export class PictureRefused extends Error {
  readonly code: string

  constructor(code: keyof typeof MESSAGES)
  constructor(code: 'unsafe_svg', message: string)
  constructor(code: keyof typeof MESSAGES | 'unsafe_svg', message?: string) {
    super((message ?? MESSAGES[code as keyof typeof MESSAGES]).slice(0, LONGEST_MESSAGE))
    this.name = 'PictureRefused'
    this.code = code
  }

  /** The same error as another process has thrown. */
  static from(code: string, message: string): PictureRefused {
    return new PictureRefused(code as 'unsafe_svg', message)
  }
}

export const MOST_PICTURE_BYTES = 5 * 1024 * 1024

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
