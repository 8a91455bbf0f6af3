import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { OnDemandLoop } from '../../../base/work/on-demand-loop.ts'
import type { Deps } from '../../deps.ts'
import type { AttemptResult } from './attempt.ts'
import type { DeliveryPolicy } from './delivery-policy.ts'
import type { DeliveryPace } from './pace.ts'
import { recordOutcomes } from './record-outcomes.ts'

const MOST_AT_ONCE = 200
/** Under pressure outcomes are gathered for this long. */
const GATHER_MS = 25

interface RecorderParts {
  readonly deps: Pick<Deps, 'engine' | 'changes' | 'log'>
  readonly policy: DeliveryPolicy
  readonly pace: DeliveryPace
  /** Aborted when there is no more time to record outcomes. */
  readonly breakingOff: AbortSignal
}

interface Waiting {
  readonly outcome: AttemptResult
  readonly done: () => void
}

/**
 * Outcomes that arrive during a write are written together. An outcome that cannot be written is kept:
 * dropping it would repeat the delivery for as long as the disk is full.
 */
export class OutcomeRecorder {
  readonly #parts: RecorderParts
  #waiting: Waiting[] = []
  readonly #loop = new OnDemandLoop(
    () => this.#run(),
    (error) => this.#parts.deps.log.error({ err: error }, 'writing outcomes of deliveries failed'),
  )

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  /** Resolves when the outcome is recorded, or when there is no more time. */
  record(outcome: AttemptResult): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ outcome, done })
      this.#loop.start()
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the event loop lets more outcomes join.
      await (this.#parts.pace.isSlow ? pause(GATHER_MS) : nextTurn())
      const group = this.#waiting.splice(0, MOST_AT_ONCE)
      await this.#write(group.map(({ outcome }) => outcome))
      for (const { done } of group) done()
    }
  }

  async #write(outcomes: readonly AttemptResult[]): Promise<void> {
    const { deps, policy, breakingOff } = this.#parts
    for (;;) {
      try {
        await recordOutcomes(deps, outcomes, policy)
        return
      } catch (error) {
        deps.log.error(
          { err: error, deliveries: outcomes.length },
          'the outcome of deliveries could not be written down',
        )
        if (breakingOff.aborted) return
        await pause(policy.tryAgainMs, undefined, { ref: false })
      }
    }
  }
}
