// features/results: links by which people without an account see the results of a poll or a campaign.
// A token is stored only as a keyed hash. It is in the path, so no log line has the values of a path.

import { z } from 'zod'
import { AppError, invalidField, notFound, orNotFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { CampaignRow } from '../../db/tables.ts'
import type { ActivitySubject } from '../../events/activity.ts'
import { campaignParams } from '../../events/resources/campaign.ts'
import { pollParams } from '../../events/resources/poll.ts'
import { type Guard, type Route, route, writeOnce } from '../../http/route.ts'
import { findOwnedCampaign, lockOwnedCampaign } from '../campaigns/queries.ts'
import type { Deps } from '../deps.ts'
import { type BrandCaller, brandScope } from '../people/tokens/guards.ts'
import { changedPoll } from '../polls/present-poll.ts'
import { findOwnedPoll, lockOwnedPoll, type PollRow } from '../polls/queries.ts'
import {
  createResultsLink,
  deleteResultsLink,
  ofLink,
  presentResultsLink,
  resultsLink,
  resultsLinkBody,
  resultsLinksPage,
  resultsLinkWithUrl,
  type Shared,
} from './results-links.ts'

/** A link gives away what `analytics` reads, and giving it away is a change: both scopes are needed. */
function sharing(deps: Deps): Guard<BrandCaller> {
  const manage = brandScope(deps, 'manage')
  return {
    ...manage,
    async admit(incoming) {
      const caller = await manage.admit(incoming)
      if (caller.scopes.includes('analytics')) return caller
      throw new AppError('SCOPE_REQUIRED', { details: { scope: 'analytics' } })
    },
  }
}

/** A poll or a campaign by its parameter in a path. */
interface Owned {
  readonly shared: Shared
  readonly subject: ActivitySubject
}

interface Kind<Params extends z.ZodObject> {
  readonly noun: 'poll' | 'campaign'
  /** The path of a poll or a campaign. */
  readonly path: string
  readonly params: Params
  find(brandKey: number, params: z.output<Params>): Promise<Owned>
  /** Locks it, so that the second of two concurrent changes counts the first. */
  lock(tx: Tx, brandKey: number, params: z.output<Params>): Promise<Owned>
}

export function resultsLinkRoutes(deps: Deps): Route[] {
  const { db } = deps.engine
  const ofPoll = (row: PollRow): Owned => ({ shared: { column: 'poll_key', key: row.key }, subject: changedPoll(row) })
  const ofCampaign = ({ key, id, title }: Pick<CampaignRow, 'key' | 'id' | 'title'>): Owned => ({
    shared: { column: 'campaign_key', key },
    subject: { kind: 'campaign', id, title },
  })

  return [
    ...linkRoutes(deps, {
      noun: 'poll',
      path: '/brands/me/polls/{slug}',
      params: pollParams,
      find: async (brandKey, { slug }) => ofPoll(orNotFound(await findOwnedPoll(db, brandKey, slug))),
      lock: async (tx, brandKey, { slug }) => ofPoll(await lockOwnedPoll(deps, tx, { brandKey, reference: slug })),
    }),
    ...linkRoutes(deps, {
      noun: 'campaign',
      path: '/brands/me/campaigns/{campaignId}',
      params: campaignParams,
      async find(brandKey, { campaignId }) {
        const campaign = orNotFound(await findOwnedCampaign(db, brandKey, campaignId))
        return ofCampaign(campaign)
      },
      lock: async (tx, brandKey, params) => ofCampaign(await lockOwnedCampaign(tx, { brandKey, ...params })),
    }),
  ]
}

/** The three routes of the links to the results of a poll, or of a campaign. */
function linkRoutes<Params extends z.ZodObject>(deps: Deps, { noun, path, params, find, lock }: Kind<Params>): Route[] {
  const common = { tag: 'Analytics', guard: sharing(deps), caching: 'private', errors: ['NOT_FOUND'] } as const
  const Noun = noun === 'poll' ? 'Poll' : 'Campaign'

  return [
    route({
      ...common,
      method: 'GET',
      path: `${path}/results-links`,
      name: `list${Noun}ResultsLinks`,
      summary: `Links to the results of a ${noun}, newest first`,
      description:
        'Links that work, without their addresses: only the answer that makes a link has it. Needs the scopes `manage` and `analytics`.',
      params,
      isPaged: true,
      answers: { 200: { description: 'A page of links.', schema: z.array(resultsLink) } },
      async handle({ identity: { brandKey }, params, paging, now }) {
        const { shared } = await find(brandKey, params)
        const { rows, next } = await resultsLinksPage(deps.engine.db, shared, { paging, now })
        return { data: rows.map(presentResultsLink), next }
      },
    }),

    writeOnce({
      ...common,
      method: 'POST',
      path: `${path}/results-links`,
      name: `create${Noun}ResultsLink`,
      action: 'results_link.created',
      summary: `Share the results of a ${noun} by a link`,
      description: `Everybody who has the link sees the page of results, also where results are hidden from visitors. Only this answer shows the address: store it. A poll or a campaign has at most 100 links. Needs the scopes \`manage\` and \`analytics\`. The link ends with the ${noun}.`,
      hasSecret: true,
      params,
      body: resultsLinkBody,
      isBodyOptional: true,
      answers: { 201: { description: 'The new link, with its address.', schema: resultsLinkWithUrl } },
      async handle({ identity: { brandKey }, params, body: { expiresAt }, now }, tx) {
        if (expiresAt !== null && expiresAt <= now)
          throw invalidField('expiresAt', 'in_the_past', 'Must be in the future.')
        const { shared, subject } = await lock(tx, brandKey, params)
        const { row, url } = await createResultsLink(deps, tx, { shared, expiresAt })
        return { status: 201, data: { ...presentResultsLink(row), url }, subject }
      },
    }),

    writeOnce({
      ...common,
      method: 'DELETE',
      path: `${path}/results-links/{linkId}`,
      name: `delete${Noun}ResultsLink`,
      action: 'results_link.deleted',
      summary: `End a link to the results of a ${noun}`,
      description: 'The page answers 404 from then on. Needs the scopes `manage` and `analytics`.',
      params: params.extend(ofLink),
      answers: { 204: { description: 'Ended.' } },
      async handle({ identity: { brandKey }, params }, tx) {
        const given = params as unknown as z.output<Params> & z.output<z.ZodObject<typeof ofLink>>
        const { shared, subject } = await lock(tx, brandKey, given)
        if (!(await deleteResultsLink(tx, shared, given.linkId))) throw notFound()
        return { status: 204, subject }
      },
    }),
  ]
}
