import type { Engine } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { quotaOf } from '../../../http/limits/limits.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { networkName, voter } from '../../people/tokens/guards.ts'
import { markForgotten } from './forgotten.ts'

/** The votes stay counted, but are no longer attributed to the device. */
export const forgetGuest = (engine: Engine, device: Uint8Array): Promise<void> =>
  transaction(engine, async (tx) => {
    await tx.deleteFrom('campaign_respondents').where('device', '=', device).execute()
    // Read the time last: a vote whose respondent row was just removed is then itself forgotten.
    await markForgotten(tx, [device], await engine.votingTime(tx))
  })

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
    async handle({ identity }) {
      await forgetGuest(deps.engine, identity.device)
      return { status: 204 }
    },
  }),
]
