// features/campaigns/respondents: who voted in a campaign, and how far a visitor has come.
// Votes from before a poll joined are walked in batches, behind the requests.

import { orNotFound } from '../../../base/errors.ts'
import type { Engine } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { campaignParams } from '../../../events/resources/campaign.ts'
import { quotaOf } from '../../../http/limits/limits.ts'
import { type Route, route } from '../../../http/route.ts'
import { CODE_HEADER, voterByCode } from '../../codes/request-code.ts'
import type { Deps } from '../../deps.ts'
import { networkName, voter } from '../../people/tokens/guards.ts'
import { presentListItem } from '../../polls/present-poll.ts'
import { pollsByKey } from '../../polls/queries.ts'
import { isCompleteAt } from '../../votes/completion.ts'
import { timesOfVotes } from '../../votes/queries.ts'
import { progressAnswer } from '../../votes/schema.ts'
import { findSteps } from '../queries.ts'
import { markForgotten, respondentsToLock } from './forgotten.ts'

/** The votes stay counted, but are no longer attributed to the device. */
export const forgetGuest = (engine: Engine, device: Uint8Array): Promise<void> =>
  transaction(engine, async (tx) => {
    // Locks the mark before the respondents, as a purge does, or the two would deadlock.
    await markForgotten(tx, [device], 0)
    await respondentsToLock(engine, tx).where('device', '=', device).execute()
    await tx.deleteFrom('campaign_respondents').where('device', '=', device).execute()
    // Read the time last: a vote whose respondent row was just removed is then itself forgotten.
    await markForgotten(tx, [device], await engine.votingTime(tx))
  })

const CODE_HEADER_OF_GUEST = {
  'X-Vote-Code':
    'Forgets the votes of this device with this code, and nothing else: a vote by code belongs to code and device together.',
}

export const guestRoutes = (deps: Deps): Route[] => [
  route({
    method: 'DELETE',
    path: '/guests/me',
    name: 'forgetGuest',
    tag: 'Votes',
    summary: 'Forget the calling device',
    description:
      'Its votes stay counted, but can no longer be linked to each other. The device still cannot vote again on the same poll. The request is safe to repeat: the answer is the same.',
    guard: voter(deps, 'vote'),
    caching: 'private',
    limits: ({ incoming }) => [{ quota: quotaOf('forget', deps.config), key: networkName(deps, incoming.network) }],
    answers: { 204: { description: 'The device is forgotten.' } },
    headers: CODE_HEADER_OF_GUEST,
    async handle({ identity, incoming }) {
      await forgetGuest(deps.engine, voterByCode(deps, { identity, incoming }))
      return { status: 204 }
    },
  }),
]

export const progressRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/campaigns/{campaignId}/progress',
    name: 'getProgress',
    tag: 'Votes',
    summary: 'The progress of the calling device in a campaign',
    description:
      'Counts only the polls that visitors see. `currentPoll` is the first poll that this device can still vote on, now or when it opens, or null if none is left. The campaign is completed when the device has voted on every poll that it could have voted on since its first vote there.',
    guard: voter(deps),
    caching: 'private',
    params: campaignParams,
    answers: {
      200: { description: 'The completed steps, and the first poll without a vote.', schema: progressAnswer },
    },
    errors: ['NOT_FOUND'],
    headers: CODE_HEADER,
    async handle({ identity, incoming, params, now }) {
      const { db } = deps.engine
      const steps = orNotFound(await findSteps(db, params.campaignId))
      // The published polls of a campaign have one list, or none.
      const isByCode = steps.some(({ code_list_key }) => code_list_key !== null)
      const device = isByCode ? voterByCode(deps, { identity, incoming }) : identity.device
      const votes = await timesOfVotes(deps.engine, { device, pollKeys: steps.map(({ key }) => key) })
      const polls = steps.map((step) => ({ ...step, voted_at: votes.get(step.key) ?? null }))
      const current = polls.find(({ voted_at, closes_at }) => voted_at === null && (closes_at ?? now + 1) > now)
      const [poll] = await pollsByKey(db, current ? [current.key] : [])
      return {
        data: {
          completedSteps: votes.size,
          totalSteps: steps.length,
          currentPoll: poll ? presentListItem(poll, { deps, viewer: 'public', now }) : null,
          // Votes have the time of the database.
          completed: isCompleteAt(polls, Math.max(now, ...votes.values())),
        },
      }
    },
  }),
]
