// base/error-catalogue: every error code with its status, message and details, which `base/errors.ts` puts together.

import { z } from 'zod'

type ErrorHeader =
  | 'Accept-Encoding'
  | 'Retry-After'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'WWW-Authenticate'
  | 'Content-Range'

/** Everything about an error code. The reference, the guide and the client library are generated from it. */
export interface ErrorEntry<Details extends z.ZodType = z.ZodType> {
  readonly status: number
  readonly message: string | ((details: z.output<Details>) => string)
  readonly when: string
  readonly remedy: string
  readonly details: Details
  readonly example: z.output<Details>
  /** Headers that every answer with this code has; `someHeaders` lists those that only some have. */
  readonly headers?: readonly ErrorHeader[]
  readonly someHeaders?: readonly ErrorHeader[]
}

type Words = Pick<ErrorEntry, 'status' | 'when' | 'remedy' | 'headers'>

/** A function, so that the message and the example are type-checked against the schema beside them. */
export const withDetails = <Details extends z.ZodType>(entry: ErrorEntry<Details>): ErrorEntry<Details> => entry

const nothing = z.object({})

export const withoutDetails = (entry: Words & { readonly message: string }): ErrorEntry<typeof nothing> => ({
  ...entry,
  details: nothing,
  example: {},
})
