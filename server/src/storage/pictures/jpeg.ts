import { type ReadContainer, viewOf } from './container.ts'

const [MARKER, START, END, SCAN, TEMPORARY] = [0xff, 0xd8, 0xd9, 0xda, 0x01]
/** Start of frame, of every kind; 0xc4, 0xc8 and 0xcc in the same row are something else. */
const FRAME = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
const SHORTEST_FRAME = 8
/** A camera's has one, a progressive one ten. Each costs a walk through all pixels, and twelve bytes are enough for one. */
const MOST_SCANS = 100
/** Each holds up to 64 KB; a camera's picture has about twenty. */
const MOST_SEGMENTS = 1_000

const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7

/** Walks to the end of the picture: a decoder paints what is cut off grey, and says nothing. */
export const readJpeg: ReadContainer = (bytes) => {
  if (bytes[0] !== MARKER || bytes[1] !== START || bytes[2] !== MARKER) return null
  const view = viewOf(bytes)
  let size: { width: number; height: number } | null = null
  let scans = 0
  let found = 0
  for (const { marker, data, length } of segments(bytes)) {
    if (++found > MOST_SEGMENTS) return 'damaged'
    if (marker === SCAN && ++scans > MOST_SCANS) return 'damaged'
    if (marker === END && size) return { ...size, isAnimated: false, isLossless: false }
    if (FRAME.has(marker) && length >= SHORTEST_FRAME - 2) {
      size = { height: view.getUint16(data + 1), width: view.getUint16(data + 3) }
    }
  }
  return 'damaged'
}

interface Segment {
  readonly marker: number
  /** Where its data begins, behind the marker and the length. */
  readonly data: number
  readonly length: number
}

/** Up to the first thing that is out of place. */
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

/** Markers that nothing belongs to; a repeated first byte is only filling. */
function bareLength(marker: number): number {
  if (marker === MARKER) return 1
  return marker === END || marker === TEMPORARY || isRestart(marker) ? 2 : 0
}

/** Of the data behind the two bytes that say it; null when there is not so much. */
function lengthAt(bytes: Uint8Array, at: number): number | null {
  if (at + 2 > bytes.length) return null
  const length = viewOf(bytes).getUint16(at) - 2
  return length >= 0 && at + 2 + length <= bytes.length ? length : null
}

/** In the data of a scan 0xff stands for itself only with a zero behind it. */
function endOfScan(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(MARKER, start); at >= 0; at = bytes.indexOf(MARKER, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== MARKER && !isRestart(next)) return at
  }
  return bytes.length
}
