/** Metadata from a picture's headers, read before anything is decoded. */
export interface Container {
  readonly width: number
  readonly height: number
  readonly isAnimated: boolean
  readonly isLossless: boolean
}

/** Returns null for a file of another type. */
export type ReadContainer = (bytes: Uint8Array) => Container | 'damaged' | null

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export function hasText(bytes: Uint8Array, text: string, at: number): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** The four-character code of a chunk. */
export const chunkName = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
