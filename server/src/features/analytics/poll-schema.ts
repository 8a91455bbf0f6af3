import { z } from 'zod'
import { instant, timestamp } from '../../base/fields.ts'
import { BUCKETS, MOST_POINTS } from './buckets.ts'

export const voterEvent = z
  .strictObject({
    respondentId: z.string(),
    option: z.enum(['A', 'B']),
    votedAt: timestamp,
    position: z.int().positive(),
  })
  .meta({ id: 'VoterEvent' })

export type VoterEvent = z.infer<typeof voterEvent>

/** A later moment would end its bucket in a year of five digits. */
const LAST_MOMENT = Date.parse('9999-12-31T00:00:00Z')

const moment = instant.refine((value) => value <= LAST_MOMENT, {
  error: 'At the latest 9999-12-31T00:00:00Z.',
  params: { code: 'too_late' },
})

export const timelineQuery = z.object({
  bucket: z.enum(BUCKETS).default('hour'),
  from: moment.optional(),
  to: moment.optional(),
})

const point = z.strictObject({ at: timestamp, optionA: z.int().nonnegative(), optionB: z.int().nonnegative() })

export const timeline = z
  .strictObject({ bucket: z.enum(BUCKETS), from: timestamp, to: timestamp, points: z.array(point).max(MOST_POINTS) })
  .meta({ id: 'Timeline' })
