/** The error class of an attempt, as the delivery log shows it. */
export const FAILURES = [
  'http_status',
  'redirect',
  'timeout',
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

/** Errors of the runtime's parser of HTTP. */
const MALFORMED = /^HPE_/
const TLS = /CERT|TLS|SSL|SIGNATURE|ISSUER|CHAIN|SELF_SIGNED/

/** Anything that the parser and TLS do not name is a connection failure. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AttemptFailed) return error.failure
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (MALFORMED.test(code)) return 'malformed_answer'
  return TLS.test(code) ? 'tls_failed' : 'connection_failed'
}
