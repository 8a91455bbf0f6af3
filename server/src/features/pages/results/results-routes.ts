// features/pages/results: the page of results behind a link, its pictures and files.

import { z } from 'zod'
import type { Choice } from '../../../../../embed/src/poll-view.ts'
import { LANGS } from '../../../../../embed/src/words.ts'
import { KeptResults } from '../../../base/cache.ts'
import { notFound, orNotFound } from '../../../base/errors.ts'
import { pollParams } from '../../../events/resources/poll.ts'
import type { CardDrawer } from '../../../files/cards/card-drawer.ts'
import { csvLine } from '../../../http/answers/export.ts'
import type { Incoming } from '../../../http/incoming.ts'
import { quotaOf } from '../../../http/limits/limits.ts'
import { firstParameters } from '../../../http/paging.ts'
import { outside, type Route, route } from '../../../http/route.ts'
import { Crosstabs } from '../../analytics/crosstab.ts'
import { Funnels } from '../../analytics/funnel.ts'
import type { SourceRow } from '../../analytics/sources/sources.ts'
import type { Deps } from '../../deps.ts'
import { brandScope, networkName } from '../../people/tokens/guards.ts'
import { findOwnedPoll } from '../../polls/queries.ts'
import { openResultsLink } from '../../results/results-links.ts'
import { askingOf, contentPolicy } from '../page.ts'
import { pictureDrawer } from './picture-svg.ts'
import {
  type Pair,
  type PollResult,
  type Results,
  readCampaign,
  readPoll,
  resultOf,
  type SharedCounts,
  type Timeline,
} from './read-results.ts'
import { intervalOf, rateOf } from './result-parts.ts'
import { resultsPage } from './results-page.ts'
import { pictureOf, SHAPES } from './results-picture.ts'

/** Nothing keeps what a link shows, and no other site learns its address. */
const PRIVATE = { 'Cache-Control': 'private, no-store', 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' }

const ALWAYS = ['Referrer-Policy', 'X-Robots-Tag'] as const

const params = z.object({
  token: z
    .string()
    .meta({ description: 'The secret of the link.', examples: ['tsv_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'] }),
})

const pictureQuery = z.object({
  shape: z
    .enum(SHAPES)
    .default('wide')
    .meta({ description: '`wide`: 1920 by 1080 pixels; `square`: 1080 by 1080.', examples: ['square'] }),
  lang: z
    .enum(LANGS)
    .default('en')
    .meta({ description: 'The language of its words and numbers.', examples: ['de'] }),
})

type PictureQuery = z.output<typeof pictureQuery>

const PNG = {
  description: 'A PNG.',
  contentType: 'image/png',
} as const

const CSV = {
  description: 'A CSV file.',
  contentType: 'text/csv',
  headers: { always: [...ALWAYS, 'Content-Disposition'] },
} as const

/** Other values than two steps of the campaign show the page without a table. */
function pairOf({ search }: Incoming): Pair {
  const { given } = firstParameters(search)
  return { rows: given.get('rows'), columns: given.get('columns') }
}

const NO_PAIR: Pair = { rows: null, columns: null }

export function resultsRoutes(
  deps: Deps,
  { origins, drawer }: { origins: readonly string[]; drawer: CardDrawer },
): Route[] {
  const { config } = deps
  const counts: SharedCounts = { funnels: new Funnels(), crosstabs: new Crosstabs(), sources: new KeptResults() }
  const pictures = pictureDrawer(deps, drawer)
  const { host } = new URL(config.publicUrl)
  const common = {
    ...outside,
    caching: 'none',
    params,
    limits: ({ incoming }: { incoming: Incoming }) => [
      { quota: quotaOf('sharedResults', config), key: networkName(deps, incoming.network) },
    ],
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
  } as const

  /** A token that ended answers like one that never was. */
  async function open(token: string, now: number, pair: Pair = NO_PAIR) {
    const link = orNotFound(await openResultsLink(deps, token, now))
    const results: Results | null =
      link.pollKey === null
        ? await readCampaign({ deps, now }, { ...link, pair, counts })
        : await readPoll({ deps, now }, { ...link, counts })
    if (!results) throw notFound()
    return { results, expiresAt: link.expiresAt }
  }

  async function picture(result: PollResult, query: PictureQuery, now: number) {
    const { bytes, etag } = await pictures(pictureOf(result, { ...query, host, now }))
    const headers = { 'Content-Type': 'image/png', ...attached(`results-${result.poll.slug}.png`) }
    return { etag, reply: { status: 200, body: bytes, headers: { ...headers, 'Cache-Control': 'private, no-store' } } }
  }

  /** A file that `write` makes of the results; null if it has none. */
  const fileRoute = (file: string, name: string, write: (results: Results) => string | null): Route =>
    route({
      ...common,
      path: `/r/{token}/${file}`,
      name,
      answers: { 200: CSV },
      async handle({ params: { token }, now }) {
        const body = write((await open(token, now)).results)
        if (body === null) throw notFound()
        const headers = { 'Content-Type': 'text/csv; charset=utf-8; header=present' }
        return { status: 200, body, headers: { ...headers, ...attached(file), ...PRIVATE } }
      },
    })

  return [
    route({
      method: 'GET',
      path: '/brands/me/polls/{slug}/results.png',
      name: 'getPollResultsPicture',
      tag: 'Analytics',
      summary: 'The results of a poll as a picture for slides',
      description:
        'A PNG with the question, the counts, the shares and their intervals, in the light colours of the theme, also where results are hidden from visitors. While too many pictures wait to be drawn, the answer is 503.',
      guard: brandScope(deps, 'analytics'),
      caching: 'own',
      params: pollParams,
      query: pictureQuery,
      answers: { 200: { ...PNG, headers: { always: ['ETag', 'Content-Disposition'] } } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params: { slug }, query, now }) {
        const row = orNotFound(await findOwnedPoll(deps.engine.db, brandKey, slug))
        const { reply, etag } = await picture(resultOf(row, { deps, now }), query, now)
        return { ...reply, headers: { ...reply.headers, ETag: etag } }
      },
    }),

    route({
      ...common,
      path: '/r/{token}',
      name: 'getResultsPage',
      answers: {
        200: {
          description: 'The page.',
          contentType: 'text/html',
          headers: { always: [...ALWAYS, 'Content-Security-Policy'] },
        },
      },
      async handle({ incoming, params: { token }, now }) {
        const { results, expiresAt } = await open(token, now, pairOf(incoming))
        const { looks, vary, given } = askingOf(incoming)
        const { text, ...page } = resultsPage(results, { looks, given, expiresAt, path: incoming.path })
        const hasForm = results.kind === 'campaign'
        const policy = contentPolicy({ ...page, origins, frameAncestors: ["'none'"], hasForm })
        const headers = { 'Content-Type': 'text/html; charset=utf-8', ...vary, ...PRIVATE }
        return { status: 200, body: text, isSecret: true, headers: { ...headers, 'Content-Security-Policy': policy } }
      },
    }),

    route({
      ...common,
      path: '/r/{token}/results.png',
      name: 'getResultsPicture',
      query: pictureQuery.extend({
        poll: pollParams.shape.slug.optional().meta({
          description: 'Of a campaign: the slug of the poll. The default is the first.',
          examples: ['tea-or-coffee'],
        }),
      }),
      answers: { 200: { ...PNG, headers: { always: [...ALWAYS, 'Content-Disposition'] } } },
      async handle({ params: { token }, query: { poll, ...query }, now }) {
        const { results } = await open(token, now)
        const all = results.kind === 'poll' ? [results.result] : results.steps
        const result = orNotFound(poll === undefined ? all[0] : all.find((each) => each.poll.slug === poll))
        const { reply } = await picture(result, query, now)
        return { ...reply, headers: { ...reply.headers, ...PRIVATE } }
      },
    }),

    fileRoute('results.csv', 'getResultsFile', resultsCsv),
    fileRoute('timeline.csv', 'getResultsTimeline', (results) =>
      results.kind === 'poll' ? timelineCsv(results.timeline) : null,
    ),
    fileRoute('sources.csv', 'getResultsSources', ({ sources }) => sourcesCsv(sources)),
  ]
}

