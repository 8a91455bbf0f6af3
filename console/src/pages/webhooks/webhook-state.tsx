import { Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Webhook, WebhookDelivery } from '../../../../sdk/src/index.ts'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { filled } from '../../words/words.ts'

const ASK_EVERY_MS = 10_000

type WebhookState = 'active' | 'failing' | 'paused'

export function webhookStateOf({ status, failingSince }: Pick<Webhook, 'status' | 'failingSince'>): WebhookState {
  if (status === 'DISABLED') return 'paused'
  return failingSince === null ? 'active' : 'failing'
}

const COLORS = { active: 'teal', failing: 'red', paused: 'gray' } as const

export function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  const state = webhookStateOf(webhook)
  return (
    <Badge color={COLORS[state]} variant="light" tt="none" fw={600}>
      {webhookWords()[`state_${state}`]}
    </Badge>
  )
}

type Attempt = WebhookDelivery['attempts'][number]

/** The outcome of an attempt as one line. */
export function outcomeOf({ responseStatus, errorClass }: Attempt): string {
  const { answered, error } = webhookWords()
  const answer = responseStatus === null ? null : filled(answered, { status: String(responseStatus) })
  return [answer, errorClass === null ? null : error[errorClass]].filter(Boolean).join(': ')
}

/** The failures of a webhook are near the start of its list, behind those that wait. */
const LOOKED_AT = 20

/** Why the last attempt failed: the answer or the error, as its log of deliveries has it. */
export function WhyFailing({ webhook }: { readonly webhook: Webhook }) {
  const { slug, tossup } = useBrand()
  const { why, whyUnknown } = webhookWords()
  const latest = useQuery({
    queryKey: ['brand', slug, 'webhooks', webhook.id, 'why'],
    queryFn: ({ signal }) => tossup.listWebhookDeliveries(webhook.id, { limit: LOOKED_AT }, { signal }).page(),
    refetchInterval: ASK_EVERY_MS,
  })
  if (!latest.data) return null
  const failures = latest.data.data.flatMap(({ attempts }) => attempts.filter(({ errorClass }) => errorClass !== null))
  const last = failures.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1)
  return (
    <Text size="sm" component="span">
      {last ? filled(why, { reason: outcomeOf(last) }) : whyUnknown}
    </Text>
  )
}
