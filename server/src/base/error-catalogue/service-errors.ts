import { withoutDetails } from './entry.ts'

/** The service itself cannot answer. */
export const SERVICE_ERRORS = {
  INTERNAL: withoutDetails({
    status: 500,
    message: 'Something went wrong on our side.',
    when: 'The service failed in a way that it did not expect.',
    remedy: 'Repeat the request later. If it fails again, tell the operator the `requestId`: the log names the cause.',
  }),
  UNAVAILABLE: withoutDetails({
    status: 503,
    message: 'The service cannot answer this now. Try again shortly.',
    when: 'The database is away, a queue is full, or the server is stopping.',
    remedy:
      'Wait for the seconds of `Retry-After`, then repeat the request. Votes and keyed writes are safe to repeat.',
    headers: ['Retry-After'],
  }),
}
