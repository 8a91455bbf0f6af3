import type { z } from 'zod'
import { challengeRequired, notFound, pollClosed, voteAlreadyCast } from '../../base/errors.ts'
import type { Settle } from '../../base/settle.ts'
import type { OptionName } from '../../db/tables.ts'
import type { Ballot, CastVote, PollState } from '../../db/vote-store.ts'
import type { Answer } from '../../http/answer.ts'
import { presentTallies } from '../polls/results.ts'
import { statusAt } from '../polls/status.ts'
import type { Due } from './challenges/challenge-policy.ts'
import type { Outcome } from './decide.ts'
import type { Ledger } from './ledger.ts'
import { presentVote, type voteAnswer } from './schema.ts'

/** `due` is the challenge that the vote has not solved; `onCounted` is called before a counted vote is answered. */
interface Terms {
  readonly ballot: Ballot
  readonly due: Due | null
  readonly onCounted: () => void
}

export function castVote(ledger: Pick<Ledger, 'put'>, terms: Terms, settle: Settle<Answer>): void {
  const { ballot, due } = terms
  const outcomeOf: Settle<Outcome> = {
    answer(outcome) {
      let answer: Answer
      try {
        answer = answerTo(outcome, terms)
      } catch (error) {
        settle.fail(error)
        return
      }
      settle.answer(answer)
    },
    fail: (error) => settle.fail(error),
  }
  ledger.put(due ? { ...ballot, isUnproven: true } : ballot, outcomeOf)
}

function answerTo(outcome: Outcome, { due, onCounted }: Terms): Answer {
  switch (outcome.kind) {
    case 'unproven':
      if (!due) throw new Error('the ledger asks for a challenge that is not due')
      throw challengeRequired(due.issue())
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
      onCounted()
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
