import { z } from 'zod'

export const ERROR_HEADERS = [
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'Content-Range',
] as const

/** All that is known of an error code. The reference, the guide and the client library are made from it. */
export interface ErrorEntry<Details extends z.ZodType = z.ZodType> {
  readonly status: number
  readonly message: string | ((details: z.output<Details>) => string)
  readonly when: string
  readonly remedy: string
  readonly details: Details
  readonly example: z.output<Details>
  readonly headers?: readonly (typeof ERROR_HEADERS)[number][]
}

type Words = Pick<ErrorEntry, 'status' | 'when' | 'remedy' | 'headers'>

/** A function, so that the message and the example are checked against the schema beside them. */
export const withDetails = <Details extends z.ZodType>(entry: ErrorEntry<Details>): ErrorEntry<Details> => entry

const nothing = z.object({})

export const withoutDetails = (entry: Words & { readonly message: string }): ErrorEntry<typeof nothing> => ({
  ...entry,
  details: nothing,
  example: {},
})
