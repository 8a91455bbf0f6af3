import { z } from 'zod'
import { orNotFound } from '../../base/errors.ts'
import { brandParams } from '../../events/resources/brand.ts'
import { category, pollListItem, pollParams, publicPoll } from '../../events/resources/poll.ts'
import { talliesAnswer } from '../../events/resources/tallies.ts'
import type { Ready } from '../../http/answers/answer.ts'
import { anyone, type Route, route } from '../../http/route.ts'
import { findBrand } from '../brands/brands.ts'
import type { Deps } from '../deps.ts'
import { feedQuery, publicFeed } from './lists.ts'
import { presentListItem } from './present-poll.ts'
import { listCategories } from './queries.ts'
import { FEED_PATH, type FeedSnapshots } from './snapshots/feed-snapshots.ts'
import type { PollKeys } from './snapshots/poll-keys.ts'
import type { PollSnapshots } from './snapshots/poll-snapshots.ts'
import type { Snapshot, View } from './snapshots/snapshot.ts'
import { earliest, statusChangesAt } from './status.ts'

/** Resolves identifiers and finds ready answers for public reads. */
export interface PublicPolls {
  readonly pollKeys: PollKeys
  readonly snapshots: PollSnapshots
  readonly feeds: FeedSnapshots
}

export function publicPollRoutes(deps: Deps, { pollKeys, snapshots, feeds }: PublicPolls): Route[] {
  async function findSnapshot(reference: string): Promise<Snapshot> {
    const pollKey = await pollKeys.find(reference)
    return orNotFound(pollKey === null ? null : await snapshots.find(pollKey))
  }

  function peek(reference: string, view: View, now: number): Ready | null {
    const pollKey = pollKeys.peek(reference)
    return pollKey === null ? null : (snapshots.peek(pollKey)?.peek(view, now) ?? null)
  }

  return [
    route({
      method: 'GET',
      path: '/polls/{slug}',
      name: 'getPoll',
      tag: 'Polls',
      summary: 'A poll, by its slug, shortId or id',
      description:
        'Returns every poll except drafts and deleted ones; private polls too, because everybody with their link may see them. If `resultsVisibility` hides the results, all counts are 0 and `hidden` is true.',
      guard: anyone,
      caching: 'public',
      params: pollParams,
      answers: { 200: { description: 'The poll.', schema: publicPoll } },
      errors: ['NOT_FOUND'],
      fromMemory: ({ slug = '' }, now) => peek(slug, 'poll', now),
      async handle({ params, now }) {
        const snapshot = await findSnapshot(params.slug)
        return { ready: snapshot.poll(now) }
      },
    }),

    route({
      method: 'GET',
      path: '/polls/{slug}/tallies',
      name: 'getTallies',
      tag: 'Polls',
      summary: 'The counts of a poll',
      description:
        'The counts alone, as a small answer. To follow a poll, use the stream, or poll with `If-None-Match`, which answers 304 until something changes.',
      guard: anyone,
      caching: 'public',
      params: pollParams,
      answers: { 200: { description: 'The counts.', schema: talliesAnswer } },
      errors: ['NOT_FOUND'],
      fromMemory: ({ slug = '' }, now) => peek(slug, 'tallies', now),
      async handle({ params, now }) {
        const snapshot = await findSnapshot(params.slug)
        return { ready: snapshot.tallies(now) }
      },
    }),

    route({
      method: 'GET',
      path: FEED_PATH,
      name: 'listPublicPolls',
      tag: 'Polls',
      summary: "A brand's public feed",
      description:
        'Omits draft, private and archived polls. With `recent`, no poll is skipped or repeated while you read pages; with `popular` and `closing`, a poll can move between pages.',
      guard: anyone,
      caching: 'public',
      params: brandParams,
      query: feedQuery,
      isPaged: true,
      answers: { 200: { description: 'A page of polls.', schema: z.array(pollListItem) } },
      errors: ['NOT_FOUND'],
      fromMemory: ({ brandSlug = '' }, now) => feeds.peek(brandSlug, now),
      async handle({ incoming, params, query, paging, now }) {
        if (incoming.search === '') {
          const ready = orNotFound(await feeds.find(params.brandSlug, now))
          return { ready }
        }
        const brand = orNotFound(await findBrand(deps.engine.db, params.brandSlug))
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
      tag: 'Polls',
      summary: "The operator's categories",
      description:
        'The operator of the service creates categories on the command line. Polls refer to them in `categoryIds`.',
      guard: anyone,
      caching: 'public',
      answers: { 200: { description: 'All categories.', schema: z.array(category) } },
      handle: async () => ({ data: await listCategories(deps.engine.db) }),
    }),
  ]
}
