import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { anyone } from '../../http/guard.ts'
import { type Route, route } from '../../http/route.ts'
import { findBrand } from '../brands/queries.ts'
import { brandParams } from '../brands/schema.ts'
import { presentListItem, presentPollTallies, presentPublicPoll } from './present-poll.ts'
import { findPublicPoll, labelsOf, listCategories, publicFeed } from './queries.ts'
import { category, feedQuery, pollListItem, pollParams, publicPoll, talliesAnswer } from './schema.ts'
import { earliest, statusChangesAt } from './status.ts'

export const publicPollRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/polls/{slug}',
    name: 'getPoll',
    summary: 'A poll, by its slug, shortId or id',
    guard: anyone,
    caching: 'public',
    params: pollParams,
    answers: { 200: { description: 'The poll.', schema: publicPoll } },
    errors: ['NOT_FOUND'],
    async handle({ params, now }) {
      const row = await findPublicPoll(deps.engine.db, params.slug)
      if (!row) throw notFound()
      const labels = await labelsOf(deps.engine.db, [row.key])
      return {
        data: presentPublicPoll(row, labels(row.key), { deps, viewer: 'public', now }),
        changesAt: statusChangesAt(row, now),
      }
    },
  }),

  route({
    method: 'GET',
    path: '/polls/{slug}/tallies',
    name: 'getTallies',
    summary: 'The counts of a poll',
    guard: anyone,
    caching: 'public',
    params: pollParams,
    answers: { 200: { description: 'The counts.', schema: talliesAnswer } },
    errors: ['NOT_FOUND'],
    async handle({ params, now }) {
      const row = await findPublicPoll(deps.engine.db, params.slug)
      if (!row) throw notFound()
      return { data: presentPollTallies(row, 'public', now), changesAt: statusChangesAt(row, now) }
    },
  }),

  route({
    method: 'GET',
    path: '/brands/{brandSlug}/polls',
    name: 'listPublicPolls',
    summary: "A brand's public feed",
    guard: anyone,
    caching: 'public',
    params: brandParams,
    query: feedQuery,
    isPaged: true,
    answers: { 200: { description: 'A page of polls.', schema: z.array(pollListItem) } },
    errors: ['NOT_FOUND'],
    async handle({ params, query, paging, now }) {
      const brand = await findBrand(deps.engine.db, params.brandSlug)
      if (!brand) throw notFound()
      const { rows, next } = await publicFeed(deps.engine.db, { brandKey: brand.key, paging, now }, query)
      return {
        data: rows.map((row) => presentListItem(row, { deps, viewer: 'public', now })),
        next,
        changesAt: earliest(rows.map((row) => statusChangesAt(row, now))),
      }
    },
  }),

  route({
    method: 'GET',
    path: '/categories',
    name: 'listCategories',
    summary: "The operator's categories",
    guard: anyone,
    caching: 'public',
    answers: { 200: { description: 'All categories.', schema: z.array(category) } },
    handle: async () => ({ data: await listCategories(deps.engine.db) }),
  }),
]
