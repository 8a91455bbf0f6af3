import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { DAY, HOUR, MINUTE, SECOND } from '../../../base/clock.ts'
import { OnDemandLoop } from '../../../base/work/on-demand-loop.ts'
import type { Engine, Tx } from '../../../db/store.ts'
import { relaxedTransaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { AttemptResult } from './attempt.ts'
import type { DeliveryPace } from './pace.ts'
import type { Resolve } from './target/name-lookups.ts'

/** The parameters of deliveries. Tests alone replace them. */
export interface DeliveryPolicy {
  /** The delay before each attempt but the first, from the end of the previous one, ±20 %. */
  readonly delaysMs: readonly number[]
  readonly timeoutMs: number
  /** After this time other servers take over the webhooks of a server that died. A heartbeat renews the leases of a live one. */
  readonly leaseMs: number
  /** The polling interval, for events of other servers and for retries that become due. */
  readonly pollMs: number
  /** The pause before an outcome that could not be recorded is tried again. */
  readonly tryAgainMs: number
  /** How long a stop waits for running attempts. */
  readonly drainMs: number
  readonly resolve?: Resolve
  readonly ca?: string
}

export const DELIVERY_POLICY: DeliveryPolicy = {
  delaysMs: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  timeoutMs: 15 * SECOND,
  leaseMs: 3 * SECOND,
  pollMs: SECOND,
  tryAgainMs: SECOND,
  drainMs: 5 * SECOND,
}

const LONGEST_RETRY_AFTER = DAY

interface Failed {
  /** Including the one that just failed. */
  readonly attempts: number
  readonly now: number
  readonly retryAfter: string | null
}

type Schedule = Pick<DeliveryPolicy, 'delaysMs'>

/** The time of the next attempt, or null after the last one. Never before the receiver's Retry-After. */
export function nextAttemptAt({ attempts, now, retryAfter }: Failed, { delaysMs }: Schedule): number | null {
  const delay = delaysMs[attempts - 1]
  if (delay === undefined) return null
  const jittered = delay * (0.8 + 0.4 * Math.random())
  return now + Math.round(Math.max(jittered, waitAskedFor(retryAfter, now)))
}

/** Seconds or an HTTP date; anything else is ignored. */
function waitAskedFor(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null
  const wait = seconds === null ? Date.parse(retryAfter) - now : seconds * SECOND
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), LONGEST_RETRY_AFTER) : 0
}

/** After this long with failures only, the webhook is disabled. */
const GIVE_UP_AFTER = 5 * DAY

/**
 * Records how attempts ended, many in one transaction: first on their webhooks, then on the deliveries, in the
 * lock order of a deletion. An outcome that a loss of power undoes is delivered again.
 */
export const recordOutcomes = (
  { engine, changes }: Pick<Deps, 'engine' | 'changes'>,
  outcomes: readonly AttemptResult[],
  policy: Schedule,
): Promise<void> =>
  relaxedTransaction(engine, async (tx) => {
    const ordered = outcomes.toSorted(
      (left, right) => left.webhookKey - right.webhookKey || left.endedAt - right.endedAt,
    )
    await lockWebhooks(engine, tx, ordered)
    for (const brandKey of await recordOnWebhooks(tx, ordered)) await changes.webhooks(tx, brandKey)
    for (const once of eachOnce(ordered)) await recordOnDeliveries(tx, once, policy)
  })

/**
 * Groups in which each delivery ended once, in order. One delivery has two outcomes when the first could not be recorded
 * for longer than its lease, as on a full disk, so that it was attempted again.
 */
function eachOnce(outcomes: readonly AttemptResult[]): AttemptResult[][] {
  const groups: AttemptResult[][] = []
  const ended = new Map<number, number>()
  for (const outcome of outcomes) {
    const earlier = ended.get(outcome.deliveryKey) ?? 0
    ended.set(outcome.deliveryKey, earlier + 1)
    groups[earlier] ??= []
    groups[earlier].push(outcome)
  }
  return groups
}

/** In the order of their keys, as their leases are renewed. */
const lockWebhooks = ({ forUpdate }: Pick<Engine, 'forUpdate'>, tx: Tx, outcomes: readonly AttemptResult[]) =>
  tx
    .selectFrom('webhooks')
    .select('key')
    .where('key', 'in', [...new Set(outcomes.map(({ webhookKey }) => webhookKey))])
    .orderBy('key')
    .modifyEnd(forUpdate)
    .execute()

