import { type Route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandSubject } from '../people/tokens/brand-subject.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { assetTicketBody, ticket } from './schema.ts'
import { createTicket } from './tickets.ts'

export const assetUploadRoutes = (deps: Deps): Route[] => [
  writeOnce({
    method: 'POST',
    path: '/brands/me/theme/assets/upload-url',
    name: 'createThemeAssetTicket',
    action: 'upload.requested',
    tag: 'Pictures',
    summary: 'Get a ticket to upload a logo or favicon',
    description:
      'Send the picture with `PUT` to `uploadUrl` within ten minutes, then set `publicUrl` on the theme. The ticket is valid for one upload of exactly `byteSize` bytes.',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    hasSecret: true,
    body: assetTicketBody,
    answers: { 200: { description: 'The ticket, valid for one upload within ten minutes.', schema: ticket } },
    handle: async ({ identity: { brandKey }, body }, tx) => ({
      data: await createTicket(deps, tx, { brandKey, ...body }),
      subject: await brandSubject(tx, brandKey),
    }),
  }),
]
