type Reason = 'processor time' | 'memory' | 'crash'

/** The work passed a limit, or its process crashed: the input is to blame, and another try would end the same way. */
export class JobKilled extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(reason === 'crash' ? 'the process crashed' : `the work passed its limit of ${reason}`)
    this.name = 'JobKilled'
    this.reason = reason
  }
}

/** An error as it comes out of the process. */
export interface ThrownInJob {
  readonly name: string
  readonly message: string
  readonly code: string
}

/** The work itself threw. */
export class JobFailed extends Error {
  readonly thrown: ThrownInJob
  readonly code: string

  constructor(thrown: ThrownInJob) {
    super(thrown.message)
    this.name = 'JobFailed'
    this.thrown = thrown
    this.code = thrown.code
  }
}
