import { createHash } from 'node:crypto'
import { SECOND } from '../base/clock.ts'
import { listedIn } from './negotiate.ts'

const SHARED_SECONDS = 2

/** Strong: made from the very bytes of the body. */
export const etagOf = (body: string | Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`

/** A cache between us and the visitor may keep an answer for 2 s, but never past its next change by the clock. */
export function publicCacheControl(now: number, changesAt: number | null | undefined): string {
  const untilChange = changesAt ? Math.max(0, Math.floor((changesAt - now) / SECOND)) : SHARED_SECONDS
  return `public, max-age=0, s-maxage=${Math.min(SHARED_SECONDS, untilChange)}`
}

export function isNotModified(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  return listedIn(ifNoneMatch).some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}
