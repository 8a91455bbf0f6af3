import { DAY, HOUR, MINUTE } from '../../base/clock.ts'

export const BUCKETS = ['minute', 'hour', 'day'] as const
export type Bucket = (typeof BUCKETS)[number]

export const WIDTH_OF: Readonly<Record<Bucket, number>> = { minute: MINUTE, hour: HOUR, day: DAY }

export const MOST_POINTS = 2_000

/** From the start of one bucket to the end of another, in UTC. */
export interface Span {
  readonly from: number
  readonly to: number
}

export const startOf = (bucket: Bucket, at: number): number => Math.floor(at / WIDTH_OF[bucket]) * WIDTH_OF[bucket]

export const endOf = (bucket: Bucket, at: number): number => Math.ceil(at / WIDTH_OF[bucket]) * WIDTH_OF[bucket]

export const pointsIn = (bucket: Bucket, { from, to }: Span): number => (to - from) / WIDTH_OF[bucket]
