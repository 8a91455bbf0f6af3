import { type Container, chunkName, hasText, type ReadContainer, viewOf } from './container.ts'

const ANIMATION = 0x02
/** Only the canvas, a colour profile and transparency come before the picture itself. */
const MOST_CHUNKS = 100

export const readWebp: ReadContainer = (bytes) => {
  if (!hasText(bytes, 'RIFF', 0) || !hasText(bytes, 'WEBP', 8)) return null
  const view = viewOf(bytes)
  const end = 8 + view.getUint32(4, true)
  if (end > bytes.length) return 'damaged'
  let canvas: Pick<Container, 'width' | 'height' | 'isAnimated'> | null = null
  for (let at = 12, chunks = 0; at + 8 <= end && chunks < MOST_CHUNKS; chunks++) {
    const next = at + 8 + view.getUint32(at + 4, true)
    if (next > end) return 'damaged'
    const chunk = bytes.subarray(at + 8, next)
    if (hasText(bytes, 'VP8X', at)) canvas = readCanvas(chunk)
    const picture = canvas?.isAnimated ? canvas : readFrame(chunkName(bytes, at), chunk)
    if (picture) return { isAnimated: false, ...picture, ...canvas, isLossless: hasText(bytes, 'VP8L', at) }
    at = next + (next % 2)
  }
  return 'damaged'
}

const NEEDED = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ICCP'])

export function isBareWebp(bytes: Uint8Array): boolean {
  const view = viewOf(bytes)
  let at = 12
  while (at + 8 <= bytes.length && NEEDED.has(chunkName(bytes, at))) {
    const length = view.getUint32(at + 4, true)
    at += 8 + length + (length % 2)
  }
  return at === bytes.length && 8 + view.getUint32(4, true) === bytes.length
}

function readCanvas(chunk: Uint8Array): Pick<Container, 'width' | 'height' | 'isAnimated'> | null {
  if (chunk.length < 10) return null
  const three = (at: number) => (chunk[at] ?? 0) + ((chunk[at + 1] ?? 0) << 8) + ((chunk[at + 2] ?? 0) << 16) + 1
  return { width: three(4), height: three(7), isAnimated: ((chunk[0] ?? 0) & ANIMATION) !== 0 }
}

function readFrame(name: string, chunk: Uint8Array): Pick<Container, 'width' | 'height'> | null {
  if (chunk.length < 10) return null
  const view = viewOf(chunk)
  if (name === 'VP8 ') return { width: view.getUint16(6, true) & 0x3fff, height: view.getUint16(8, true) & 0x3fff }
  if (name !== 'VP8L') return null
  const bits = view.getUint32(1, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
}
