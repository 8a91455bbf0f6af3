import { type CheckContainer, chunkName, hasText, viewOf } from './container.ts'

const ANIMATION = 0x02
/** Only the canvas, a colour profile and transparency come before the picture itself. */
const MOST_CHUNKS = 100

/** A decoder reads the rest to its end. */
export const checkWebp: CheckContainer = (bytes) => {
  if (!hasText(bytes, 'RIFF', 0) || !hasText(bytes, 'WEBP', 8)) return 'wrong_type'
  return hasText(bytes, 'VP8X', 12) && ((bytes[20] ?? 0) & ANIMATION) !== 0 ? 'animated' : null
}

export function isLosslessWebp(bytes: Uint8Array): boolean {
  for (let at = 12, chunks = 0; at + 8 <= bytes.length && chunks < MOST_CHUNKS; chunks++) {
    const name = chunkName(bytes, at)
    if (name === 'VP8L' || name === 'VP8 ') return name === 'VP8L'
    const length = viewOf(bytes).getUint32(at + 4, true)
    at += 8 + length + (length % 2)
  }
  return false
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