const attached = (name: string) => ({ 'Content-Disposition': `attachment; filename="${name}"` })

const RESULT_COLUMNS = ['poll', 'title', 'option', 'label', 'votes', 'share', 'low', 'high', 'verdict']

/** A record for each option of each poll. Shares are from 0 to 1, and empty without votes. */
const resultsCsv = (results: Results): string =>
  [
    csvLine(RESULT_COLUMNS),
    ...(results.kind === 'poll' ? [results.result] : results.steps).flatMap((result) => [
      recordOf(result, 'A'),
      recordOf(result, 'B'),
    ]),
  ].join('')

function recordOf({ poll, insight }: PollResult, choice: Choice): string {
  const { shareA, verdict, leader } = insight
  const share = choice === 'A' || shareA === null ? shareA : 1 - shareA
  const interval = intervalOf(insight, choice)
  const numbers = [share, interval?.low, interval?.high].map(rounded)
  const { label } = choice === 'A' ? poll.optionA : poll.optionB
  const votes = choice === 'A' ? poll.tallies.optionA : poll.tallies.optionB
  const said = verdict === 'leading' && leader !== choice ? '' : verdict
  return csvLine([poll.slug, poll.title, choice, label, votes, ...numbers, said])
}

const rounded = (value: number | null | undefined): number | '' =>
  value == null ? '' : Math.round(value * 10_000) / 10_000

const timelineCsv = ({ points }: Timeline): string =>
  [
    csvLine(['at', 'optionA', 'optionB']),
    ...points.map(({ at, optionA, optionB }) => csvLine([at, optionA, optionB])),
  ].join('')

/** The share is that of option A, and empty where the votes are few or on several polls. */
const sourcesCsv = (sources: readonly SourceRow[]): string =>
  [
    csvLine(['source', 'views', 'votes', 'rate', 'share', 'low', 'high']),
    ...sources.map(({ source, views, votes, shareA, low, high }) =>
      csvLine([source, views, votes, ...[rateOf({ views, votes }), shareA, low, high].map(rounded)]),
    ),
  ].join('')
