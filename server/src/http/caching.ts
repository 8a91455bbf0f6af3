import { createHash } from 'node:crypto'
import { SECOND } from '../base/clock.ts'
import { CODINGS, type Coding } from './content-coding.ts'
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

/** Each coding of a body has a strong tag of its own. */
export const codedTag = (etag: string, coding: Coding | null): string =>
  coding === null ? etag : `${etag.slice(0, -1)}-${coding}"`

/** The tags of one content: plain, and in each coding. */
const tagsOf = (etag: string): string[] => [etag, ...CODINGS.map((coding) => codedTag(etag, coding))]

export function isNotModified({ headers }: Request, etag: string): boolean {
  const given = headers.get('if-none-match')
  return given !== null && knownTag(given, etag, etag) !== null
}

/**
 * The tag by which If-None-Match names this content, in whatever coding the client has it; null when it names another.
 * `selected` is the tag of the answer that would be sent.
 */
export function knownTag(ifNoneMatch: string, etag: string, selected: string): string | null {
  if (ifNoneMatch.trim() === '*') return selected
  const given = listedIn(ifNoneMatch).map((tag) => tag.trim().replace(/^W\//, ''))
  if (given.includes(selected)) return selected
  return tagsOf(etag).find((tag) => given.includes(tag)) ?? null
}
