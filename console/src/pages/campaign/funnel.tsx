import { Group, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sharesIn } from '../../../../embed/src/results.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { count, filled, language } from '../../words/words.ts'
import { StepResults } from './step-results.tsx'
import { type CampaignInView, campaignKey } from './use-campaign.ts'

const ASK_EVERY_MS = 5_000

/** Numbers of the campaign, what won each poll, and how far the devices get that began here. */
export function CampaignFunnel({ campaign }: { readonly campaign: CampaignInView }) {
  const { slug, tossup } = useBrand()
  const { campaignId } = campaign
  const its = campaignWords()
  const funnel = useQuery({
    queryKey: [...campaignKey(slug, campaignId), 'funnel'],
    queryFn: ({ signal }) => tossup.getFunnel(campaignId, { signal }),
    refetchInterval: ASK_EVERY_MS,
  })
  if (funnel.isPending) return <Loading rows={3} />
  if (funnel.error) return <Failed error={funnel.error} onRetry={() => void funnel.refetch()} />
  const { steps, respondents, inCampaign } = funnel.data
  const began = inCampaign.respondents
  const shareOf = (some: number) => sharesIn(language.lang, { optionA: some, optionB: Math.max(0, began - some) }).A
  const hasElsewhere = steps.some(({ elsewhere }) => elsewhere > 0)
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <NumberCard name={its.respondents} value={count(respondents)} />
        <NumberCard name={its.began} value={count(began)} />
        <NumberCard name={its.completed} value={count(inCampaign.completed)} />
        <NumberCard name={its.rate} value={began === 0 ? '–' : shareOf(inCampaign.completed).text} />
      </SimpleGrid>
      <StepResults campaign={campaign} steps={steps} />
      <Paper withBorder p="md" component="section" aria-labelledby="funnel">
        <Title order={2} size="h5" id="funnel">
          {its.funnel}
        </Title>
        <Text size="xs" c="dimmed" mb="md">
          {its.funnelText}
        </Text>
        <ol className="plain">
          {steps.map(({ slug: poll, title, inCampaign: some, elsewhere }, index) => (
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
              {elsewhere > 0 && (
                <Text size="xs" c="dimmed" ta="end" mt={2}>
                  {filled(its.elsewhere, { count: elsewhere })}
                </Text>
              )}
            </li>
          ))}
        </ol>
        {hasElsewhere && (
          <Text size="xs" c="dimmed">
            {its.elsewhereText}
          </Text>
        )}
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
