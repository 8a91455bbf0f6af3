import { createHash } from 'node:crypto'
import { AppError, invalidField } from '../base/errors.ts'

/** Any JSON value that changes when what a PATCH can write changes. */
export type Version = string | number | null | readonly Version[]

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 11)

/**
 * A strong tag in two parts: a digest of the version, which If-Match compares, then one of the whole answer, for
 * If-None-Match. So a vote makes a new tag, and fails no PATCH that was made for the one before.
 */
export const versionedTag = (version: Version, data: unknown): string => `"${digestOf(version)}.${digestOf(data)}"`

/** Throws 412 unless If-Match names `version`. To be called under the lock that the write holds. */
export type Precondition = (version: Version) => void

/** The refusal of If-Match on a write of something that has no ETag: to ignore the condition would be to break it. */
export const conditionNotSupported = () =>
  invalidField('If-Match', 'no_etag', 'This write has no ETag to compare: send it without If-Match.')

/** Null where nothing is asked. A weak tag is well-formed and names no version: the comparison is the strong one. */
export function readIfMatch(header: string | null): Precondition | null {
  if (header === null) return null
  const tags = header.trim() === '*' ? '*' : strongTagsIn(header)
  if (tags === null) throw invalidField('If-Match', 'invalid_format', 'Must be one or more quoted ETags, or *.')
  return (version) => {
    if (tags !== '*' && !tags.some((tag) => tag.startsWith(`${digestOf(version)}.`)))
      throw new AppError('PRECONDITION_FAILED')
  }
}

function strongTagsIn(header: string): string[] | null {
  const tag = /[ \t]*(W\/)?"([!#-~\u0080-\u00ff]*)"[ \t]*(?:,|$)/y
  const strong: string[] = []
  do {
    const found = tag.exec(header)
    if (!found) return null
    const [, weak, value = ''] = found
    if (weak === undefined) strong.push(value)
  } while (tag.lastIndex < header.length)
  return strong
}
