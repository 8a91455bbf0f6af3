/** The error class of an attempt, as the delivery log shows it. */
export const FAILURES = [
  'http_status',
  'redirect',
  'timeout',
  'dns_failed',
  'address_refused',
  'connection_failed',
  'tls_failed',
  'malformed_answer',
] as const

export type Failure = (typeof FAILURES)[number]

/** Ends an attempt before there is an answer. */
export class AttemptFailed extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure)
    this.name = 'AttemptFailed'
    this.failure = failure
  }
}

const TLS = /CERT|TLS|SSL|SIGNATURE|ISSUER|CHAIN|SELF_SIGNED/
const MALFORMED = /^HPE_|PARSE|INVALID_?HTTP|MALFORMED|HEADER/i

/** Maps errors of node:https; anything else is a connection failure. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AttemptFailed) return error.failure
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (TLS.test(code)) return 'tls_failed'
  return MALFORMED.test(code) ? 'malformed_answer' : 'connection_failed'
}
