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
import type { CountedVote, VoteWatch } from './vote-watch.ts'

/** `due` is the challenge that the vote has not solved; `watch` is told of a counted vote before it is answered. */
interface Terms {
  readonly ballot: Ballot
  readonly due: Due | null
  readonly counted: CountedVote
  readonly watch: Pick<VoteWatch, 'counted'>
}

export function castVote(ledger: Pick<Ledger, 'put'>, terms: Terms, settle: Settle<Answer>): void {
  const { ballot, due } = terms
  ledger.put(due ? { ...ballot, isUnproven: true } : ballot, new Voting(terms, settle))
}

/** A vote that is not answered yet. */
class Voting implements Settle<Outcome> {
  readonly #terms: Terms
  readonly #settle: Settle<Answer>

  constructor(terms: Terms, settle: Settle<Answer>) {
    this.#terms = terms
    this.#settle = settle
  }

  answer(outcome: Outcome): void {
    let answer: Answer
    try {
      answer = answerTo(outcome, this.#terms)
    } catch (error) {
      this.#settle.fail(error)
      return
    }
    this.#settle.answer(answer)
  }

  fail(error: unknown): void {
    this.#settle.fail(error)
  }
}

function answerTo(outcome: Outcome, { due, counted, watch }: Terms): Answer {
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
      watch.counted(counted)
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
