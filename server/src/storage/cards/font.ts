import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Noto Sans, under the SIL Open Font License: of what it has, cards write Latin, Greek and Cyrillic. */
export const FONT_PATH = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf'),
)
export const FONT_FAMILY = 'Noto Sans'

/** How wide the letters of a font are, and which it has. */
export interface Font {
  /** In parts of the font's size; null for what it has no letter for. */
  widthOf(character: string): number | null
}

let kept: Font | null = null

export function cardFont(): Font {
  kept ??= readFont(readFileSync(FONT_PATH))
  return kept
}

const [SEGMENTS, RANGES] = [4, 12]

/** Of a TrueType file the tables that say which letter is which, and how far each one goes. */
function readFont(file: Buffer): Font {
  const tables = new Map<string, Buffer>()
  for (let i = 0; i < file.readUInt16BE(4); i++) {
    const entry = file.subarray(12 + 16 * i)
    const start = entry.readUInt32BE(8)
    tables.set(entry.toString('latin1', 0, 4), file.subarray(start, start + entry.readUInt32BE(12)))
  }
  const table = (name: string): Buffer => tables.get(name) ?? Buffer.alloc(0)
  const unit = table('head').readUInt16BE(18)
  const lastWidth = table('hhea').readUInt16BE(34) - 1
  const glyphs = readGlyphs(table('cmap'))
  return {
    widthOf(character) {
      const glyph = glyphs.get(character.codePointAt(0) ?? 0)
      return glyph ? table('hmtx').readUInt16BE(4 * Math.min(glyph, lastWidth)) / unit : null
    },
  }
}

function readGlyphs(cmap: Buffer): ReadonlyMap<number, number> {
  const glyphs = new Map<number, number>()
  for (let i = 0; i < cmap.readUInt16BE(2); i++) {
    const part = cmap.subarray(cmap.readUInt32BE(8 + 8 * i))
    const format = part.readUInt16BE(0)
    if (format === SEGMENTS) readSegments(part, glyphs)
    if (format === RANGES) readRanges(part, glyphs)
  }
  return glyphs
}

function readSegments(part: Buffer, glyphs: Map<number, number>): void {
  const size = part.readUInt16BE(6)
  const [ends, starts, shifts, places] = [14, 16 + size, 16 + 2 * size, 16 + 3 * size]
  for (let at = 0; at < size; at += 2) {
    const [first, place] = [part.readUInt16BE(starts + at), part.readUInt16BE(places + at)]
    for (let code = first; code <= part.readUInt16BE(ends + at) && code < 0xffff; code++) {
      const listed = place === 0 ? code : part.readUInt16BE(places + at + place + 2 * (code - first))
      if (listed !== 0) glyphs.set(code, (listed + part.readUInt16BE(shifts + at)) & 0xffff)
    }
  }
}

function readRanges(part: Buffer, glyphs: Map<number, number>): void {
  for (let i = 0; i < part.readUInt32BE(12); i++) {
    const range = part.subarray(16 + 12 * i)
    const [first, last, glyph] = [range.readUInt32BE(0), range.readUInt32BE(4), range.readUInt32BE(8)]
    for (let code = first; code <= last; code++) glyphs.set(code, glyph + code - first)
  }
}
