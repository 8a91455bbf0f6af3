import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import { timestamp, url } from '../../base/fields.ts'
import { pollParams } from '../../events/resources/poll.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { findOwnedPoll } from '../polls/queries.ts'
import { previewLink } from './preview.ts'

const link = z
  .object({
    url: url.meta({
      description: 'The page of the poll, with a signature.',
      examples: [
        'https://polls.example.com/p/Xk3_pQ9vZ2Lm?preview=mhk2q9o0.q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mBq3Zk0d1nYw8',
      ],
    }),
    expiresAt: timestamp.meta({
      description: 'When the link stops showing the draft.',
      examples: ['2026-01-31T13:00:00.000Z'],
    }),
  })
  .meta({ id: 'PollPreview', description: 'A link that shows a draft.' })

export const previewRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/polls/{slug}/preview',
    name: 'getPollPreview',
    tag: 'Polls',
    summary: 'A link that shows a draft for an hour',
    description:
      'Everybody who has the link sees the poll as its page will be. No cache and no search engine keeps the page, and votes on a draft are refused. Once the poll is published, the link shows its page.',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    params: pollParams,
    answers: { 200: { description: 'The link.', schema: link } },
    errors: ['NOT_FOUND'],
    async handle({ identity, params, now }) {
      const row = await findOwnedPoll(deps.engine.db, identity.brandKey, params.slug)
      if (!row) throw notFound()
      return { data: previewLink(deps, row.short_id, now) }
    },
  }),
]
