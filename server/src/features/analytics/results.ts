import { z } from 'zod'
import { type Insight, insightOf } from '../../../../embed/src/insight/verdict.ts'
import { iso, isoOrNull } from '../../base/clock.ts'
import { count, optionName, STATUSES, timestamp, uuid } from '../../base/fields.ts'
import type { Db } from '../../db/store.ts'
import { share } from '../../events/resources/insight.ts'
import { OTHER_SOURCE } from '../../events/resources/source-name.ts'
import { type Export, exportQuery } from '../../http/answers/export.ts'
import type { Paging } from '../../http/paging.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { ownedPolls } from '../polls/lists.ts'
import type { PollRow } from '../polls/queries.ts'
import { statusAt } from '../polls/status.ts'
import { namesOf, type SourceVotes, votesBySource } from './sources/sources.ts'

const pollResult = z
  .object({
    id: uuid.describe('The permanent id of the poll.'),
    slug: z.string().meta({ description: 'The readable name of the poll.', examples: ['tea-or-coffee'] }),
    title: z.string().meta({ description: 'The question.', examples: ['Tea or coffee?'] }),
    labelA: z.string().meta({ description: 'The label of option A.', examples: ['Tea'] }),
    labelB: z.string().meta({ description: 'The label of option B.', examples: ['Coffee'] }),
    status: z.enum(STATUSES).meta({ description: 'The status now.', examples: ['open'] }),
    optionA: count.meta({ description: 'Votes for option A.', examples: [40] }),
    optionB: count.meta({ description: 'Votes for option B.', examples: [21] }),
    votes: count.meta({ description: 'All votes.', examples: [61] }),
    shareA: share('The share of option A, or null without votes.', 0.656),
    low: share('The lower end of the Wilson interval of that share at 95 %, or null without votes.', 0.53),
    high: share('The upper end of that interval, or null without votes.', 0.763),
    verdict: z.enum(['no_votes', 'too_close', 'leading']).meta({
      description:
        '`leading` while the evidence against an even split is strong enough, else `too_close`; it speaks of those who voted, not of a population.',
      examples: ['too_close'],
    }),
    leader: optionName.nullable().meta({ description: 'The option that leads, or null.', examples: [null] }),
    createdAt: timestamp.describe('When the poll was created.'),
    opensAt: timestamp
      .nullable()
      .describe('When voting opened or will open; null for a poll that opened when it was published.'),
    closesAt: timestamp.nullable().describe('When voting closed or will close, or null.'),
    archivedAt: timestamp.nullable().describe('When the poll was archived, which closed it, or null.'),
    sources: z
      .array(
        z.object({
          source: z.string().meta({ description: 'The name of the source.', examples: ['newsletter'] }),
          votes: count.meta({ description: 'Votes that came from it.', examples: [24] }),
        }),
      )
      .describe(
        'Votes by source, most first. `other` is last: votes of no source, of one that is not declared, and of sources with fewer than 10 votes.',
      ),
  })
  .meta({ id: 'PollResult', description: 'The result of a poll in numbers.' })

type PollResult = z.infer<typeof pollResult>

function presentResult(row: PollRow, sources: readonly SourceVotes[], now: number): PollResult {
  const sides = { optionA: row.option_a, optionB: row.option_b }
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    labelA: row.label_a,
    labelB: row.label_b,
    status: statusAt(row, now),
    ...sides,
    ...insightOf(sides),
    createdAt: iso(row.created_at),
    opensAt: isoOrNull(row.opens_at),
    closesAt: isoOrNull(row.closes_at),
    archivedAt: isoOrNull(row.archived_at),
    sources: [...sources],
  }
}

async function page(db: Db, { brandKey, paging, now }: { brandKey: number; paging: Paging; now: number }) {
  const { rows, next } = await ownedPolls(db, { brandKey, paging, now }, { order: 'recent', isDraft: false })
  const counted = rows.map(({ key, option_a, option_b }) => ({ key, votes: option_a + option_b }))
  const sources = await votesBySource(db, brandKey, counted)
  return { results: rows.map((row) => presentResult(row, sources.get(row.key) ?? [], now)), next }
}

const POLLS = 200

/** A poll that is created meanwhile comes before the first row, so it is not in the file. */
async function* allResults(db: Db, brandKey: number, now: number): AsyncGenerator<PollResult[]> {
  let after: Paging['after'] = null
  do {
    const { results, next } = await page(db, { brandKey, paging: { limit: POLLS, after }, now })
    yield results
    after = next
  } while (after)
}

/** With one decimal, or empty without votes. */
const percent = (part: number | null): number | '' => (part === null ? '' : Math.round(part * 1_000) / 10)

const complement = ({ shareA }: Pick<Insight, 'shareA'>): number | null => (shareA === null ? null : 1 - shareA)

const COLUMNS = {
  title: ({ title }) => title,
  labelA: ({ labelA }) => labelA,
  labelB: ({ labelB }) => labelB,
  votesA: ({ optionA }) => optionA,
  votesB: ({ optionB }) => optionB,
  votes: ({ votes }) => votes,
  percentA: ({ shareA }) => percent(shareA),
  percentB: (result) => percent(complement(result)),
  percentALow: ({ low }) => percent(low),
  percentAHigh: ({ high }) => percent(high),
  verdict: ({ verdict }) => verdict,
  leader: ({ leader }) => leader ?? '',
  status: ({ status }) => status,
  createdAt: ({ createdAt }) => createdAt,
  opensAt: ({ opensAt }) => opensAt ?? '',
  closesAt: ({ closesAt }) => closesAt ?? '',
  archivedAt: ({ archivedAt }) => archivedAt ?? '',
  slug: ({ slug }) => slug,
  id: ({ id }) => id,
} satisfies Record<string, (result: PollResult) => string | number>

const votesFrom = (name: string, { sources }: PollResult): number =>
  sources.find(({ source }) => source === name)?.votes ?? 0

export const resultRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/results',
    name: 'listResults',
    tag: 'Analytics',
    summary: 'The results of all your polls, newest first',
    description:
      'Counts, shares, the interval of each share and the verdict; no drafts. The counts are also those that are hidden from visitors. With `Accept: text/csv` or `application/x-ndjson` the answer is one file with all polls, without `limit` and `cursor`, and in CSV with a column for each source that you have declared; a brand can download four files at a time.',
    guard: brandScope(deps, 'analytics'),
    caching: 'private',
    query: exportQuery,
    isPaged: true,
    answers: { 200: { description: 'A page of results, or a file with all of them.', schema: z.array(pollResult) } },
    async handle({ identity: { brandKey }, paging, now }) {
      const { results, next } = await page(deps.engine.db, { brandKey, paging, now })
      return { data: results, next }
    },
    async exportAll({ identity: { brandKey }, query, now }): Promise<Export<PollResult>> {
      const { db } = deps.engine
      const sources = [...[...(await namesOf(db, brandKey)).values()].toSorted(), OTHER_SOURCE]
      return {
        filename: 'results',
        bom: query.bom,
        columns: [...Object.keys(COLUMNS), ...sources.map((name) => `votes:${name}`)],
        cellsOf: (result) => [
          [...Object.values(COLUMNS).map((cell) => cell(result)), ...sources.map((name) => votesFrom(name, result))],
        ],
        pages: allResults(db, brandKey, now),
      }
    },
  }),
]
