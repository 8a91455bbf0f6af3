import { createHash } from 'node:crypto'

/** Any JSON value that changes when what a PATCH can write changes. */
export type Version = string | number | null | readonly Version[]

export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 11)

/**
 * A strong tag in two parts: a digest of the version, which If-Match compares, then one of the whole answer, for
 * If-None-Match. So a vote makes a new tag, and fails no PATCH that was made for the one before.
 */
export const versionedTag = (version: Version, data: unknown): string => `"${digestOf(version)}.${digestOf(data)}"`
