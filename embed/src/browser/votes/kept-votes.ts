import type { TossupError } from '../../../../sdk/src/errors.ts'
import type { Outcome } from '../../../../sdk/src/vote-queue.ts'
import type { VoteOrigin } from '../../../../sdk/src/voter.ts'
import { WaitingVotes } from '../../../../sdk/src/wire/waiting-votes.ts'
import type { Choice } from '../../poll-view.ts'
import { type Later, load } from '../parts.ts'
import { voter } from '../service.ts'
import { pageStore } from './page-store.ts'

/** Called with the outcome of a waiting vote; null when another page of this device has sent it. */
type Hear = (outcome: Outcome | null) => void

/** The listeners of each poll with a vote that waits. */
export const hearers = new Map<string, Set<Hear>>()
const waiting = new WaitingVotes(voter, pageStore)

interface Keeping {
  readonly origin: VoteOrigin
  readonly error: TossupError
}

/** Keeps a vote that did not arrive, across visits. The first vote on a poll wins. */
export async function keepVote(poll: string, option: Choice, { origin, error }: Keeping): Promise<Choice> {
  const kept = await waiting.keep(poll, option, origin)
  sendKept(error.retryAfterMs ?? 0)
  return kept.option
}

/** Returns the waiting vote on this poll, and starts sending the waiting votes. */
export async function findKept(poll: string): Promise<Choice | null> {
  const votes = await waiting.pending()
  if (votes.length > 0) sendKept()
  return votes.find((vote) => vote.poll === poll)?.option ?? null
}

/** The part that sends is loaded when the page is idle. If the network is lost before, the next call loads it: the votes are stored. */
export const sendKept = (waitMs = 0): void =>
  void load<Later>('later').then(
    ({ send }) => send(waitMs),
    () => undefined,
  )

/** Returns a function that ends it. It also ends after the first outcome. */
export function hearOf(poll: string, hear: Hear): () => void {
  hearers.set(poll, (hearers.get(poll) ?? new Set()).add(hear))
  return () => void hearers.get(poll)?.delete(hear)
}
