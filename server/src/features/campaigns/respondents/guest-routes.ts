import { quotaOf } from '../../../http/limits/limits.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { voter } from '../../people/tokens/guards.ts'
import { networkName } from '../../people/tokens/token-limits.ts'
import { forgetGuest } from './forget-guest.ts'

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
