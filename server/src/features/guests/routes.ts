// features/guests: devices that ask to be forgotten.
// Imports features: campaigns, tokens.
// Votes of a forgotten device stay counted, but nobody can tell that they belong together.

import type { Deps } from '../../deps.ts'
import type { Quota } from '../../http/limiter.ts'
import { type Route, route } from '../../http/route.ts'
import { voter } from '../tokens/guards.ts'
import { networkName } from '../tokens/limits.ts'
import { forgetGuest } from './forgotten.ts'

/** By network, because an attacker who fills the list can invent any number of device ids. */
const QUOTA: Quota = { policy: 'forget', quota: 30, windowSeconds: 60 }

export const guestRoutes = (deps: Deps): Route[] => [
  route({
    method: 'DELETE',
    path: '/guests/me',
    name: 'forgetGuest',
    summary:
      'Forget the calling device: its votes stay counted, and nobody can tell any more that they belong together',
    guard: voter(deps, 'vote'),
    caching: 'private',
    limits: ({ incoming }) => [{ quota: QUOTA, key: networkName(deps, incoming.network) }],
    answers: { 204: { description: 'Forgotten, now or before.' } },
    async handle({ identity }) {
      await forgetGuest(deps.engine, identity.device)
      return { status: 204 }
    },
  }),
]
