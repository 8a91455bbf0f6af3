import { Direction, Buffer as ShapeBuffer, shape } from 'harfbuzzjs'
import type { Glyph, ShapedLine, ShapedText, TextRequest } from './card-drawer.ts'
import { FACE_OF, type FaceName, faceNamed } from './faces.ts'
import {
  directionIn,
  type Faces,
  KANA,
  type ReadingDirection,
  type Run,
  runsOf,
  wrapped,
  writable,
} from './text-lines.ts'

/** Shapes the texts of one card. Null for a text that no face can write. */
export function shapeTexts(requests: readonly TextRequest[]): (ShapedText | null)[] {
  const han = requests.some(({ text }) => KANA.test(text)) ? 'japanese' : 'chinese'
  return requests.map((request) => shapeText(request, { theme: FACE_OF[request.fontStack], han }))
}

function shapeText({ text, width, fits }: TextRequest, faces: Faces): ShapedText | null {
  const written = writable(text, faces)
  if (written === null) return null
  const direction = directionIn(written)
  const unit = new Map<string, number>()
  /** The width of a line of the size 1. */
  const widthOf = (line: string): number => {
    const known = unit.get(line) ?? widthIn(line, direction, faces)
    unit.set(line, known)
    return known
  }
  const last = fits.at(-1)
  for (const fit of fits) {
    const { size, lines } = fit
    const found = wrapped(written, { width: width / size, lines, widthOf })
    if (found.isWhole || fit === last) {
      return { direction, size, lines: found.lines.map((line) => shapeLine(line, size, { direction, faces })) }
    }
  }
  return null
}

function widthIn(line: string, direction: ReadingDirection, faces: Faces): number {
  return runsOf(line, direction, faces).reduce((sum, run) => sum + advanceOf(run), 0)
}

const advanceOf = (run: Run): number =>
  positionsOf(run).reduce((sum, { xAdvance }) => sum + xAdvance, 0) / faceNamed(run.face).unitsPerEm

function shapeLine(
  line: string,
  size: number,
  { direction, faces }: { readonly direction: ReadingDirection; readonly faces: Faces },
): ShapedLine {
  const glyphs: Glyph[] = []
  let x = 0
  for (const run of runsOf(line, direction, faces)) {
    const scale = size / faceNamed(run.face).unitsPerEm
    for (const { id, xAdvance, xOffset, yOffset } of positionsOf(run)) {
      const outline = outlineOf(run.face, id)
      if (outline !== '') glyphs.push({ outline, x: x + xOffset * scale, y: -yOffset * scale, scale })
      x += xAdvance * scale
    }
  }
  return { width: x, glyphs }
}

function positionsOf({ text, face, isRightToLeft }: Run) {
  const buffer = new ShapeBuffer()
  buffer.addText(text)
  buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR)
  buffer.guessSegmentProperties()
  shape(faceNamed(face).font, buffer)
  const positions = buffer.getGlyphPositions()
  return buffer.getGlyphInfos().map(({ codepoint }, i) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[i] ?? {}
    return { id: codepoint, xAdvance, xOffset, yOffset }
  })
}

const outlineOf = (face: FaceName, id: number): string => faceNamed(face).font.glyphToPath(id)
