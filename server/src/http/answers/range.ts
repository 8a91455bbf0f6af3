import { rangeNotSatisfiable } from '../../base/errors.ts'

interface Ranged {
  readonly size: number
  readonly etag: string
}

/**
 * Bun answers `Range` for files, but its 416 has no error envelope and may be cached forever, so this function refuses
 * the same ranges first. It ignores the ranges that Bun ignores: malformed, several, or of another version by If-Range.
 */
export function refuseUnsatisfiableRange({ headers }: Request, { size, etag }: Ranged): void {
  const range = headers.get('range')
  if (range === null) return
  const ifRange = headers.get('if-range')
  if (ifRange !== null && ifRange.trim() !== etag) return
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,18})-(\d{0,18})[ \t]*$/i.exec(range) ?? []
  const isBehind = first === '' ? last !== '' && Number(last) === 0 : Number(first) >= size
  if (isBehind) throw rangeNotSatisfiable(size)
}
