import { Group, Paper, Text, TextInput } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import type { Poll } from '../../../../sdk/src/index.ts'
import { localOf, utcOf } from '../../parts/local-time.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, timeZone } from '../../words/words.ts'
import { ComparedCard } from './compared-card.tsx'
import { type Comparison, type Period, partsOf } from './comparison.ts'
import { useCompared } from './use-compared.ts'

interface PeriodsProps {
  readonly id: string
  readonly periods: Comparison['periods']
  readonly onChange: (periods: Comparison['periods']) => void
}

/** Two periods of one poll: the votes that came in each. */
export function ComparedPeriods({ id, periods, onChange }: PeriodsProps) {
  const its = resultWords().compare
  const [poll] = useCompared([id])
  const [one, two] = periods
  const areOrdered = periods.every(({ from, to }) => from < to)
  return (
    <>
      <Paper withBorder p="md" component="section" aria-label={its.periods}>
        <Text size="xs" c="dimmed" mb="sm">
          {filled(its.times, { zone: timeZone() })}
        </Text>
        <PeriodFields number={1} period={one} onChange={(period) => onChange([period, two])} />
        <PeriodFields number={2} period={two} onChange={(period) => onChange([one, period])} />
      </Paper>
      {poll?.error && <Failed error={poll.error} onRetry={() => void poll.refetch()} />}
      {poll?.isPending && <Loading rows={3} />}
      {poll?.data && areOrdered && <Counted poll={poll.data} periods={periods} />}
    </>
  )
}

interface FieldsProps {
  readonly number: number
  readonly period: Period
  readonly onChange: (period: Period) => void
}

function PeriodFields({ number, period, onChange }: FieldsProps) {
  const its = resultWords().compare
  const name = filled(its.period, { number })
  const field = (end: keyof Period) => (
    <TextInput
      type="datetime-local"
      label={its[end]}
      aria-label={`${name}: ${its[end]}`}
      required
      value={localOf(new Date(period[end]).toISOString())}
      error={end === 'to' && period.from >= period.to ? its.wrong : undefined}
      onChange={(event) => {
        const at = utcOf(event.currentTarget.value)
        if (at !== null) onChange({ ...period, [end]: Date.parse(at) })
      }}
    />
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame
    <div role="group" aria-label={name}>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Group grow preventGrowOverflow={false} align="flex-start" className="times" mb="sm">
        {field('from')}
        {field('to')}
      </Group>
    </div>
  )
}

function Counted({ poll, periods }: { readonly poll: Poll; readonly periods: Comparison['periods'] }) {
  const { slug, tossup } = useBrand()
  const { compare: its, verdict } = resultWords()
  const counted = useQueries({
    queries: periods.map((period) => ({
      queryKey: ['brand', slug, 'period', poll.id, period.from, period.to],
      async queryFn({ signal }: { signal: AbortSignal }) {
        const timelines = await Promise.all(
          partsOf(period).map(({ bucket, ...ends }) => {
            const [from, to] = [ends.from, ends.to].map((at) => new Date(at).toISOString())
            return tossup.getTimeline(poll.id, { bucket, from, to }, { signal })
          }),
        )
        const points = timelines.flatMap((timeline) => timeline.points)
        const sumOf = (side: 'optionA' | 'optionB') => points.reduce((sum, point) => sum + point[side], 0)
        return { optionA: sumOf('optionA'), optionB: sumOf('optionB') }
      },
    })),
  })
  const failed = counted.find(({ error }) => error)
  if (failed) return <Failed error={failed.error} onRetry={() => void failed.refetch()} />
  const [first, second] = counted.map(({ data }) => data)
  if (!first || !second) return <Loading rows={3} />
  const labels = [poll.optionA.label, poll.optionB.label] as const
  return (
    <>
      <div className="compared">
        {[first, second].map((sides, index) => (
          <ComparedCard
            // biome-ignore lint/suspicious/noArrayIndexKey: the first and the second period
            key={index}
            title={filled(its.period, { number: index + 1 })}
            labels={labels}
            sides={sides}
            isOver={false}
            base={index === 0 ? null : { sides: first, text: its.periodDifference, names: { label: labels[0] } }}
          />
        ))}
      </div>
      <Text size="sm" c="dimmed">
        {verdict.self}
      </Text>
    </>
  )
}
