import type { Played } from './day-simulator.ts'

/** What a show did, simulated or real. */
export type ShowResult = Pick<Played, 'storedWithinSecond' | 'refusals' | 'longestWaitSeconds' | 'meanWaitSeconds'>

/** The same show, simulated with the slowest and with the fastest capacity that was measured beside it. */
export interface Simulations {
  readonly slow: ShowResult
  readonly fast: ShowResult
}

/**
 * A measured figure may be beyond both simulations by this factor. The burst that measures the capacity stores larger groups than the
 * ebb of a show, and the crowd shares the machine with the server.
 */
export const BOUND = 1.5
/** Added to each wait before it is compared: a shorter one says more about the scheduler than about the queue. */
export const GRACE_SECONDS = 1
/** Votes that may be off, as a part of all. */
const FEW = 0.05

/** The values outside of the bound, in words; empty if the simulation holds. */
export function differences(measured: ShowResult, { slow, fast }: Simulations, votes: number): string[] {
  const isWithin = (pick: (result: ShowResult) => number, grace: number) => {
    const ends = [pick(slow), pick(fast)]
    const value = pick(measured) + grace
    return value <= (Math.max(...ends) + grace) * BOUND && value >= (Math.min(...ends) + grace) / BOUND
  }
  const found = {
    'longest wait': isWithin(({ longestWaitSeconds }) => longestWaitSeconds, GRACE_SECONDS),
    'mean wait': isWithin(({ meanWaitSeconds }) => meanWaitSeconds, GRACE_SECONDS),
    'stored late': isWithin(({ storedWithinSecond }) => votes - storedWithinSecond, votes * FEW),
    refusals: isWithin(({ refusals }) => refusals, votes * FEW),
  }
  return Object.entries(found).flatMap(([name, holds]) => (holds ? [] : [name]))
}

export const LEAST_SHARE = 0.4

/** A round in which the server rarely had its core says how busy the machine was, and nothing about the simulator. */
export const judged = <Round extends { readonly share: number }>(rounds: readonly Round[]): Round[] =>
  rounds.filter(({ share }) => share >= LEAST_SHARE)

/** A busy machine can spoil a round, so most of them decide. */
export const isUpheld = (rounds: readonly (readonly string[])[]): boolean =>
  rounds.filter((found) => found.length === 0).length * 2 > rounds.length
