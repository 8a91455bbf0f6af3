import { type CheckContainer, viewOf } from './container.ts'

const [MARKER, START, END, SCAN, TEMPORARY] = [0xff, 0xd8, 0xd9, 0xda, 0x01]
/** Baseline files have one scan, progressive ones ten. Twelve bytes can add a scan, and each costs a pass over all pixels. */
const MOST_SCANS = 100
/** Each segment holds up to 64 KB; a photo from a camera has about twenty. */
const MOST_SEGMENTS = 1_000

const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7

/** Reads up to the end marker, because a decoder silently fills a truncated picture with grey. */
export const checkJpeg: CheckContainer = (bytes) => {
  if (bytes[0] !== MARKER || bytes[1] !== START || bytes[2] !== MARKER) return 'wrong_type'
  let scans = 0
  let found = 0
  for (const { marker } of segments(bytes)) {
    if (++found > MOST_SEGMENTS) return 'damaged'
    if (marker === SCAN && ++scans > MOST_SCANS) return 'damaged'
    if (marker === END) return null
  }
  return 'damaged'
}

/** JFIF, a colour profile, and Adobe's word on colours; the rest of the application segments and comments are metadata. */
const COLOURS = new Set([0xe0, 0xe2, 0xee])

export function isBareJpeg(bytes: Uint8Array): boolean {
  const all = [...segments(bytes)]
  const isMetadata = ({ marker }: Segment) =>
    (marker >= 0xe0 && marker <= 0xef && !COLOURS.has(marker)) || marker === 0xfe
  const last = all.at(-1)
  return last?.marker === END && last.data - 2 === bytes.length && !all.some(isMetadata)
}

interface Segment {
  readonly marker: number
  /** The offset of the segment's data, after the marker and the length. */
  readonly data: number
  readonly length: number
}

/** Stops at the first malformed segment. */
function* segments(bytes: Uint8Array): Generator<Segment> {
  for (let at = 2; at + 1 < bytes.length && bytes[at] === MARKER; ) {
    const marker = bytes[at + 1] ?? 0
    const bare = bareLength(marker)
    const length = bare > 0 ? 0 : lengthAt(bytes, at + 2)
    if (length === null) return
    if (bare === 0 || marker === END) yield { marker, data: at + 4, length }
    at += bare > 0 ? bare : 4 + length
    if (marker === SCAN) at = endOfScan(bytes, at)
  }
}

/** The length of a marker without data; 0 for other markers. A repeated 0xff is padding. */
function bareLength(marker: number): number {
  if (marker === MARKER) return 1
  return marker === END || marker === TEMPORARY || isRestart(marker) ? 2 : 0
}

/** The length of a segment's data, after its two length bytes; null if the file is shorter than that. */
function lengthAt(bytes: Uint8Array, at: number): number | null {
  if (at + 2 > bytes.length) return null
  const length = viewOf(bytes).getUint16(at) - 2
  return length >= 0 && at + 2 + length <= bytes.length ? length : null
}

/** The end of a scan. Within its data, 0xff is literal only if a zero follows. */
function endOfScan(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(MARKER, start); at >= 0; at = bytes.indexOf(MARKER, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== MARKER && !isRestart(next)) return at
  }
  return bytes.length
}
