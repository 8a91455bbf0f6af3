import type { TossupError } from '../../../../sdk/src/errors.ts'
import { type Outcome, VoteQueue } from '../../../../sdk/src/vote-queue.ts'
import type { Choice } from '../../poll-view.ts'
import { voter } from '../service.ts'
import { pageStore } from './page-store.ts'
import { noteVote } from './voted-polls.ts'

/** Called with the outcome of a waiting vote; null when another page of this device has sent it. */
type Hear = (outcome: Outcome | null) => void

const hearers = new Map<string, Set<Hear>>()
const queue = new VoteQueue({ visitor: voter, storage: pageStore, onOutcome })
let isStarted = false

/** Keeps a vote that did not arrive, across visits. The first vote on a poll wins. */
export async function keepVote(poll: string, option: Choice, { retryAfterMs }: TossupError): Promise<Choice> {
  const kept = await queue.add(poll, option, retryAfterMs ?? 0)
  start()
  return kept.option
}

/** Returns the waiting vote on this poll, and starts sending the waiting votes. */
export async function findKept(poll: string): Promise<Choice | null> {
  const votes = await queue.pending()
  if (votes.length > 0) start()
  return votes.find((vote) => vote.poll === poll)?.option ?? null
}

export const sendKept = (): void => void queue.flush()

/** Returns a function that ends it. It also ends after the first outcome. */
export function hearOf(poll: string, hear: Hear): () => void {
  hearers.set(poll, (hearers.get(poll) ?? new Set()).add(hear))
  return () => void hearers.get(poll)?.delete(hear)
}

function start(): void {
  if (isStarted) return
  isStarted = true
  queue.start()
  addEventListener('storage', async ({ key }) => {
    if (key !== queue.key) return
    const waiting = new Set((await queue.pending()).map((vote) => vote.poll))
    for (const poll of hearers.keys()) if (!waiting.has(poll)) tell(poll, null)
  })
}

async function onOutcome(outcome: Outcome): Promise<void> {
  const { poll } = outcome.queued
  tell(poll, outcome)
  // The vote may be on a poll that this page does not show.
  if (outcome.kind === 'delivered') await noteVote(poll)
}

function tell(poll: string, outcome: Outcome | null): void {
  const heard = hearers.get(poll)
  hearers.delete(poll)
  for (const hear of heard ?? []) hear(outcome)
}
