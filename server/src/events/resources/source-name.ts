import { z } from 'zod'

/** Stands for every source that a brand has not declared. */
export const OTHER_SOURCE = 'other'

/** The name of a place that links to polls. */
export const sourceNameText = z
  .string()
  .regex(/^[a-z0-9_-]{1,40}$/, 'Must have 1 to 40 lower-case letters, digits, hyphens and underscores.')

/** The name of a source that a brand may declare. */
export const declaredSource = sourceNameText.refine((value) => value !== OTHER_SOURCE, {
  error: 'Must not be "other", which is every source that is not declared.',
  params: { code: 'reserved_name' },
})

export const MOST_SOURCE_NAMES = 200
