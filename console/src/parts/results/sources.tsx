import { Paper, Text, Title } from '@mantine/core'
import { type QueryKey, useQuery } from '@tanstack/react-query'
import type { SourceCounts } from '../../../../sdk/src/index.ts'
import { resultWords } from '../../words/result-words.ts'
import { count, filled } from '../../words/words.ts'
import { Failed, Loading } from '../states.tsx'
import './add-result-styles.ts'
import { intervalText, shareText } from './numbers.ts'

/** The service counts them in the background. */
const ASK_EVERY_MS = 60_000
const OTHER = 'other'

interface SourcesProps {
  readonly queryKey: QueryKey
  readonly read: (signal: AbortSignal) => Promise<SourceCounts[]>
  /** The first answer, where all counts are of one poll. */
  readonly label: string | null
  /** The time that is counted, if it is not all of it. */
  readonly span?: string
}

/** Views, votes and rate of each place, most votes first. */
export function Sources({ queryKey, read, label, span }: SourcesProps) {
  const its = resultWords().sources
  const sources = useQuery({ queryKey, queryFn: ({ signal }) => read(signal), refetchInterval: ASK_EVERY_MS })
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="sources">
      <Title order={2} size="h5" id="sources">
        {its.title}
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        {span && `${span} · `}
        {its.text} {its.otherText}
      </Text>
      {sources.isPending && <Loading rows={2} />}
      {sources.error && <Failed error={sources.error} onRetry={() => void sources.refetch()} />}
      {sources.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {its.none}
        </Text>
      )}
      {sources.data && sources.data.length > 0 && <SourceTable sources={sources.data} label={label} />}
    </Paper>
  )
}

interface TableProps {
  readonly sources: readonly SourceCounts[]
  readonly label: string | null
}

function SourceTable({ sources, label }: TableProps) {
  const its = resultWords().sources
  const names = [its.source, its.views, its.votes, its.rate, ...(label === null ? [] : [filled(its.share, { label })])]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
    <div className="table-scroll" tabIndex={0}>
      <table className="numbers">
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sources.map(({ source, views, votes, shareA, low, high }) => (
            <tr key={source}>
              <th scope="row">
                <bdi>{source === OTHER ? its.other : source}</bdi>
              </th>
              <Counts views={views} votes={votes} />
              {label !== null && (
                <td>
                  {shareA === null || low === null || high === null ? (
                    '–'
                  ) : (
                    <>
                      <b>{shareText(shareA, votes)}</b>{' '}
                      <span className="side-count">{Object.values(intervalText({ low, high }, votes)).join('–')}</span>
                    </>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
        {sources.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row">{its.total}</th>
              <Counts views={sumOf(sources, 'views')} votes={sumOf(sources, 'votes')} />
              {label !== null && <td />}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  )
}

const sumOf = (sources: readonly SourceCounts[], name: 'views' | 'votes'): number =>
  sources.reduce((sum, source) => sum + source[name], 0)

/** Views are approximate, and programs send none. */
const Counts = ({ views, votes }: { readonly views: number; readonly votes: number }) => (
  <>
    <td>{count(views)}</td>
    <td>{count(votes)}</td>
    <td>{views === 0 || votes > views ? '–' : shareText(votes / views, views)}</td>
  </>
)
