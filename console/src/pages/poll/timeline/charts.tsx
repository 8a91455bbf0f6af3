import { Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import type uPlot from 'uplot'
import type { Timeline as Points, Tallies } from '../../../../../sdk/src/index.ts'
import { resultWords } from '../../../words/result-words.ts'
import { filled, moment, words } from '../../../words/words.ts'
import type { PollInView } from '../use-poll.ts'
import { Chart, type Line } from './chart.tsx'
import type { TimedNote } from './chart-notes.ts'
import { useNotes } from './use-notes.ts'

export interface TimelineProps {
  readonly poll: PollInView
  readonly labels: readonly [string, string]
  /** Another number of votes reads the timeline again. */
  readonly tallies: Tallies
}

/** The share of A among all votes up to each point. Votes from before the first point are in the tallies alone. */
function sharesOver(points: Points['points'], { optionA, optionB }: Tallies): (number | null)[] {
  const sumOf = (side: 'optionA' | 'optionB') => points.reduce((sum, point) => sum + point[side], 0)
  let votesA = Math.max(0, optionA - sumOf('optionA'))
  let votesB = Math.max(0, optionB - sumOf('optionB'))
  return points.map((point) => {
    votesA += point.optionA
    votesB += point.optionB
    return votesA + votesB === 0 ? null : votesA / (votesA + votesB)
  })
}

interface ChartsProps extends TimelineProps {
  readonly points: Points['points']
  readonly timeZone: string
  readonly resets: number
  readonly onZoom: (isZoomed: boolean) => void
}

/** Votes in each step, and beside them how the share came about. */
export function Charts({ poll, labels: [a, b], points, tallies, ...shown }: ChartsProps) {
  const { poll: its } = words()
  const { share } = resultWords()
  const notes = useNotes(poll)
  const hasViews = points.some(({ views = 0 }) => views > 0)
  const views = resultWords().sources.views
  const votesOf = useMemo(
    (): readonly Line[] => [
      { label: a, color: '--split-a' },
      { label: b, color: '--split-b' },
      ...(hasViews ? [{ label: views, color: '--chart-text', isDashed: true }] : []),
    ],
    [a, b, hasViews, views],
  )
  const shareOf = useMemo((): readonly Line[] => [{ label: a, color: '--split-a' }], [a])
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points])
  const votes = useMemo(
    (): uPlot.AlignedData => [
      times,
      points.map(({ optionA }) => optionA),
      points.map(({ optionB }) => optionB),
      ...(hasViews ? [points.map(({ views: seen = 0 }) => seen)] : []),
    ],
    [times, points, hasViews],
  )
  const shares = useMemo((): uPlot.AlignedData => [times, sharesOver(points, tallies)], [times, points, tallies])
  return (
    <>
      <div className="charts">
        <Chart
          kind="votes"
          name={filled(its.chartOf, { a, b })}
          lines={votesOf}
          data={votes}
          notes={notes}
          {...shown}
        />
        <div>
          <Title order={3} size="h6">
            {share.over}
          </Title>
          <Text size="xs" c="dimmed">
            {filled(share.overText, { label: a })}
          </Text>
          <Chart
            kind="share"
            name={filled(share.chart, { label: a })}
            lines={shareOf}
            data={shares}
            notes={notes}
            {...shown}
          />
        </div>
      </div>
      <Notes notes={notes} />
    </>
  )
}

/** The notes in words, with the numbers of their lines. */
function Notes({ notes }: { readonly notes: readonly TimedNote[] }) {
  return (
    <ol className="notes" aria-label={resultWords().share.notes}>
      {notes.map(({ at, text }, index) => (
        <li key={`${at} ${text}`}>
          <span className="note-mark">{index + 1}</span>
          {text} · <time dateTime={at}>{moment(at)}</time>
        </li>
      ))}
    </ol>
  )
}
