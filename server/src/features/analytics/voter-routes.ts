import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import { pollParams } from '../../events/resources/poll.ts'
import type { Export } from '../../http/answers/export.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { forgottenIds, respondentIds } from '../people/tokens/device.ts'
import { type BrandCaller, brandScope } from '../people/tokens/guards.ts'
import { findOwnedPoll } from '../polls/queries.ts'
import { type VoterEvent, voterEvent } from './poll-schema.ts'
import { allVoters, presentVoter, type VoterRow, votersOf } from './voters.ts'

const COLUMNS = ['respondentId', 'option', 'votedAt', 'position'] as const

export function voterRoutes(deps: Deps): Route[] {
  const { db } = deps.engine

  async function ownPoll(identity: BrandCaller, slug: string) {
    const poll = await findOwnedPoll(db, identity.brandKey, slug)
    if (!poll) throw notFound()
    const names = { ofDevice: respondentIds(deps, identity), ofVote: forgottenIds(deps, identity, poll.id) }
    return { poll, present: (row: VoterRow) => presentVoter(row, names) }
  }

  return [
    route({
      method: 'GET',
      path: '/brands/me/polls/{slug}/voters',
      name: 'listVoters',
      tag: 'Analytics',
      summary: 'The voters of a poll, with their votes',
      description:
        'Sorted by position of the vote, highest first. A forgotten device has a different respondentId for each vote. With `Accept: text/csv` or `application/x-ndjson` the answer is one file with all votes, without `limit` and `cursor`; a brand can download four files at a time.',
      guard: brandScope(deps, 'analytics'),
      caching: 'private',
      params: pollParams,
      isPaged: true,
      answers: { 200: { description: 'A page of voters, or a file with all of them.', schema: z.array(voterEvent) } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, paging }) {
        const { poll, present } = await ownPoll(identity, params.slug)
        const { rows, next } = await votersOf(db, { pollKey: poll.key, paging })
        return { data: rows.map(present), next }
      },
      async exportAll({ identity, params }): Promise<Export<VoterEvent>> {
        const { poll, present } = await ownPoll(identity, params.slug)
        return {
          filename: `voters-${poll.slug}`,
          columns: COLUMNS,
          cellsOf: ({ respondentId, option, votedAt, position }) => [[{ id: respondentId }, option, votedAt, position]],
          pages: pagesOf(allVoters(db, poll.key), present),
        }
      },
    }),
  ]
}

async function* pagesOf(parts: AsyncIterable<VoterRow[]>, present: (row: VoterRow) => VoterEvent) {
  for await (const rows of parts) yield rows.map(present)
}