/** Returns the brands of the webhooks that this disables. */
async function recordOnWebhooks(tx: Tx, outcomes: readonly AttemptResult[]): Promise<number[]> {
  const disabled: number[] = []
  const fine: number[] = []
  for (const [key, ended] of Map.groupBy(outcomes, ({ webhookKey }) => webhookKey)) {
    if (ended.every(({ failure }) => failure === null)) fine.push(key)
    else {
      await noteFailures(tx, key, ended)
      disabled.push(...(await disable(tx, ended)))
    }
  }
  if (fine.length > 0) {
    const now = Math.max(...outcomes.map(({ endedAt }) => endedAt))
    await tx
      .updateTable('webhooks')
      .set({ last_delivery_at: now, failing_since: null })
      .where('key', 'in', fine)
      .execute()
  }
  return disabled
}

async function noteFailures(tx: Tx, key: number, ended: readonly AttemptResult[]): Promise<void> {
  const lastSuccess = ended.findLast(({ failure }) => failure === null)
  const firstFailure = ended.slice(ended.findLastIndex(({ failure }) => failure === null) + 1)[0]
  const since = firstFailure?.endedAt ?? null
  await tx
    .updateTable('webhooks')
    .set((row) =>
      lastSuccess
        ? { last_delivery_at: lastSuccess.endedAt, failing_since: since }
        : { failing_since: row.fn.coalesce('failing_since', row.val(since)) },
    )
    .where('key', '=', key)
    .execute()
}

/** Only if the webhook still has the url that failed. */
async function disable(tx: Tx, ended: readonly AttemptResult[]): Promise<number[]> {
  const last = ended.at(-1)
  if (!last) return []
  const gone = ended.find(({ isGone }) => isGone)
  const rows = await tx
    .updateTable('webhooks')
    .set({ status: 'DISABLED', updated_at: last.endedAt })
    .where('key', '=', last.webhookKey)
    .where('url', '=', (gone ?? last).url)
    .where('status', '=', 'ACTIVE')
    .$if(!gone, (update) => update.where('failing_since', '<=', last.endedAt - GIVE_UP_AFTER))
    .returning('brand_key')
    .execute()
  return rows.map((row) => row.brand_key)
}

async function recordOnDeliveries(tx: Tx, outcomes: readonly AttemptResult[], policy: Schedule): Promise<void> {
  const keys = outcomes.map(({ deliveryKey }) => deliveryKey)
  const deliveries = tx.selectFrom('webhook_deliveries').select(['key', 'attempts', 'status'])
  const rows = await deliveries.where('key', 'in', keys).execute()
  const stored = new Map(rows.map((row) => [row.key, row]))
  // Missing deliveries were deleted with their webhook.
  const made = outcomes.flatMap((outcome) => {
    const row = stored.get(outcome.deliveryKey)
    return row ? [{ outcome, number: row.attempts + 1, isPending: row.status === 'pending' }] : []
  })
  if (made.length === 0) return
  await tx.insertInto('webhook_attempts').values(made.map(attemptRow)).execute()
  const succeeded = made.filter(({ outcome }) => outcome.failure === null).map(({ outcome }) => outcome.deliveryKey)
  if (succeeded.length > 0) {
    await tx
      .updateTable('webhook_deliveries')
      .set((row) => ({ status: 'succeeded', next_attempt_at: null, attempts: row('attempts', '+', 1) }))
      .where('key', 'in', succeeded)
      .execute()
  }
  for (const { outcome, number, isPending } of made) {
    if (outcome.failure === null) continue
    const failed = { attempts: number, now: outcome.endedAt, retryAfter: outcome.answer?.retryAfter ?? null }
    const next = nextAttemptAt(failed, policy)
    await tx
      .updateTable('webhook_deliveries')
      .set({
        attempts: number,
        ...(isPending ? { status: next === null ? 'failed' : 'pending', next_attempt_at: next } : {}),
      })
      .where('key', '=', outcome.deliveryKey)
      .execute()
  }
}

const attemptRow = ({ outcome, number }: { outcome: AttemptResult; number: number }) => ({
  delivery_key: outcome.deliveryKey,
  number,
  at: outcome.at,
  response_status: outcome.answer?.status ?? null,
  duration_ms: outcome.durationMs,
  error_class: outcome.failure,
  response_body: outcome.answer?.text ?? null,
})

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

/**
 * Outcomes that arrive during a write are written together. One that cannot be written is kept, or its delivery would repeat.
 */
export class OutcomeRecorder {
  readonly #parts: RecorderParts
  #waiting: { outcome: AttemptResult; done: () => void }[] = []
  readonly #loop = new OnDemandLoop(() => this.#run())

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
