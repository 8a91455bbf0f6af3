import type { Deps } from '../../deps.ts'
import { type Route, writeOnce } from '../../http/route.ts'
import { brandScope } from '../tokens/guards.ts'
import { assetTicketBody, ticket } from './schema.ts'
import { createTicket } from './tickets.ts'

export const assetUploadRoutes = (deps: Deps): Route[] => [
  writeOnce({
    method: 'POST',
    path: '/brands/me/theme/assets/upload-url',
    name: 'createThemeAssetTicket',
    summary: 'A ticket to upload a logo or favicon',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    hasSecret: true,
    body: assetTicketBody,
    answers: { 200: { description: 'The ticket, good for one upload within ten minutes.', schema: ticket } },
    handle: async ({ identity: { brandKey }, body }, tx) => ({
      data: await createTicket(deps, tx, { brandKey, ...body }),
    }),
  }),
]
