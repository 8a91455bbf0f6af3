import { useCallback, useState } from 'react'
import type { Webhook, WebhookDelivery } from '../../../../sdk/src/index.ts'
import { EndlessList } from '../../parts/lists/endless-rows.tsx'
import { useEndless } from '../../parts/lists/use-endless.ts'
import { Empty } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { Delivery } from './delivery.tsx'

const SOON_MS = 1_500
const LATER_MS = 15_000

/** A delivery whose attempt is running, or about to. */
const isDueSoon = ({ status, nextAttemptAt }: WebhookDelivery): boolean =>
  status === 'pending' && (nextAttemptAt === null || Date.parse(nextAttemptAt) < Date.now() + LATER_MS)

const idOf = ({ id }: WebhookDelivery): string => id

export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { slug, tossup } = useBrand()
  const its = webhookWords()
  // Kept here, because a row that is out of sight is not in the document.
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const pages = useEndless({
    queryKey: ['brand', slug, 'webhooks', webhook.id, 'deliveries'],
    read: ({ cursor, signal }) => tossup.listWebhookDeliveries(webhook.id, { cursor, limit: 30 }, { signal }).page(),
    againMs: (items, isLong) => {
      const isDue = items.some(isDueSoon)
      if (isLong) return isDue && LATER_MS
      return isDue ? SOON_MS : LATER_MS
    },
  })
  const toggle = useCallback((id: string) => {
    setOpened((before) => {
      const next = new Set(before)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  const row = useCallback(
    (delivery: WebhookDelivery) => (
      <Delivery
        delivery={delivery}
        webhook={webhook}
        isOpen={opened.has(delivery.id)}
        onToggle={() => toggle(delivery.id)}
      />
    ),
    [webhook, opened, toggle],
  )
  return (
    <EndlessList
      label={its.deliveries}
      pages={pages}
      idOf={idOf}
      rowHeight={66}
      loadingRows={3}
      empty={<Empty icon="webhooks" title={its.noDeliveries} text={its.noDeliveriesText} />}
    >
      {row}
    </EndlessList>
  )
}
