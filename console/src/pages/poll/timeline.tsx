import { Group, NativeSelect, Paper, Skeleton, Text, Title, useComputedColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import chartStyles from 'uplot/dist/uPlot.min.css' with { type: 'text' }
import type { Timeline as Points } from '../../../../sdk/src/index.ts'
import { addStyles } from '../../parts/sheet.ts'
import { Failed } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { count, filled, language, moment, timeZone, words } from '../../words/words.ts'
import type { PollInView } from './use-poll.ts'

addStyles(chartStyles)

const BUCKETS = ['minute', 'hour', 'day', 'week'] as const
type Bucket = (typeof BUCKETS)[number]

interface TimelineProps {
  readonly poll: PollInView
  /** Another number of votes reads the timeline again. */
  readonly total: number
}

const HOUR_MS = 3_600_000

/** Few points say nothing, and too many are not told apart. */
function firstBucket({ createdAt }: PollInView): Bucket {
  const ageHours = (Date.now() - Date.parse(createdAt)) / HOUR_MS
  if (ageHours < 3) return 'minute'
  return ageHours < 24 * 10 ? 'hour' : 'day'
}

export function Timeline({ poll, total }: TimelineProps) {
  const { slug, tossup } = useBrand()
  const { poll: its } = words()
  const [bucket, setBucket] = useState(() => firstBucket(poll))
  const timeline = useQuery({
    queryKey: ['brand', slug, 'timeline', poll.id, bucket],
    queryFn: ({ signal }) => tossup.getTimeline(poll.id, { bucket, tz: timeZone() }, { signal }),
  })
  const { refetch } = timeline
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each new vote, but at most once a second
  useEffect(() => {
    const timer = setTimeout(() => void refetch(), 1_000)
    return () => clearTimeout(timer)
  }, [total, refetch])
  const points = timeline.data?.points ?? []
  const hasVotes = points.some(({ optionA, optionB }) => optionA + optionB > 0)
  return (
    <Paper withBorder p="md" component="section">
      <Group justify="space-between" mb="sm">
        <div>
          <Title order={2} size="h5">
            {its.timeline}
          </Title>
          <Text size="xs" c="dimmed">
            {filled(its.zone, { zone: timeZone() })}
          </Text>
        </div>
        <NativeSelect
          size="xs"
          aria-label={its.bucket}
          value={bucket}
          onChange={(event) => setBucket(event.currentTarget.value as Bucket)}
          data={BUCKETS.map((value) => ({ value, label: its[value] }))}
        />
      </Group>
      {timeline.isPending && <Skeleton height={240} />}
      {timeline.error && <Failed error={timeline.error} onRetry={() => void refetch()} />}
      {timeline.data && !hasVotes && (
        <Text size="sm" c="dimmed" py="xl" ta="center">
          {its.noTimeline}
        </Text>
      )}
      {hasVotes && <Chart points={points} labels={[poll.optionA.label, poll.optionB.label]} />}
    </Paper>
  )
}

interface ChartProps {
  readonly points: Points['points']
  readonly labels: readonly [string, string]
}

const HEIGHT = 240

const colorOf = (element: Element, name: string) => getComputedStyle(element).getPropertyValue(name).trim()

const DAY_S = 86_400

/** The places on the axis of time: hours, or days where they are that far apart. */
function axisTimes(splits: readonly number[], secondsApart: number): string[] {
  const format = new Intl.DateTimeFormat(
    language.lang,
    secondsApart < DAY_S ? { hour: 'numeric', minute: '2-digit' } : { month: 'short', day: 'numeric' },
  )
  return splits.map((at) => format.format(at * 1000))
}

/** Drag to zoom, double-click to see all again. */
function Chart({ points, labels: [a, b] }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  const scheme = useComputedColorScheme('light')
  const data: uPlot.AlignedData = [
    points.map(({ at }) => Date.parse(at) / 1000),
    points.map(({ optionA }) => optionA),
    points.map(({ optionB }) => optionB),
  ]
  const latest = useRef(data)
  latest.current = data

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the scheme
  useEffect(() => {
    const element = place.current
    if (!element) return
    const text = colorOf(element, '--chart-text')
    const grid = { stroke: colorOf(element, '--chart-grid'), width: 1 }
    const series = (label: string, color: string) => ({
      label,
      stroke: colorOf(element, color),
      width: 2,
      value: (_: uPlot, votes: number | null) => (votes === null ? '' : count(votes)),
      points: { show: points.length < 3 },
    })
    const drawn = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        series: [
          { label: '', value: (_, at: number | null) => (at === null ? '' : moment(at * 1000)) },
          series(a, '--split-a'),
          series(b, '--split-b'),
        ],
        axes: [
          { stroke: text, grid, ticks: grid, values: (...[, splits, , , apart]) => axisTimes(splits, apart) },
          {
            stroke: text,
            grid,
            ticks: grid,
            size: 44,
            values: (_, splits) => splits.map(count),
            incrs: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1e3, 5e3, 1e4, 1e5, 1e6],
          },
        ],
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most)] } },
      },
      latest.current,
      element,
    )
    chart.current = drawn
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
      chart.current = null
    }
  }, [a, b, scheme])

  // biome-ignore lint/correctness/useExhaustiveDependencies: new points are new data
  useEffect(() => chart.current?.setData(latest.current), [points])
  return (
    <div
      ref={place}
      className="chart"
      dir="ltr"
      lang={language.lang}
      role="img"
      aria-label={filled(words().poll.chartOf, { a, b })}
    />
  )
}
