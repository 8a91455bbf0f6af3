import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../../base/errors.ts'
import type { Engine } from '../../db/store.ts'
import { retryBusy } from '../../db/transaction.ts'
import type { Ledger } from './ledger.ts'

/** A probe costs as much as a vote, so more frequent requests get the result of the last probe. */
const KEPT_MS = 1_000
/** A failed probe expires sooner: the database may recover at any time. */
const BAD_KEPT_MS = 250
const ANSWERED_WITHIN_MS = 2_000

interface ReadinessDeps {
  readonly engine: Engine
  readonly ledger: Pick<Ledger, 'isFull' | 'counts'>
}

interface Probe {
  readonly found: Promise<void>
  /** The number of votes that could not be stored, when the probe began. */
  readonly refused: number
  /** Infinity while the probe runs, so that a hanging database does not accumulate probes. */
  keptUntil: number
  isGood: boolean
}

/** Tests whether a vote could be stored now, by storing a row. */
export class Readiness {
  readonly #deps: ReadinessDeps
  #last: Probe | null = null

  constructor(deps: ReadinessDeps) {
    this.#deps = deps
  }

  /** Rejects if a vote could not be stored, or if the probe does not finish in time. */
  async check(): Promise<void> {
    if (this.#deps.ledger.isFull) throw unavailable(1, { reason: 'the queue of votes is full' })
    const { found } = this.#kept() ?? this.#probe()
    const isLate = pause(ANSWERED_WITHIN_MS, true, { ref: false })
    if (await Promise.race([found, isLate])) throw unavailable(1, { reason: 'the database did not answer in time' })
  }

  #kept(): Probe | null {
    const last = this.#last
    if (!last || performance.now() >= last.keptUntil) return null
    const isOutdated = last.isGood && this.#deps.ledger.counts.unavailable > last.refused
    return isOutdated ? null : last
  }

  #probe(): Probe {
    const { engine, ledger } = this.#deps
    const found = retryBusy(engine, () => engine.votes.probe())
    const probe = { found, refused: ledger.counts.unavailable, keptUntil: Number.POSITIVE_INFINITY, isGood: false }
    const keep = (isGood: boolean) => {
      probe.isGood = isGood
      probe.keptUntil = performance.now() + (isGood ? KEPT_MS : BAD_KEPT_MS)
    }
    found.then(
      () => keep(true),
      () => keep(false),
    )
    this.#last = probe
    return probe
  }
}
