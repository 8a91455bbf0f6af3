import { Badge, Button, Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Webhook, WebhookDelivery } from '../../../../sdk/src/index.ts'
import { toast, toastFailure } from '../../parts/messages/toasts.tsx'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { count, filled, fromNow, moment } from '../../words/words.ts'
import { outcomeOf } from '../webhooks/webhook-state.tsx'

interface DeliveryProps {
  readonly delivery: WebhookDelivery
  readonly webhook: Webhook
  readonly isOpen: boolean
  readonly onToggle: () => void
}

const COLORS = { pending: 'violet', succeeded: 'teal', failed: 'red', skipped: 'gray' } as const

/** An attempt that is due is under way, or is about to be. */
function nextAttempt(at: string): string {
  const its = webhookWords()
  return Date.parse(at) <= Date.now() ? its.nextNow : filled(its.next, { when: fromNow(at) })
}

/** One delivery: its result as a line, and its attempts when it is opened. */
export function Delivery({ delivery, webhook, isOpen, onToggle }: DeliveryProps) {
  const its = webhookWords()
  const { eventType, status, attempts, nextAttemptAt, createdAt } = delivery
  const notes = [
    fromNow(createdAt),
    attempts.length === 1 ? its.attemptOne : filled(its.attempts, { count: attempts.length }),
    ...(status === 'pending' && nextAttemptAt !== null ? [nextAttempt(nextAttemptAt)] : []),
  ]
  return (
    <Paper withBorder mb={8}>
      <UnstyledButton w="100%" px="md" py="sm" aria-expanded={isOpen} onClick={onToggle}>
        <Group justify="space-between" wrap="nowrap">
          <div className="grow">
            <Text fw={600} size="sm" truncate dir="ltr" ta="start">
              {eventType}
            </Text>
            <Text size="xs" c="dimmed">
              {notes.join(' · ')}
            </Text>
          </div>
          <Badge color={COLORS[status]} variant="light" tt="none" fw={600} style={{ flex: 'none' }}>
            {its[`delivery_${status}`]}
          </Badge>
        </Group>
      </UnstyledButton>
      {isOpen && <Opened delivery={delivery} webhook={webhook} />}
    </Paper>
  )
}

function Opened({ delivery, webhook }: Pick<DeliveryProps, 'delivery' | 'webhook'>) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const its = webhookWords()
  const { id, attempts, eventId, eventType, status, createdAt } = delivery
  const redeliver = useMutation({
    mutationFn: () => tossup.redeliverWebhookDelivery(webhook.id, id),
    onSuccess() {
      toast(its.redelivered)
      void client.invalidateQueries({ queryKey: ['brand', slug, 'webhooks', webhook.id] })
    },
    onError: toastFailure,
  })
  return (
    <Stack px="md" pb="md" gap="sm">
      {status === 'skipped' && <Text size="sm">{its.skippedText}</Text>}
      {attempts.length === 0 && status !== 'skipped' && <Text size="sm">{its.noAttempt}</Text>}
      <ol className="plain">
        {attempts.map((attempt, index) => (
          <Attempt key={attempt.at} attempt={attempt} number={index + 1} />
        ))}
      </ol>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {its.eventId}: <code dir="ltr">{eventId}</code>
      </Text>
      {webhook.status === 'ACTIVE' && (
        <Group>
          <Button
            size="xs"
            variant="default"
            loading={redeliver.isPending}
            aria-label={filled(its.redeliverOf, { event: eventType, when: moment(createdAt) })}
            onClick={() => redeliver.mutate()}
          >
            {its.redeliver}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

interface AttemptProps {
  readonly attempt: WebhookDelivery['attempts'][number]
  readonly number: number
}

function Attempt({ attempt, number }: AttemptProps) {
  const its = webhookWords()
  const { at, durationMs, errorClass, responseBody } = attempt
  return (
    <li className="row">
      <div className="grow">
        <Text size="sm" fw={600}>
          {filled(its.attempt, { number })} ·{' '}
          <Text component="span" inherit c={errorClass === null ? 'dimmed' : 'var(--mantine-color-error)'}>
            {outcomeOf(attempt)}
          </Text>
        </Text>
        <Text size="xs" c="dimmed">
          {moment(at)} · {filled(its.took, { count: count(durationMs) })}
        </Text>
        {responseBody && (
          <div className="copy-value" dir="auto" style={{ marginBlockStart: '0.4rem' }}>
            <code>{responseBody}</code>
          </div>
        )}
      </div>
    </li>
  )
}
