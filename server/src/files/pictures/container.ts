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
