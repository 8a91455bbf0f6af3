// features/polls/pictures: pictures of polls, and the picture composed of both options.

import { notFound } from '../../../base/errors.ts'
import type { Deps } from '../../../deps.ts'
import { type Route, writeOnce } from '../../../http/route.ts'
import { pollParams } from '../../../resources/poll.ts'
import { brandScope } from '../../tokens/guards.ts'
import { pollTicketBody, ticket } from '../../uploads/schema.ts'
import { createTicket } from '../../uploads/tickets.ts'
import { findOwnedPoll } from '../queries.ts'

export const pollPictureRoutes = (deps: Deps): Route[] => [
  writeOnce({
    method: 'POST',
    path: '/brands/me/polls/{slug}/images/upload-url',
    name: 'createPollImageTicket',
    summary: 'A ticket to upload a picture of a poll',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    hasSecret: true,
    params: pollParams,
    body: pollTicketBody,
    answers: { 200: { description: 'The ticket, good for one upload within ten minutes.', schema: ticket } },
    errors: ['NOT_FOUND'],
    async handle({ identity: { brandKey }, params, body: { byteSize = null, ...wanted } }, tx) {
      if (!(await findOwnedPoll(tx, brandKey, params.slug))) throw notFound()
      return { data: await createTicket(deps, tx, { brandKey, byteSize, ...wanted }) }
    },
  }),
]
