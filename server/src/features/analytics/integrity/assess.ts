import { sharesIn } from '../../../../../embed/src/results.ts'
import { COUNT_NAMES, type HourCounts } from './poll-hour.ts'

/** An hour of a poll as it is stored. `votes` are those that were watched. */
export interface Hour extends HourCounts {
  readonly at: number
}

/** Fewer votes or refusals than these say nothing. */
const FEWEST_VOTES = 20
const FEWEST_FOR_TOP_TEN = 100
const BURST_VOTES = 30
const BURST_TIMES = 8

interface Sign {
  readonly points: number
  readonly reason: string
}

/** Finds suspicious signs in these hours. Each sign adds points; none proves anything. */
export function assess(hours: readonly Hour[]): {
  /** From 0, no suspicious sign, to 100. */
  readonly score: number
  readonly reasons: string[]
} {
  const sums = sumOf(hours)
  const watched = hours.filter(({ votes }) => votes > 0).length
  const signs = [
    signOfLargest(sums, watched),
    signOfTopTen(sums, watched),
    signOfBurst(hours),
    signOfRefusals(sums),
    signOfChallenges(sums),
    signOfOrigins(sums),
  ].filter((sign) => sign !== null && sign.points > 0) as Sign[]
  const score = Math.min(100, Math.round(signs.reduce((sum, { points }) => sum + points, 0)))
  return { score, reasons: signs.map(({ reason }) => reason) }
}

type Sums = Omit<HourCounts, 'peak_minute'>

function sumOf(hours: readonly Hour[]): Sums {
  const sum = (name: keyof HourCounts) => hours.reduce((total, hour) => total + hour[name], 0)
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, sum(name)])) as unknown as Sums
}

/** Networks are not stored, so the largest of one hour and of the next may be two. */
function signOfLargest({ votes, largest }: Sums, hours: number): Sign | null {
  if (votes < FEWEST_VOTES) return null
  const share = largest / votes
  const who = hours === 1 ? 'One network' : 'The largest network of each hour'
  return { points: 50 * rise(share, 0.1, 0.6), reason: `${who} cast ${percentOf(largest, votes)} of the votes.` }
}

function signOfTopTen({ votes, top_ten }: Sums, hours: number): Sign | null {
  if (votes < FEWEST_FOR_TOP_TEN) return null
  const share = top_ten / votes
  const who = hours === 1 ? 'Ten networks' : 'The ten largest networks of each hour'
  return { points: 20 * rise(share, 0.4, 0.9), reason: `${who} cast ${percentOf(top_ten, votes)} of the votes.` }
}

function signOfBurst(hours: readonly Hour[]): Sign | null {
  const timesUsual = ({ peak_minute, votes }: Hour) => (peak_minute < BURST_VOTES ? 0 : (60 * peak_minute) / votes)
  const [highest] = hours.toSorted((left, right) => timesUsual(right) - timesUsual(left))
  if (!highest || timesUsual(highest) <= BURST_TIMES) return null
  const hour = new Date(highest.at).toISOString().slice(0, 16).replace('T', ' ')
  return {
    points: 20,
    reason: `${highest.peak_minute} of the ${highest.votes} votes in the hour from ${hour} UTC came within one minute.`,
  }
}

function signOfRefusals({ votes, refused_rate, refused_origin, refused_invalid }: Sums): Sign | null {
  const refused = refused_rate + refused_origin + refused_invalid
  if (refused < FEWEST_VOTES) return null
  const parts = [
    refused_rate > 0 && `${refused_rate} beyond a rate limit`,
    refused_origin > 0 && `${refused_origin} from pages of other origins`,
    refused_invalid > 0 && `${refused_invalid} malformed`,
  ].filter((part) => part !== false)
  const share = refused / (refused + votes)
  return { points: 20 * rise(share, 0, 0.5), reason: `${refused} votes were refused: ${parts.join(', ')}.` }
}

function signOfChallenges({ votes, refused_challenge, challenged }: Sums): Sign | null {
  const unsolved = refused_challenge - challenged
  if (unsolved < FEWEST_VOTES) return null
  return {
    points: 20 * rise(unsolved / (unsolved + votes), 0, 0.5),
    reason: `${unsolved} challenges were not solved.`,
  }
}

/** If all votes come from apps, or none does, the Origin header is no sign. */
function signOfOrigins({ votes, without_origin }: Sums): Sign | null {
  const share = without_origin / votes
  if (votes < FEWEST_VOTES || share < 0.2 || share > 0.95) return null
  return {
    points: 10,
    reason: `${percentOf(without_origin, votes)} of the votes came from no web page, so from apps or scripts.`,
  }
}

/** 0 up to `from`, 1 from `to` on. */
const rise = (value: number, from: number, to: number): number => Math.min(1, Math.max(0, (value - from) / (to - from)))

/** Rounds like results, so that a part of the votes never reads as 100 %. */
const percentOf = (some: number, all: number): string =>
  sharesIn('en', { optionA: some, optionB: all - some }).A.text.replace('%', ' %')
