import { instant, timestamp } from '../../base/fields.ts'

/** True for a window in which nothing can ever be open. */
export const isEmptyWindow = ({
  opensAt = null,
  closesAt = null,
}: {
  opensAt?: number | null | undefined
  closesAt?: number | null | undefined
}): boolean => opensAt !== null && closesAt !== null && opensAt >= closesAt

export const EMPTY_WINDOW = { path: 'closesAt', code: 'before_opens_at', message: 'Must be after opensAt.' }

/** The zod issue for a body with an empty window. */
export const windowRule = {
  path: [EMPTY_WINDOW.path],
  error: EMPTY_WINDOW.message,
  params: { code: EMPTY_WINDOW.code },
}

const opens = {
  description: 'When it opens; null if it is open from the start.',
  examples: ['2026-02-01T09:00:00.000Z'],
}
const closes = {
  description: 'When it closes; null if it never closes.',
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
