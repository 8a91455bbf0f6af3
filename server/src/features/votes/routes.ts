// features/votes: casts votes, and nothing else. `decide.ts` says why a vote is refused.
// Imports features: polls, tokens.
// A vote is answered when its commit is durable; tallies always equal the stored votes.

import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import type { Incoming } from '../../http/incoming.ts'
import type { Claim } from '../../http/limiter.ts'
import { type Route, route } from '../../http/route.ts'
import { pollParams } from '../../resources/poll.ts'
import { findPublicPoll } from '../polls/queries.ts'
import { presentTallies } from '../polls/results.ts'
import type { PollKeys } from '../polls/snapshots/poll-keys.ts'
import { deviceName } from '../tokens/device.ts'
import { voter } from '../tokens/guards.ts'
import { networkName } from '../tokens/limits.ts'
import { castVote } from './cast-vote.ts'
import type { Ledger } from './ledger.ts'
import { findVote } from './queries.ts'
import { presentVote, voteAnswer, voteBody } from './schema.ts'

export function voteRoutes(deps: Deps, ledger: Ledger, pollKeys: PollKeys): Route[] {
  const { config, engine } = deps
  const callerQuota = { policy: 'votes', quota: config.votesPerMinute, windowSeconds: 60 }
  const networkQuota = { policy: 'network-votes', quota: config.networkVotesPerMinute, windowSeconds: 60 }

  async function withNetwork(caller: Claim, incoming: Incoming, slug: string): Promise<Claim[]> {
    // Votes on missing polls count too: a limit that skipped them would reveal drafts.
    const counted = (await pollKeys.find(slug)) ?? slug
    return [caller, { quota: networkQuota, key: `${counted}:${networkName(deps, incoming.network)}` }]
  }

  return [
    route({
      method: 'POST',
      path: '/polls/{slug}/votes',
      name: 'castVote',
      summary: 'Vote, once for each device',
      guard: voter(deps, 'vote'),
      caching: 'private',
      params: pollParams,
      body: voteBody,
      limits({ identity, incoming, params }) {
        const caller: Claim = { quota: callerQuota, key: deviceName(identity.device) }
        return params && networkQuota.quota > 0 ? withNetwork(caller, incoming, params.slug) : [caller]
      },
      answers: { 201: { description: 'The vote, and the counts with it.', schema: voteAnswer } },
      errors: ['NOT_FOUND', 'POLST_CLOSED', 'VOTE_ALREADY_CAST', 'RATE_LIMITED'],
      async handle({ identity, params, body }) {
        const pollKey = pollKeys.peek(params.slug) ?? (await pollKeys.find(params.slug))
        if (pollKey === null) throw notFound()
        return { status: 201, body: await castVote(ledger, { pollKey, device: identity.device, option: body.option }) }
      },
    }),

    route({
      method: 'GET',
      path: '/polls/{slug}/votes/me',
      name: 'getOwnVote',
      summary: "The calling device's own vote",
      guard: voter(deps),
      caching: 'private',
      params: pollParams,
      answers: { 200: { description: 'The vote, and the counts that the voter may see.', schema: voteAnswer } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }) {
        const poll = await findPublicPoll(engine.db, params.slug)
        const vote = poll && (await findVote(engine.db, poll.key, identity.device))
        if (!poll || !vote) throw notFound()
        return {
          data: {
            ...presentVote({ option: vote.option, votedAt: vote.voted_at }),
            tallies: presentTallies(poll, 'voter', now),
          },
        }
      },
    }),
  ]
}
