// features/polls/pictures: pictures of polls, and the picture composed of both options.

import { notFound } from '../../../base/errors.ts'
import { pollParams } from '../../../events/resources/poll.ts'
import { type Route, writeOnce } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { brandScope } from '../../people/tokens/guards.ts'
import { createTicket, pollTicketBody, ticket } from '../../uploads/tickets.ts'
import { changedPoll } from '../present-poll.ts'
import { findOwnedPoll } from '../queries.ts'

export const pollPictureRoutes = (deps: Deps): Route[] => [
  writeOnce({
    method: 'POST',
    path: '/brands/me/polls/{slug}/images/upload-url',
    name: 'createPollImageTicket',
    action: 'upload.requested',
    tag: 'Pictures',
    summary: 'Get a ticket to upload a picture of a poll',
    description:
      'Send the picture with `PUT` to `uploadUrl` within ten minutes, then set `publicUrl` on the poll. The ticket is the only credential of the upload, so you can pass it to a browser.',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    hasSecret: true,
    params: pollParams,
    body: pollTicketBody,
    answers: { 200: { description: 'The ticket, valid for one upload within ten minutes.', schema: ticket } },
    errors: ['NOT_FOUND'],
    async handle({ identity: { brandKey }, params, body: { byteSize = null, ...wanted } }, tx) {
      const poll = await findOwnedPoll(tx, brandKey, params.slug)
      if (!poll) throw notFound()
      return { data: await createTicket(deps, tx, { brandKey, byteSize, ...wanted }), subject: changedPoll(poll) }
    },
  }),
]
