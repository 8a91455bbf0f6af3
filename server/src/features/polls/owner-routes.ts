// features/polls: polls, categories, feeds, pictures of polls and live tallies.
// Public reads come from snapshots in memory; every change of a poll is told to `deps.changes`.

import { z } from 'zod'
import { orNotFound } from '../../base/errors.ts'
import type { Db } from '../../db/store.ts'
import { createPollBody, ownedPoll, pollParams, updatePollBody } from '../../events/resources/poll.ts'
import { quotaOf } from '../../http/limits/limits.ts'
import { API_PREFIX, type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { type BrandCaller, brandScope } from '../people/tokens/guards.ts'
import { createTicket, pollTicketBody, ticket } from '../uploads/tickets.ts'
import { createPoll } from './create-poll.ts'
import { deletePoll } from './delete-poll.ts'
import { ownedPolls, ownedPollsQuery } from './lists.ts'
import type { Popularity } from './popularity.ts'
import { changedPoll, pollTag, presentOwnedPoll } from './present-poll.ts'
import { findOwnedPoll, labelsOf, type PollRow } from './queries.ts'
import { updatePoll } from './update-poll.ts'

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
      const poll = orNotFound(await findOwnedPoll(tx, brandKey, params.slug))
      return { data: await createTicket(deps, tx, { brandKey, byteSize, ...wanted }), subject: changedPoll(poll) }
    },
  }),
]

export function ownerPollRoutes(deps: Deps, { popularity }: { popularity: Popularity }): Route[] {
  const guard = brandScope(deps, 'manage')
  const { db } = deps.engine
  const daily = quotaOf('brandPolls', deps.config)
  const dailyClaims = ({ brandKey }: BrandCaller) => (daily.quota > 0 ? [{ quota: daily, key: `${brandKey}` }] : [])

  async function present(db: Db, row: PollRow, now: number) {
    const labels = await labelsOf(db, [row.key])
    return presentOwnedPoll(row, labels(row.key), { deps, now })
  }

  return [
    route({
      method: 'GET',
      path: '/brands/me/polls',
      name: 'listOwnPolls',
      tag: 'Polls',
      summary: 'Your polls',
      description:
        'Includes draft, private and archived polls. Filters can be combined; a poll must match all of them. In the orders `recent` and `title` no poll is skipped or repeated while you read pages; in the others a poll may be, if it changes its place meanwhile.',
      guard,
      caching: 'revalidated',
      query: ownedPollsQuery,
      isPaged: true,
      answers: { 200: { description: 'A page of polls.', schema: z.array(ownedPoll) } },
      async handle({ identity, query, paging, now }) {
        if (query.order === 'popular') await popularity.refreshBrand(identity.brandKey, now)
        const { rows, next } = await ownedPolls(db, { brandKey: identity.brandKey, paging, now }, query)
        const labels = await labelsOf(
          db,
          rows.map((row) => row.key),
        )
        return { data: rows.map((row) => presentOwnedPoll(row, labels(row.key), { deps, now })), next }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/polls',
      name: 'createPoll',
      action: 'poll.created',
      tag: 'Polls',
      summary: 'Create a poll',
      description:
        'Without a `slug`, the service derives one from the title. The poll is open at once, unless `isDraft` or `opensAt` says otherwise. Upload pictures afterwards: an upload ticket requires the poll. Emits `poll.created`, and `poll.opened` if the poll is open.',
      guard,
      caching: 'private',
      body: createPollBody,
      answers: { 201: { description: 'The new poll.', headers: { always: ['Location'] }, schema: ownedPoll } },
      etag: pollTag,
      errors: ['SLUG_TAKEN'],
      limits: ({ identity }) => [...(guard.writeClaims?.(identity) ?? []), ...dailyClaims(identity)],
      async handle({ identity: { brandKey }, body, now }, tx) {
        const row = await createPoll(deps, tx, { brandKey, poll: body })
        const location = `${API_PREFIX}/brands/me/polls/${row.slug}`
        return { status: 201, data: await present(tx, row, now), location, subject: changedPoll(row) }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/polls/{slug}',
      name: 'getOwnPoll',
      tag: 'Polls',
      summary: 'One of your polls, by its slug, shortId or id',
      description:
        'The poll as its owner sees it, drafts and archived polls included, with counts for every `resultsVisibility`. Use the ETag as `If-Match`.',
      guard,
      caching: 'revalidated',
      params: pollParams,
      answers: { 200: { description: 'The poll.', schema: ownedPoll } },
      etag: pollTag,
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }) {
        return { data: await present(db, orNotFound(await findOwnedPoll(db, identity.brandKey, params.slug)), now) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/polls/{slug}',
      name: 'updatePoll',
      action: 'poll.updated',
      tag: 'Polls',
      summary: 'Update a poll',
      description:
        'Changes only the fields in the body. Options and images are merged field by field; lists are replaced. A later `closesAt` reopens a closed poll. A poll with votes cannot become a draft again. Emits `poll.updated`, and `poll.opened` or `poll.closed` if the status changes.',
      guard,
      caching: 'private',
      params: pollParams,
      body: updatePollBody,
      answers: { 200: { description: 'The poll after the change.', schema: ownedPoll } },
      etag: pollTag,
      errors: ['NOT_FOUND', 'POLST_HAS_VOTES'],
      async handle({ identity: { brandKey }, params, body, ifMatch, now }, tx) {
        const { row, isChanged, isPublished } = await updatePoll(deps, tx, {
          brandKey,
          reference: params.slug,
          patch: body,
          ifMatch,
        })
        return {
          data: await present(tx, row, now),
          subject: isChanged ? changedPoll(row) : null,
          ...(isPublished ? { action: 'poll.published' } : {}),
        }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/polls/{slug}',
      name: 'deletePoll',
      action: 'poll.deleted',
      tag: 'Polls',
      summary: 'Delete a poll and its votes',
      description:
        'This cannot be undone. The slug, shortId and id are never reused. To keep the votes, archive the poll instead. Emits `poll.deleted`.',
      guard,
      caching: 'private',
      params: pollParams,
      answers: { 204: { description: 'Deleted.' } },
      etag: pollTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, ifMatch }, tx) {
        const row = await deletePoll(deps, tx, { brandKey, reference: params.slug, ifMatch })
        return { status: 204, subject: changedPoll(row) }
      },
    }),
  ]
}
