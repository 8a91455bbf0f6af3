import type { Choice } from '../../../../../embed/src/poll-view.ts'
import { csvLine } from '../../../http/answers/export.ts'
import type { SourceRow } from '../../analytics/sources/sources.ts'
import type { PollResult, Results, Timeline } from './read-results.ts'
import { intervalOf, rateOf } from './result-parts.ts'

const RESULT_COLUMNS = ['poll', 'title', 'option', 'label', 'votes', 'share', 'low', 'high', 'verdict']

/** A record for each option of each poll. Shares are from 0 to 1, and empty without votes. */
export const resultsCsv = (results: Results): string =>
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

export const timelineCsv = ({ points }: Timeline): string =>
  [
    csvLine(['at', 'optionA', 'optionB']),
    ...points.map(({ at, optionA, optionB }) => csvLine([at, optionA, optionB])),
  ].join('')

/** The share is that of option A, and empty where the votes are few or on several polls. */
export const sourcesCsv = (sources: readonly SourceRow[]): string =>
  [
    csvLine(['source', 'views', 'votes', 'rate', 'share', 'low', 'high']),
    ...sources.map(({ source, views, votes, shareA, low, high }) =>
      csvLine([source, views, votes, ...[rateOf({ views, votes }), shareA, low, high].map(rounded)]),
    ),
  ].join('')
