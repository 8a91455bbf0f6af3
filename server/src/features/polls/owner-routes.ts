// features/polls: polls, categories, feeds, pictures of polls and live tallies.
// Imports features: brands, tokens, uploads.
// Public reads come from snapshots in memory; every change of a poll is told to `deps.changes`.

import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import type { Db } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import { API_PREFIX, type Route, route, writeOnce } from '../../http/route.ts'
import { createPollBody, ownedPoll, pollParams, updatePollBody } from '../../resources/poll.ts'
import { brandScope } from '../tokens/guards.ts'
import { createPoll } from './create-poll.ts'
import { deletePoll } from './delete-poll.ts'
import { ownedPollsQuery } from './list-queries.ts'
import { pollTag, presentOwnedPoll } from './present-poll.ts'
import { findOwnedPoll, labelsOf, ownedPolls, type PollRow } from './queries.ts'
import { updatePoll } from './update-poll.ts'

export function ownerPollRoutes(deps: Deps): Route[] {
  const guard = brandScope(deps, 'manage')

  async function present(db: Db, row: PollRow, now: number) {
    const labels = await labelsOf(db, [row.key])
    return presentOwnedPoll(row, labels(row.key), { deps, now })
  }

  return [
    route({
      method: 'GET',
      path: '/brands/me/polls',
      name: 'listOwnPolls',
      summary: 'Own polls, newest first',
      guard,
      caching: 'private',
      query: ownedPollsQuery,
      isPaged: true,
      answers: { 200: { description: 'A page of polls.', schema: z.array(ownedPoll) } },
      async handle({ identity, query, paging, now }) {
        const { db } = deps.engine
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
      summary: 'Create a poll',
      guard,
      caching: 'private',
      body: createPollBody,
      answers: { 201: { description: 'The new poll.', schema: ownedPoll } },
      etag: pollTag,
      errors: ['SLUG_TAKEN'],
      async handle({ identity: { brandKey }, body, now }, tx) {
        const row = await createPoll(deps, tx, { brandKey, poll: body })
        const location = `${API_PREFIX}/brands/me/polls/${row.slug}`
        return { status: 201, data: await present(tx, row, now), location }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/polls/{slug}',
      name: 'getOwnPoll',
      summary: 'An own poll, by its slug, shortId or id',
      guard,
      caching: 'private',
      params: pollParams,
      answers: { 200: { description: 'The poll.', schema: ownedPoll } },
      etag: pollTag,
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }) {
        const row = await findOwnedPoll(deps.engine.db, identity.brandKey, params.slug)
        if (!row) throw notFound()
        return { data: await present(deps.engine.db, row, now) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/polls/{slug}',
      name: 'updatePoll',
      summary: 'Update some fields of a poll',
      guard,
      caching: 'private',
      params: pollParams,
      body: updatePollBody,
      answers: { 200: { description: 'The poll as it now is.', schema: ownedPoll } },
      etag: pollTag,
      errors: ['NOT_FOUND', 'POLST_HAS_VOTES'],
      async handle({ identity: { brandKey }, params, body, ifMatch, now }, tx) {
        const row = await updatePoll(deps, tx, { brandKey, reference: params.slug, patch: body, ifMatch })
        return { data: await present(tx, row, now) }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/polls/{slug}',
      name: 'deletePoll',
      summary: 'Delete a poll and its votes for good',
      guard,
      caching: 'private',
      params: pollParams,
      answers: { 204: { description: 'Deleted.' } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params }, tx) {
        await deletePoll(deps, tx, { brandKey, reference: params.slug })
        return { status: 204 }
      },
    }),
  ]
}
