import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Webhook } from '../../../sdk/src/index.ts'
import { Icon } from '../parts/icons.tsx'
import { RowList } from '../parts/lists/row-list.tsx'
import { ForbiddenPage, Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useBrand } from '../session/brand.ts'
import { webhookWords } from '../words/webhook-words.ts'
import { filled, fromNow, moment } from '../words/words.ts'
import { WebhookBadge, WhyFailing } from './webhooks/webhook-state.tsx'

/** The state of a webhook changes with its deliveries. */
const ASK_EVERY_MS = 10_000

export function WebhooksPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const its = webhookWords()
  const webhooks = useQuery({
    queryKey: ['brand', slug, 'webhooks'],
    // A brand has few: one page holds them all.
    queryFn: ({ signal }) => tossup.listWebhooks({ limit: 100 }, { signal }).page(),
    enabled: mayEdit,
    refetchInterval: ASK_EVERY_MS,
  })
  if (!mayEdit) return <ForbiddenPage title={its.title} />
  const newWebhook = (
    <Button
      renderRoot={(props) => <Link {...props} to="/$brand/webhooks/new" params={{ brand: slug }} />}
      leftSection={<Icon name="plus" />}
    >
      {its.new}
    </Button>
  )
  return (
    <Page title={its.title} text={its.text} actions={newWebhook}>
      <RowList
        query={webhooks}
        items={webhooks.data?.data}
        empty={
          <Empty icon="webhooks" title={its.empty} text={its.emptyText}>
            {newWebhook}
          </Empty>
        }
      >
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} />}
      </RowList>
    </Page>
  )
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { slug } = useBrand()
  const its = webhookWords()
  const { id, url, description, events, lastDeliveryAt, failingSince } = webhook
  const notes = [
    events.length === 1 ? its.eventOne : filled(its.events, { count: events.length }),
    lastDeliveryAt === null ? its.noDelivery : filled(its.lastDelivery, { when: fromNow(lastDeliveryAt) }),
  ]
  return (
    <li className="row">
      <div className="grow">
        <Anchor
          fw={600}
          c="var(--mantine-color-text)"
          style={{ overflowWrap: 'anywhere' }}
          renderRoot={(props) => (
            <Link {...props} to="/$brand/webhooks/$webhook" params={{ brand: slug, webhook: id }} />
          )}
        >
          <bdi>{description ?? url}</bdi>
        </Anchor>
        {description !== null && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            <bdi dir="ltr">{url}</bdi>
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {notes.join(' · ')}
        </Text>
        {failingSince !== null && (
          <Text size="sm" c="var(--mantine-color-error)">
            {filled(its.failingSince, { when: moment(failingSince) })} <WhyFailing webhook={webhook} />
          </Text>
        )}
      </div>
      <WebhookBadge webhook={webhook} />
    </li>
  )
}
