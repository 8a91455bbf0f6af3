import type { z } from 'zod'
import { notFound, pollClosed, voteAlreadyCast } from '../../base/errors.ts'
import type { Ballot } from '../../db/vote-store.ts'
import { presentTallies } from '../polls/results.ts'
import { statusAt } from '../polls/status.ts'
import type { Ledger } from './ledger.ts'
import { presentVote, type voteAnswer } from './schema.ts'

export async function castVote(ledger: Ledger, ballot: Ballot): Promise<z.infer<typeof voteAnswer>> {
  const outcome = await ledger.cast(ballot)
  switch (outcome.kind) {
    case 'missing':
      throw notFound()
    case 'closed':
      throw pollClosed({
        status: statusAt(outcome.poll, outcome.now),
        ...(outcome.poll.archived_at === null ? {} : { archived: true }),
        ...(outcome.existing ? { existingVote: presentVote(outcome.existing) } : {}),
      })
    case 'already':
      throw voteAlreadyCast(presentVote(outcome.existing))
    case 'accepted': {
      const { poll, vote } = outcome
      return { ...presentVote(vote), tallies: presentTallies(poll, 'voter', vote.votedAt) }
    }
  }
}
