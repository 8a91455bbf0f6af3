import { withoutDetails } from './entry.ts'

/** Failures of the service itself. */
export const SERVICE_ERRORS = {
  INTERNAL: withoutDetails({
    status: 500,
    message: 'Internal error. Try again later.',
    when: 'An unexpected failure in the service.',
    remedy:
      'Repeat the request later. If it fails again, send the `requestId` to the operator, who finds the cause in the log.',
  }),
  UNAVAILABLE: withoutDetails({
    status: 503,
    message: 'The service is temporarily unavailable. Try again shortly.',
    when: 'The database is unreachable, a queue is full, or the server is stopping.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, then repeat the request. Votes and writes with an idempotency key are safe to repeat.',
    headers: ['Retry-After'],
  }),
}
