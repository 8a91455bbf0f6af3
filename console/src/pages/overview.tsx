import { Alert, Anchor, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import type { BrandNumbers } from '../../../sdk/src/index.ts'
import { lazyPart } from '../parts/lazy-part.ts'
import { Page } from '../parts/page.tsx'
import { addStyles } from '../parts/polls/sheet.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { useBrand } from '../session/brand.ts'
import styles from '../styles/overview.css' with { type: 'text' }
import { count, filled, percent, timeZone, words } from '../words/words.ts'
import { ActivityList } from './activity/activity-list.tsx'
import { Checklist } from './overview/checklist.tsx'
import { DayBars } from './overview/day-bars.tsx'
import { ComingUp, OpenPolls } from './overview/open-polls.tsx'

addStyles(styles)

const BrandSources = lazyPart(async () => (await import('./overview/brand-sources.tsx')).BrandSources)

/** Numbers of a brand are counted in the background: more often is no use. */
const ASK_EVERY_MS = 10_000

export function OverviewPage() {
  const { slug, name, tossup } = useBrand()
  const summary = useQuery({
    queryKey: ['brand', slug, 'summary'],
    queryFn: ({ signal }) => tossup.getSummary({ tz: timeZone() }, { signal }),
    refetchInterval: ASK_EVERY_MS,
  })
  return (
    <Page title={words().overview.title} text={name}>
      {summary.isPending && <Loading />}
      {summary.error && <Failed error={summary.error} onRetry={() => void summary.refetch()} />}
      {summary.data && <Numbers summary={summary.data} />}
    </Page>
  )
}

export const Panel = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Paper withBorder p="md" component="section">
    <Title order={2} size="h5" mb="sm">
      {title}
    </Title>
    {children}
  </Paper>
)

function Numbers({ summary }: { readonly summary: BrandNumbers }) {
  const { mayEdit } = useBrand()
  const { overview } = words()
  const { votes, polls, points, webhooks } = summary
  const made = polls.open + polls.scheduled + polls.closed + polls.draft + polls.archived
  const published = made - polls.draft
  return (
    <Stack gap="md">
      {mayEdit && votes.total === 0 && <Checklist isMade={made > 0} isPublished={published > 0} />}
      {webhooks.failing > 0 && (
        <Alert color="red">
          {webhooks.failing === 1 ? overview.failingOne : filled(overview.failing, { count: webhooks.failing })}{' '}
          {mayEdit && <ToWebhooks />}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <NumberCard name={overview.today} value={votes.today} />
        <NumberCard name={overview.span} value={votes.span} note={changeOf(votes)} />
        <NumberCard name={overview.total} value={votes.total} />
        <NumberCard name={overview.open} value={polls.open} />
      </SimpleGrid>
      {votes.total > 0 && (
        <Panel title={overview.votesByDay}>
          <DayBars points={points} />
        </Panel>
      )}
      <div className="two-columns">
        <Panel title={overview.live}>
          <OpenPolls />
        </Panel>
        <Stack gap="md">
          {mayEdit && (
            <Panel title={overview.soon}>
              <ComingUp />
            </Panel>
          )}
          {mayEdit && (
            <Panel title={overview.latest}>
              <ActivityList limit={6} />
              <AllActivity />
            </Panel>
          )}
        </Stack>
      </div>
      {votes.total > 0 && (
        <Suspense>
          <BrandSources />
        </Suspense>
      )}
    </Stack>
  )
}

function ToWebhooks() {
  const { slug } = useBrand()
  return (
    <Anchor
      size="sm"
      underline="always"
      c="inherit"
      renderRoot={(props) => <Link {...props} to="/$brand/webhooks" params={{ brand: slug }} />}
    >
      {words().nav.webhooks}
    </Anchor>
  )
}

function AllActivity() {
  const { slug } = useBrand()
  return (
    <Anchor
      size="sm"
      mt="sm"
      display="inline-block"
      renderRoot={(props) => <Link {...props} to="/$brand/activity" params={{ brand: slug }} />}
    >
      {words().nav.activity}
    </Anchor>
  )
}

function changeOf({ span, before }: BrandNumbers['votes']): string | undefined {
  if (before === 0) return undefined
  const change = (span - before) / before
  const sign = change > 0 ? '+' : ''
  return filled(words().overview.before, { percent: sign + percent(change) })
}

function NumberCard({
  name,
  value,
  note,
}: {
  readonly name: string
  readonly value: number
  readonly note?: string | undefined
}) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <span className="card-number">{count(value)}</span>
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Paper>
  )
}
