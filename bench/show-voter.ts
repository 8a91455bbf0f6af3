import { backoff } from '../sdk/src/retry.ts'
import { unavailable } from '../server/src/base/errors.ts'

/**
 * The defaults of the client library, which a test compares: exported there, they would make it larger than it may be.
 * `retries` and `timeoutMs` are of `Http`, `lookEveryMs` is of `VoteQueue`.
 */
export const CLIENT = { retries: 3, timeoutMs: 10_000, lookEveryMs: 30_000 } as const

const RETRY_AFTER_MS = Number(unavailable().headers['Retry-After']) * 1_000

/** The number of attempts of the vote that a visitor sees, and of each later one from the queue of the browser. */
/** Of an embed, before the browser keeps the vote. */
export const FIRST_RETRIES = 2
const FIRST_ATTEMPTS = FIRST_RETRIES + 1
const LATER_ATTEMPTS = CLIENT.retries + 1

/** The refusals of one vote repeat their pauses after this many, so a longer history need not be kept. */
export const DISTINCT_REFUSALS = FIRST_ATTEMPTS + LATER_ATTEMPTS

/** The same pauses follow as after `refusals`, with a number that stays small. */
export const shortened = (refusals: number): number =>
  refusals <= DISTINCT_REFUSALS ? refusals : FIRST_ATTEMPTS + 1 + ((refusals - FIRST_ATTEMPTS - 1) % LATER_ATTEMPTS)

/**
 * How long an embed waits after a vote was answered 503 for the nth time. It retries with growing pauses; then the vote waits in
 * the queue of the browser, which sends it again in the same way without an end.
 */
export function pauseAfterRefusal(refusals: number, random: () => number = Math.random): number {
  const failures = failuresOfCall(refusals)
  return failures === 0 ? RETRY_AFTER_MS : RETRY_AFTER_MS + backoff(failures, random)
}

/** Without an answer there is no `Retry-After`, so the queue of the browser sends the vote when it next looks. */
export function pauseAfterSilence(refusals: number, random: () => number = Math.random): number {
  const failures = failuresOfCall(refusals)
  return failures === 0 ? random() * CLIENT.lookEveryMs : backoff(failures, random)
}

/** Failed attempts of the present call; 0 where the call has given up, and the queue waits before the next one. */
const failuresOfCall = (refusals: number): number =>
  refusals < FIRST_ATTEMPTS ? refusals : (refusals - FIRST_ATTEMPTS) % LATER_ATTEMPTS
