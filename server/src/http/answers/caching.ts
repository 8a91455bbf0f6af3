import { createHash } from 'node:crypto'
import { SECOND } from '../../base/clock.ts'
import { rangeNotSatisfiable } from '../../base/errors.ts'
import { CODINGS, type Coding } from './content-coding.ts'
import { listedIn } from './negotiate.ts'

const SHARED_SECONDS = 2
/** By seconds. */
const SHARED_FOR = Array.from({ length: SHARED_SECONDS + 1 }, (_, i) => `public, max-age=0, s-maxage=${i}`)

/** A strong ETag: a digest of the body's bytes. */
export const etagOf = (body: string | Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`

/** A shared cache may keep an answer for 2 s, but never past its next change by the clock. */
export function publicCacheControl(now: number, changesAt: number | null | undefined): string {
  const untilChange = changesAt ? Math.max(0, Math.floor((changesAt - now) / SECOND)) : SHARED_SECONDS
  return SHARED_FOR[Math.min(SHARED_SECONDS, untilChange)] as string
}

/** How long a shared cache may keep a public answer. */
export const publicCaching = (now: number, { changesAt }: { changesAt: number | null }): Record<string, string> => ({
  'Cache-Control': publicCacheControl(now, changesAt),
})

/** Each content coding of a body has a strong tag of its own. */
export const codedTag = (etag: string, coding: Coding | null): string =>
  coding === null ? etag : `${etag.slice(0, -1)}-${coding}"`

/** All tags of one body: uncompressed, and in each coding. */
const tagsOf = (etag: string): string[] => [etag, ...CODINGS.map((coding) => codedTag(etag, coding))]

export function isNotModified({ headers }: Request, etag: string): boolean {
  const given = headers.get('if-none-match')
  return given !== null && knownTag(given, etag, etag) !== null
}

/** The tag in If-None-Match that matches this body in any coding, first `selected`, which would be sent; or null. */
export function knownTag(ifNoneMatch: string, etag: string, selected: string): string | null {
  // Nearly always: a client repeats the tag that it was sent.
  if (ifNoneMatch === selected || ifNoneMatch.trim() === '*') return selected
  const given = listedIn(ifNoneMatch).map((tag) => tag.trim().replace(/^W\//, ''))
  if (given.includes(selected)) return selected
  return tagsOf(etag).find((tag) => given.includes(tag)) ?? null
}

/**
 * Bun answers `Range` for files, but its 416 has no error envelope and may be cached forever, so this function refuses
 * the same ranges first. It ignores the ranges that Bun ignores: malformed, several, or of another version by If-Range.
 */
export function refuseUnsatisfiableRange({ headers }: Request, { size, etag }: { size: number; etag: string }): void {
  const range = headers.get('range')
  if (range === null) return
  const ifRange = headers.get('if-range')
  if (ifRange !== null && ifRange.trim() !== etag) return
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,18})-(\d{0,18})[ \t]*$/i.exec(range) ?? []
  const isBehind = first === '' ? last !== '' && Number(last) === 0 : Number(first) >= size
  if (isBehind) throw rangeNotSatisfiable(size)
}
