import { Button, Group, NativeSelect, Paper, Skeleton, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import type { Timeline as Points } from '../../../../../sdk/src/index.ts'
import { lazyPart } from '../../../parts/lazy-part.ts'
import { Failed } from '../../../parts/states.tsx'
import { useBrand } from '../../../session/brand.ts'
import { resultWords } from '../../../words/result-words.ts'
import { filled, timeZone, words } from '../../../words/words.ts'
import type { TimelineProps } from './charts.tsx'
import { BUCKETS, type Bucket, firstBucket, fromOf, SPANS, type Span } from './timeline-span.ts'

const Charts = lazyPart(async () => (await import('./charts.tsx')).Charts)

const READ_EVERY_MS = 1_000

const NO_POINTS: Points['points'] = []

export function Timeline({ poll, labels, tallies }: TimelineProps) {
  const { slug, tossup } = useBrand()
  const { total } = tallies
  const { poll: its } = words()
  const { timeline: more } = resultWords()
  const [span, setSpan] = useState<Span>('all')
  const [bucket, setBucket] = useState(() => firstBucket(poll, 'all'))
  const [zone, setZone] = useState(timeZone)
  const [isZoomed, setIsZoomed] = useState(false)
  const [resets, setResets] = useState(0)
  const timeline = useQuery({
    queryKey: ['brand', slug, 'timeline', poll.id, bucket, span, zone],
    queryFn: async ({ signal }) => {
      const { points } = await tossup.getTimeline(poll.id, { bucket, tz: zone, from: fromOf(span) }, { signal })
      return { points, total, tallies }
    },
    placeholderData: keepPreviousData,
  })
  const { refetch, dataUpdatedAt } = timeline
  const totalRead = timeline.data?.total
  // Votes that keep coming neither put off the next read nor cancel the one that runs.
  useEffect(() => {
    if (totalRead === undefined || totalRead === total) return
    const readAgain = () => void refetch({ cancelRefetch: false })
    const timer = setTimeout(readAgain, Math.max(0, dataUpdatedAt + READ_EVERY_MS - Date.now()))
    return () => clearTimeout(timer)
  }, [total, totalRead, dataUpdatedAt, refetch])
  const points = timeline.data?.points ?? NO_POINTS
  const hasVotes = points.some(({ optionA, optionB }) => optionA + optionB > 0)
  const zones = [...new Set([timeZone(), 'UTC'])]
  const show = (chosen: Span) => {
    setSpan(chosen)
    setBucket(firstBucket(poll, chosen))
    setResets(resets + 1)
  }
  return (
    <Paper withBorder p="md" component="section" aria-label={its.timeline} data-total={totalRead}>
      <Group justify="space-between" align="flex-end" mb="sm">
        <div>
          <Title order={2} size="h5">
            {its.timeline}
          </Title>
          <Text size="xs" c="dimmed">
            {filled(its.zone, { zone })} · {more.hint}
          </Text>
        </div>
        <Group gap="xs">
          {isZoomed && (
            <Button size="xs" variant="light" onClick={() => setResets(resets + 1)}>
              {more.showAll}
            </Button>
          )}
          <NativeSelect
            size="xs"
            aria-label={more.span}
            value={span}
            onChange={(event) => show(event.currentTarget.value as Span)}
            data={SPANS.map((value) => ({ value, label: more[`span_${value}`] }))}
          />
          <NativeSelect
            size="xs"
            aria-label={its.bucket}
            value={bucket}
            onChange={(event) => setBucket(event.currentTarget.value as Bucket)}
            data={BUCKETS[span].map((value) => ({ value, label: its[value] }))}
          />
          {zones.length > 1 && (
            <NativeSelect
              size="xs"
              aria-label={more.zone}
              value={zone}
              onChange={(event) => setZone(event.currentTarget.value)}
              data={zones}
            />
          )}
        </Group>
      </Group>
      {timeline.isPending && <Skeleton height={240} />}
      {timeline.error && <Failed error={timeline.error} onRetry={() => void refetch()} />}
      {timeline.data && !hasVotes && (
        <Text size="sm" c="dimmed" py="xl" ta="center">
          {its.noTimeline}
        </Text>
      )}
      {timeline.data && hasVotes && (
        <Suspense fallback={<Skeleton height={240} />}>
          <Charts
            poll={poll}
            labels={labels}
            points={points}
            tallies={timeline.data.tallies}
            timeZone={zone}
            resets={resets}
            onZoom={setIsZoomed}
          />
        </Suspense>
      )}
    </Paper>
  )
}
