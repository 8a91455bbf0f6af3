import { type Outcome, VoteQueue } from '../../../../sdk/src/vote-queue.ts'
import { load, type ReceiptPart } from '../parts.ts'
import { voter } from '../service.ts'
import { hearers } from './kept-votes.ts'
import { pageStore } from './page-store.ts'
import { noteVote } from './voted-polls.ts'

const queue = new VoteQueue({ visitor: voter, storage: pageStore, onOutcome })
let isStarted = false

/** Sends the waiting votes now, or after `waitMs`, and from then on whenever the network is back. */
export function send(waitMs: number): void {
  queue.rest(waitMs)
  if (isStarted) void queue.flush()
  else start()
}

function start(): void {
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
  if (outcome.kind !== 'delivered') return
  await noteVote(poll)
  const { option } = outcome.vote
  load<ReceiptPart>('receipt').then(
    (part) => part.keepReceipt(poll, option),
    () => undefined,
  )
}

function tell(poll: string, outcome: Outcome | null): void {
  const heard = hearers.get(poll)
  hearers.delete(poll)
  for (const hear of heard ?? []) hear(outcome)
}
