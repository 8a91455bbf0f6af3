// base/error-catalogue: every error code with its status, message and details.

import type { z } from 'zod'
import { ACCESS_ERRORS } from './access-errors.ts'
import type { ErrorEntry } from './entry.ts'
import { REQUEST_ERRORS } from './request-errors.ts'
import { SERVICE_ERRORS } from './service-errors.ts'
import { VOTE_ERRORS } from './vote-errors.ts'
import { WRITE_ERRORS } from './write-errors.ts'

/** Every error that the service answers with, by its code. */
export const ERRORS = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...WRITE_ERRORS,
  ...VOTE_ERRORS,
  ...SERVICE_ERRORS,
}

export type ErrorCode = keyof typeof ERRORS

export type DetailsOf<Code extends ErrorCode> = z.output<(typeof ERRORS)[Code]['details']>

/** For code that iterates over all errors. To read one error, use `ERRORS`, which has the type of its details. */
export const errorEntries = Object.entries(ERRORS) as [ErrorCode, ErrorEntry][]
