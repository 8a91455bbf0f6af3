import { Alert, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Webhook } from '../../../../sdk/src/index.ts'
import { toast, toastFailure } from '../../parts/messages/toasts.tsx'
import { BackTo, ForbiddenPage, Page, PendingPage } from '../../parts/page.tsx'
import { useBrand } from '../../session/brand.ts'
import { eventWords, webhookWords } from '../../words/webhook-words.ts'
import { filled, moment, words } from '../../words/words.ts'
import { WebhookBadge, WhyFailing, webhookStateOf } from '../webhooks/webhook-state.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookActions } from './webhook-actions.tsx'

const ASK_EVERY_MS = 5_000

export function WebhookPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const { webhook: id = '' } = useParams({ strict: false })
  const webhook = useQuery({
    queryKey: ['brand', slug, 'webhooks', id],
    queryFn: ({ signal }) => tossup.getWebhook(id, { signal }),
    enabled: mayEdit,
    refetchInterval: ASK_EVERY_MS,
  })
  if (webhook.data) return <OneWebhook key={webhook.data.id} webhook={webhook.data} />
  if (!mayEdit) return <ForbiddenPage title={webhookWords().title} />
  return <PendingPage title={webhookWords().title} query={webhook} />
}

function OneWebhook({ webhook }: { readonly webhook: Webhook }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const its = webhookWords()
  const test = useMutation({
    mutationFn: () => tossup.testWebhook(webhook.id),
    onSuccess() {
      toast(its.tested)
      void client.invalidateQueries({ queryKey: ['brand', slug, 'webhooks', webhook.id] })
    },
    onError: toastFailure,
  })
  const actions = (
    <>
      {webhook.status === 'ACTIVE' && (
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {its.test}
        </Button>
      )}
      <Button
        renderRoot={(props) => (
          <Link {...props} to="/$brand/webhooks/$webhook/edit" params={{ brand: slug, webhook: webhook.id }} />
        )}
      >
        {its.edit}
      </Button>
      <WebhookActions webhook={webhook} />
    </>
  )
  return (
    <Page
      title={webhook.description ?? webhook.url}
      text={webhook.description === null ? undefined : webhook.url}
      badges={<WebhookBadge webhook={webhook} />}
      above={<BackTo list="webhooks">{its.title}</BackTo>}
      actions={actions}
    >
      <Stack gap="md">
        <State webhook={webhook} />
        <Details webhook={webhook} />
        <section aria-labelledby="deliveries">
          <Title order={2} size="h4" id="deliveries" mt="sm">
            {its.deliveries}
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            {its.deliveriesText}
          </Text>
          <Deliveries webhook={webhook} />
        </section>
      </Stack>
    </Page>
  )
}

function State({ webhook }: { readonly webhook: Webhook }) {
  const its = webhookWords()
  const { failingSince, status } = webhook
  if (failingSince === null) return null
  return (
    <Alert
      color={webhookStateOf(webhook) === 'failing' ? 'red' : 'yellow'}
      title={filled(its.failingSince, { when: moment(failingSince) })}
    >
      <WhyFailing webhook={webhook} />
      <Text size="sm" mt={4}>
        {status === 'DISABLED' ? its.pausedFailing : its.willRetry}
      </Text>
    </Alert>
  )
}

function Details({ webhook: { events, createdAt, lastDeliveryAt } }: { readonly webhook: Webhook }) {
  const its = webhookWords()
  const last = lastDeliveryAt === null ? its.noDelivery : filled(its.lastDelivery, { when: moment(lastDeliveryAt) })
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h5" mb="sm">
        {its.eventsTitle}
      </Title>
      <Group gap={6}>
        {events.map((type) => (
          <Badge key={type} variant="light" tt="none" title={eventWords(type)}>
            {type}
          </Badge>
        ))}
      </Group>
      <Text size="sm" c="dimmed" mt="sm">
        {words().common.created}: {moment(createdAt)} · {last}
      </Text>
    </Paper>
  )
}
