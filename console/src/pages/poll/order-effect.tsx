import { Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { shareInterval } from '../../../../embed/src/insight/intervals.ts'
import { differenceMeaning, differenceText, shareText } from '../../parts/results/numbers.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled } from '../../words/words.ts'
import { type PollInView, pollKey } from './use-poll.ts'

const ASK_EVERY_MS = 60_000

/** How much the first place matters, for a poll that draws the order of its answers. */
export function OrderEffect({ poll }: { readonly poll: PollInView }) {
  const { slug, tossup } = useBrand()
  const its = resultWords().order
  const insight = useQuery({
    queryKey: [...pollKey(slug, poll.shortId), 'insight'],
    queryFn: ({ signal }) => tossup.getInsight(poll.id, { signal }),
    refetchInterval: ASK_EVERY_MS,
  })
  if (insight.isPending) return <Loading rows={2} />
  if (insight.error) return <Failed error={insight.error} onRetry={() => void insight.refetch()} />
  const { order } = insight.data
  const labels = { AB: poll.optionA.label, BA: poll.optionB.label }
  const label = poll.optionA.label
  const effect =
    order && order.difference !== null && order.low !== null && order.high !== null
      ? { difference: order.difference, low: order.low, high: order.high }
      : null
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="order">
      <Title order={2} size="h5" id="order">
        {its.title}
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        {its.text}
      </Text>
      {order && (
        <dl className="details">
          {(['AB', 'BA'] as const).map((shown) => {
            const votes = order[shown].optionA + order[shown].optionB
            const share = shareInterval(order[shown])
            return (
              <div key={shown}>
                <dt>{filled(its.first, { label: labels[shown] })}</dt>
                <dd>
                  {filled(its.line, {
                    share: share === null ? '–' : shareText(share.shareA, votes),
                    label,
                    count: votes,
                  })}
                </dd>
              </div>
            )
          })}
        </dl>
      )}
      <Text size="sm" mt="xs">
        {effect ? `${filled(its.effect, { label, ...differenceText(effect) })} ${differenceMeaning(effect)}` : its.none}
      </Text>
    </Paper>
  )
}
