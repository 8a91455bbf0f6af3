import { Cache } from '../../../base/cache.ts'
import { HOUR, MINUTE } from '../../../base/clock.ts'
import type { Incoming } from '../../../http/incoming.ts'

/** Polls whose votes are watched; a poll that is evicted starts from zero. */
const MOST_POLLS = 10_000
/** Below so many votes a minute no poll is under pressure: a usual beginning. */
const CALM_VOTES = 30
const MINUTES_OF_AVERAGE = HOUR / MINUTE

/** From no pressure to the highest. */
export type Level = 0 | 1 | 2 | 3

/** Shares of a network's limit from which on each level begins. */
const USED_SHARES = [1 / 4, 1 / 2, 3 / 4]
/** How many times its usual votes a poll gets a minute when each level begins. */
const TIMES_USUAL = [4, 8, 16]

interface Rate {
  minute: number
  votes: number
  votesBefore: number
  /** Votes a minute in the last hour, roughly. */
  usual: number
}

/** How unusual the present votes of a poll, and of a network, are: as far as this process sees them. */
export class Pressure {
  readonly #rates = new Cache<number, Rate>(MOST_POLLS)

  /** Counts a vote when it is first sent, before a challenge: or the challenges of an attack would hide it. */
  noteVote(pollKey: number, now: number): void {
    this.#rateAt(pollKey, now).votes++
  }

  /** `taken`: the limits that the vote was counted against; the first is its device's, the others are its networks'. */
  levelOf(pollKey: number, { taken }: Pick<Incoming, 'taken'>, now: number): Level {
    const ofNetwork = levelAmong(USED_SHARES, usedShareOf(taken))
    return Math.max(ofNetwork, this.#levelOfPoll(pollKey, now)) as Level
  }

  #levelOfPoll(pollKey: number, now: number): Level {
    const { votes, votesBefore, usual } = this.#rateAt(pollKey, now)
    const sinceMinute = (now % MINUTE) / MINUTE
    const inLastMinute = votes + votesBefore * (1 - sinceMinute)
    return levelAmong(TIMES_USUAL, inLastMinute / Math.max(usual, CALM_VOTES))
  }

  #rateAt(pollKey: number, now: number): Rate {
    const minute = Math.floor(now / MINUTE)
    const rate = this.#rates.get(pollKey) ?? { minute, votes: 0, votesBefore: 0, usual: 0 }
    const passed = minute - rate.minute
    if (passed !== 0) {
      rate.usual = averageAfter(rate, passed)
      rate.votesBefore = passed === 1 ? rate.votes : 0
      rate.votes = 0
      rate.minute = minute
    }
    this.#rates.set(pollKey, rate)
    return rate
  }
}

/**
 * The average moves by a part towards each minute that has passed; the minutes after the first had no votes. What is far above
 * the usual counts as twice the usual: an attack becomes usual only after hours.
 */
function averageAfter({ usual, votes }: Rate, passed: number): number {
  const kept = 1 - 1 / MINUTES_OF_AVERAGE
  const counted = Math.min(votes, 2 * Math.max(usual, CALM_VOTES))
  // A clock that was set back counts as one minute.
  return (usual * kept + counted / MINUTES_OF_AVERAGE) * kept ** Math.max(0, passed - 1)
}

function usedShareOf(taken: Incoming['taken']): number {
  const shares = taken?.claims.map(({ quota }, i) => 1 - (taken.verdicts[i]?.remaining ?? 0) / quota.quota) ?? []
  return Math.max(0, ...shares.slice(1))
}

const levelAmong = (beginnings: readonly number[], value: number): Level =>
  beginnings.filter((beginning) => value > beginning).length as Level
