import type { z } from 'zod'
import { AppError, notFound, pollClosed } from '../../base/errors.ts'
import type { OptionName } from '../../db/tables.ts'
import type { Ballot, CastVote, PollState } from '../../db/vote-store.ts'
import type { Answer } from '../../http/answers/answer.ts'
import { presentTallies, statusAt } from '../polls/status.ts'
import type { Due } from './challenges/challenges.ts'
import type { Outcome } from './decide.ts'
import { presentVote, type voteAnswer } from './schema.ts'
import type { CountedVote, VoteWatch } from './vote-watch.ts'

interface Terms extends CountedVote {
  readonly ballot: Ballot
  /** The challenge that the vote has not solved. */
  readonly due: Due | null
  /** Is told of a counted vote before it is answered. */
  readonly watch: Pick<VoteWatch, 'counted'>
}

/** The answer to a vote, or the error of its refusal. */
export function answerTo(outcome: Outcome, terms: Terms): Answer {
  switch (outcome.kind) {
    case 'unproven':
      if (!terms.due) throw new Error('the ledger asks for a challenge that is not due')
      throw new AppError('CHALLENGE_REQUIRED', { details: { challenge: terms.due.issue() } })
    case 'codeless':
      throw new AppError('CODE_REQUIRED')
    case 'invalidCode':
      throw new AppError('INVALID_CODE')
    case 'missing':
      throw notFound()
    case 'closed':
      throw pollClosed({
        status: statusAt(outcome.poll, outcome.now),
        archived: outcome.poll.archived_at === null ? undefined : true,
        existingVote: outcome.existing ? presentVote(outcome.existing) : undefined,
      })
    case 'already':
      throw new AppError('VOTE_ALREADY_CAST', {
        details: { existingVote: outcome.existing && presentVote(outcome.existing) },
      })
    case 'accepted':
      // Votes with codes are persons, from any network.
      if (terms.ballot.code === undefined) terms.watch.counted(terms.ballot.pollKey, terms)
      return acceptedAnswer(outcome)
  }
}

/** Votes of a group with the same poll and option share one answer, serialized once. */
const answersOf = new WeakMap<PollState, Partial<Record<OptionName, Answer>>>()

function acceptedAnswer({ poll, vote }: Extract<Outcome, { kind: 'accepted' }>): Answer {
  const answers = answersOf.get(poll) ?? {}
  answersOf.set(poll, answers)
  const answer = answers[vote.option] ?? { status: 201, body: JSON.stringify({ data: presentAccepted(poll, vote) }) }
  answers[vote.option] = answer
  return answer
}

const presentAccepted = (poll: PollState, vote: CastVote): z.infer<typeof voteAnswer> => ({
  ...presentVote(vote),
  tallies: presentTallies(poll, 'voter', vote.votedAt),
})
