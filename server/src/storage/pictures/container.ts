/** What a picture's file says of itself, before anything of it is decoded. */
export interface Container {
  readonly width: number
  readonly height: number
  readonly isAnimated: boolean
  readonly isLossless: boolean
}

/** Null: not of this type at all. */
export type ReadContainer = (bytes: Uint8Array) => Container | 'damaged' | null

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const hasText = (bytes: Uint8Array, text: string, at: number): boolean =>
  Buffer.from(bytes.subarray(at, at + text.length)).toString('latin1') === text
