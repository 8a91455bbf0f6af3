import { instant, timestamp } from '../base/fields.ts'

interface Window {
  readonly opensAt?: number | null | undefined
  readonly closesAt?: number | null | undefined
}

/** A window in which nothing is ever open. */
export const isEmptyWindow = ({ opensAt = null, closesAt = null }: Window): boolean =>
  opensAt !== null && closesAt !== null && opensAt >= closesAt

export const EMPTY_WINDOW = { path: 'closesAt', code: 'before_opens_at', message: 'closesAt must be after opensAt.' }

/** The rule for a body, in the words of zod. */
export const windowRule = {
  path: [EMPTY_WINDOW.path],
  error: EMPTY_WINDOW.message,
  params: { code: EMPTY_WINDOW.code },
}

const opens = {
  description: 'When it opens; null where it is open from the start.',
  examples: ['2026-02-01T09:00:00.000Z'],
}
const closes = {
  description: 'The first moment at which it is closed; null where it never closes.',
  examples: ['2026-02-08T09:00:00.000Z'],
}

export const windowInput = {
  opensAt: instant.nullable().optional().meta(opens),
  closesAt: instant.nullable().optional().meta(closes),
}

export const windowAnswer = {
  opensAt: timestamp.nullable().meta(opens),
  closesAt: timestamp.nullable().meta(closes),
}
