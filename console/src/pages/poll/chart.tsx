import { useComputedColorScheme } from '@mantine/core'
import { memo, useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import chartStyles from 'uplot/dist/uPlot.min.css' with { type: 'text' }
import type { Timeline as Points } from '../../../../sdk/src/index.ts'
import { addStyles } from '../../parts/polls/sheet.ts'
import { count, filled, language, words } from '../../words/words.ts'

addStyles(chartStyles)

const HEIGHT = 240
const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
/** Beside the labels of an axis, and for each of their letters, in pixels. */
const AXIS_SPACE = 18
const LETTER_WIDTH = 7
const TIME_SPACE = 72

const colorOf = (element: Element, name: string) => getComputedStyle(element).getPropertyValue(name).trim()

/** The places on the axis of time: hours, or days where they are that far apart. */
function axisTimes(splits: readonly number[], secondsApart: number, timeZone: string): string[] {
  const format = new Intl.DateTimeFormat(language.lang, {
    timeZone,
    ...(secondsApart < DAY_S ? { hour: 'numeric', minute: '2-digit' } : { month: 'short', day: 'numeric' }),
  })
  return splits.map((at) => format.format(at * 1000))
}

function momentIn(timeZone: string): (seconds: number) => string {
  const format = new Intl.DateTimeFormat(language.lang, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  return (seconds) => format.format(seconds * 1000)
}

/** A single moment has no length: it is shown in the middle of two hours. */
const timeRange = (_: uPlot, from: number, to: number): [number, number] =>
  from === to ? [from - HOUR_S, to + HOUR_S] : [from, to]

const isPart = ({ data: [times], scales: { x } }: uPlot): boolean =>
  x?.min !== undefined && x.max !== undefined && (x.min > (times[0] ?? 0) || x.max < (times.at(-1) ?? 0))

interface ChartProps {
  readonly points: Points['points']
  readonly labels: readonly [string, string]
  readonly timeZone: string
  /** Another number shows all of it again. */
  readonly resets: number
  readonly onZoom: (isZoomed: boolean) => void
}

/** Drag to zoom. A poll in view is drawn again with each vote, so only other points or labels draw the chart again. */
export const Chart = memo(({ points, labels: [a, b], timeZone, resets, onZoom }: ChartProps) => {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  const scheme = useComputedColorScheme('light')
  const data = useMemo(
    (): uPlot.AlignedData => [
      points.map(({ at }) => Date.parse(at) / 1000),
      points.map(({ optionA }) => optionA),
      points.map(({ optionB }) => optionB),
    ],
    [points],
  )
  const latest = useRef(data)
  latest.current = data

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the scheme
  useEffect(() => {
    const element = place.current
    if (!element) return
    const text = colorOf(element, '--chart-text')
    const grid = { stroke: colorOf(element, '--chart-grid'), width: 1 }
    const moment = momentIn(timeZone)
    const series = (label: string, color: string) => ({
      label,
      stroke: colorOf(element, color),
      fill: `${colorOf(element, color)}1f`,
      width: 2,
      value: (_: uPlot, votes: number | null) => (votes === null ? '' : count(votes)),
      points: { show: ({ data: [times] }: uPlot) => times.length < 3 },
    })
    const drawn = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone),
        series: [
          { label: timeZone, value: (_, at: number | null) => (at === null ? '' : moment(at)) },
          series(a, '--split-a'),
          series(b, '--split-b'),
        ],
        axes: [
          {
            stroke: text,
            grid,
            ticks: grid,
            space: TIME_SPACE,
            values: (...[, splits, , , apart]) => axisTimes(splits, apart, timeZone),
          },
          {
            stroke: text,
            grid,
            ticks: grid,
            size: (_, labels) => AXIS_SPACE + LETTER_WIDTH * Math.max(0, ...(labels ?? []).map(({ length }) => length)),
            values: (_, splits) => splits.map(count),
            incrs: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1e3, 5e3, 1e4, 1e5, 1e6],
          },
        ],
        scales: { x: { range: timeRange }, y: { range: (_, __, most) => [0, Math.max(1, most)] } },
        hooks: { setScale: [(its, key) => key === 'x' && onZoom(isPart(its))] },
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
  }, [a, b, scheme, timeZone, onZoom])

  // New votes must not reset the zoom.
  useEffect(() => {
    const { current } = chart
    if (current) current.setData(data, !isPart(current))
  }, [data])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a number asks for it
  useEffect(() => chart.current?.setData(latest.current), [resets])
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
})
