import type { z } from 'zod'
import { notFound, pollClosed, voteAlreadyCast } from '../../base/errors.ts'
import type { OptionName } from '../../db/tables.ts'
import type { Ballot, CastVote, PollState } from '../../db/vote-store.ts'
import { presentTallies } from '../polls/results.ts'
import { statusAt } from '../polls/status.ts'
import type { Outcome } from './decide.ts'
import type { Ledger } from './ledger.ts'
import { presentVote, type voteAnswer } from './schema.ts'

/** The answer to a vote as it is sent. */
export const castVote = (ledger: Ledger, ballot: Ballot): Promise<string> => ledger.cast(ballot).then(bodyOfVote)

function bodyOfVote(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'missing':
      throw notFound()
    case 'closed':
      throw pollClosed({
        status: statusAt(outcome.poll, outcome.now),
        archived: outcome.poll.archived_at === null ? undefined : true,
        existingVote: outcome.existing ? presentVote(outcome.existing) : undefined,
      })
    case 'already':
      throw voteAlreadyCast(presentVote(outcome.existing))
    case 'accepted':
      return acceptedBody(outcome)
  }
}

/** Votes of a group with the same poll and option share one answer, serialized once. */
const toldOf = new WeakMap<PollState, Partial<Record<OptionName, string>>>()

function acceptedBody({ poll, vote }: Extract<Outcome, { kind: 'accepted' }>): string {
  const told = toldOf.get(poll) ?? {}
  toldOf.set(poll, told)
  const body = told[vote.option] ?? JSON.stringify({ data: presentAccepted(poll, vote) })
  told[vote.option] = body
  return body
}

const presentAccepted = (poll: PollState, vote: CastVote): z.infer<typeof voteAnswer> => ({
  ...presentVote(vote),
  tallies: presentTallies(poll, 'voter', vote.votedAt),
})
