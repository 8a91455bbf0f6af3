import type { FACE_OF } from './faces.ts'

/** A text for a card, and the room that it has. */
export interface TextRequest {
  readonly text: string
  readonly fontStack: keyof typeof FACE_OF
  readonly width: number
  /** From the largest to the smallest: the first in which the text is whole is used, or else the last. */
  readonly fits: readonly Fit[]
}

interface Fit {
  readonly size: number
  readonly lines: number
}

/** The outline of a glyph, in units of its font, y upwards; and where it is, in pixels from the start of its line. */
export interface Glyph {
  readonly outline: string
  readonly x: number
  readonly y: number
  /** Pixels for a unit of the font. */
  readonly scale: number
}

export interface ShapedLine {
  readonly width: number
  readonly glyphs: readonly Glyph[]
}

export interface ShapedText {
  readonly direction: 'ltr' | 'rtl'
  readonly size: number
  readonly lines: readonly ShapedLine[]
}
