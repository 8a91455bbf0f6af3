import { Group, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sharesIn } from '../../../../embed/src/results.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { count, filled, language } from '../../words/words.ts'
import { type CampaignInView, campaignKey } from './use-campaign.ts'

const ASK_EVERY_MS = 5_000

/** How many people there are, how many answered everything, and how many each poll. */
export function CampaignFunnel({ campaign: { campaignId } }: { readonly campaign: CampaignInView }) {
  const { slug, tossup } = useBrand()
  const its = campaignWords()
  const funnel = useQuery({
    queryKey: [...campaignKey(slug, campaignId), 'funnel'],
    queryFn: ({ signal }) => tossup.getFunnel(campaignId, { signal }),
    refetchInterval: ASK_EVERY_MS,
  })
  if (funnel.isPending) return <Loading rows={3} />
  if (funnel.error) return <Failed error={funnel.error} onRetry={() => void funnel.refetch()} />
  const { steps, respondents, completed } = funnel.data
  const shareOf = (some: number) =>
    sharesIn(language.lang, { optionA: some, optionB: Math.max(0, respondents - some) }).A
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 3 }}>
        <NumberCard name={its.respondents} value={count(respondents)} />
        <NumberCard name={its.completed} value={count(completed)} />
        <NumberCard name={its.rate} value={respondents === 0 ? '–' : shareOf(completed).text} />
      </SimpleGrid>
      <Paper withBorder p="md" component="section" aria-labelledby="funnel">
        <Title order={2} size="h5" id="funnel">
          {its.funnel}
        </Title>
        <Text size="xs" c="dimmed" mb="md">
          {its.funnelText}
        </Text>
        <ol className="plain">
          {steps.map(({ slug: poll, title, respondents: some }, index) => (
            <li key={poll} style={{ marginBlockEnd: '1rem' }}>
              <Group justify="space-between" wrap="nowrap" gap="xs" mb={4}>
                <Text size="sm" fw={600} flex="none">
                  {index + 1}.
                </Text>
                <Text size="sm" fw={600} truncate className="grow" dir="auto">
                  {title}
                </Text>
                <Text size="sm" style={{ flex: 'none' }}>
                  {filled(its.step, { count: some, percent: shareOf(some).text })}
                </Text>
              </Group>
              <div className="split-bar" aria-hidden="true" style={{ background: 'var(--line)' }}>
                <div className="split-a" style={{ width: `${shareOf(some).length}%` }} />
              </div>
            </li>
          ))}
        </ol>
        {respondents === 0 && (
          <Text size="sm" c="dimmed" mt="md">
            {its.noFunnel}
          </Text>
        )}
      </Paper>
    </>
  )
}

const NumberCard = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <Paper withBorder p="md">
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <span className="card-number">{value}</span>
  </Paper>
)
