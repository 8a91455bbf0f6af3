import type { Log } from '../../base/log.ts'
import type { Ledger } from './ledger.ts'

/** In seconds; a bound of the ledger's histogram. */
const LONG_WAIT = 0.1
/** A few votes prove nothing: a single one also waits for a checkpoint. */
const ENOUGH_VOTES = 5

/** Logs when most votes since the last look waited long for their commit: votes are only as fast as the disk. */
export class WaitWatch {
  readonly #log: Log
  readonly #waits: Ledger['waits']
  #seen = { all: 0, short: 0 }

  constructor(log: Log, { waits }: Pick<Ledger, 'waits'>) {
    this.#log = log
    this.#waits = waits
  }

  async look(): Promise<void> {
    const now = { all: this.#waits.count, short: this.#waits.countUpTo(LONG_WAIT) }
    const votes = now.all - this.#seen.all
    const slow = votes - (now.short - this.#seen.short)
    this.#seen = now
    if (votes < ENOUGH_VOTES || slow * 2 < votes) return
    this.#log.warn({ votes, slow }, 'votes waited more than 100 ms to be stored: the disk or the database is slow')
  }
}

export type RefusalReason = 'rate' | 'challenge' | 'origin' | 'invalid'

export interface CountedVote {
  /** From the client's own network to the widest one around it. */
  readonly networks: readonly [string, ...string[]]
  /** A challenge was solved for it. */
  readonly isSolved: boolean
  readonly hasOrigin: boolean
}

/** Is told of every vote that is counted, and of those that are refused by a measure against stuffing or as malformed. */
export interface VoteWatch {
  counted(pollKey: number, vote: CountedVote): void
  refused(pollKey: number, reason: RefusalReason): void
}
