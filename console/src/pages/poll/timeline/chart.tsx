import { useComputedColorScheme } from '@mantine/core'
import { memo, useEffect, useRef } from 'react'
import uPlot from 'uplot'
import chartStyles from 'uplot/dist/uPlot.min.css' with { type: 'text' }
import { addStyles } from '../../../parts/polls/sheet.ts'
import { count, language, percent } from '../../../words/words.ts'
import { drawNotes, type TimedNote } from './chart-notes.ts'

addStyles(chartStyles)

const HEIGHT = 240
const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
/** Beside the labels of an axis, and for each of their letters, in pixels. */
const AXIS_SPACE = 18
const LETTER_WIDTH = 8
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

/** The vertical axis: votes from 0, or shares from 0 to 1. */
const AXES = {
  votes: {
    text: count,
    steps: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1e3, 5e3, 1e4, 1e5, 1e6],
    range: (_: uPlot, __: number, most: number): [number, number] => [0, Math.max(1, most)],
  },
  share: { text: percent, steps: [0.25, 0.5], range: (): [number, number] => [0, 1] },
} as const

export interface Line {
  readonly label: string
  /** The name of a variable of the page's styles. */
  readonly color: string
  readonly isDashed?: boolean
}

interface ChartProps {
  readonly kind: keyof typeof AXES
  /** Read out in the place of the picture. */
  readonly name: string
  readonly lines: readonly Line[]
  /** Seconds, and the values of each line. */
  readonly data: uPlot.AlignedData
  readonly notes: readonly TimedNote[]
  readonly timeZone: string
  /** Another number shows all of it again. */
  readonly resets: number
  readonly onZoom: (isZoomed: boolean) => void
}

/** Drag to zoom. A poll in view is drawn again with each vote, so only other points or labels draw the chart again. */
export const Chart = memo(({ kind, name, lines, data, notes, timeZone, resets, onZoom }: ChartProps) => {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  const scheme = useComputedColorScheme('light')
  const latest = useRef({ data, notes })
  latest.current = { data, notes }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the scheme
  useEffect(() => {
    const element = place.current
    if (!element) return
    const axis = AXES[kind]
    const text = colorOf(element, '--chart-text')
    const grid = { stroke: colorOf(element, '--chart-grid'), width: 1 }
    const moment = momentIn(timeZone)
    const series = ({ label, color, isDashed = false }: Line) => ({
      label,
      stroke: colorOf(element, color),
      ...(kind === 'votes' && !isDashed ? { fill: `${colorOf(element, color)}1f` } : {}),
      ...(isDashed ? { width: 1, dash: [4, 4] } : { width: 2 }),
      value: (_: uPlot, value: number | null) => (value === null ? '' : axis.text(value)),
      points: { show: ({ data: [times] }: uPlot) => times.length < 3 },
    })
    const drawn = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone),
        series: [
          { label: timeZone, value: (_, at: number | null) => (at === null ? '' : moment(at)) },
          ...lines.map(series),
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
            values: (_, splits) => splits.map(axis.text),
            incrs: [...axis.steps],
          },
        ],
        // A zoom of one chart is one of both.
        cursor: { sync: { key: 'timeline', scales: ['x', null], setSeries: false } },
        scales: { x: { range: timeRange }, y: { range: axis.range } },
        hooks: {
          setScale: [(its, key) => key === 'x' && onZoom(isPart(its))],
          draw: [(its) => drawNotes(its, latest.current.notes, text)],
        },
      },
      latest.current.data,
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
  }, [kind, lines, scheme, timeZone, onZoom])

  // New votes must not reset the zoom.
  useEffect(() => {
    const { current } = chart
    if (current) current.setData(data, !isPart(current))
  }, [data])
  useEffect(() => {
    if (notes) chart.current?.redraw()
  }, [notes])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a number asks for it
  useEffect(() => chart.current?.setData(latest.current.data), [resets])
  return <div ref={place} className="chart" dir="ltr" lang={language.lang} role="img" aria-label={name} />
})
