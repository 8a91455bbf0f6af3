import { crc32 } from 'node:zlib'
import { type Container, hasText, type ReadContainer, viewOf } from './container.ts'

const SIGNATURE = '\x89PNG\r\n\x1a\n'
const AROUND_DATA = 12

/** Every chunk must be whole and in order up to IEND: a decoder would make do with less. */
export const readPng: ReadContainer = (bytes) => {
  if (!hasText(bytes, SIGNATURE, 0)) return null
  const view = viewOf(bytes)
  let header: Pick<Container, 'width' | 'height'> | null = null
  let isAnimated = false
  for (let at = SIGNATURE.length; at + AROUND_DATA <= bytes.length; ) {
    const end = at + AROUND_DATA + view.getUint32(at)
    if (end > bytes.length || view.getUint32(end - 4) !== crc32(bytes.subarray(at + 4, end - 4))) return 'damaged'
    const name = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1')
    if (!header) {
      if (name !== 'IHDR' || end - at !== AROUND_DATA + 13) return 'damaged'
      header = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
    }
    isAnimated ||= name === 'acTL'
    if (name === 'IEND') return { ...header, isAnimated, isLossless: true }
    at = end
  }
  return 'damaged'
}
