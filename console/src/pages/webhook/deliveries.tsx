import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Webhook, WebhookDelivery } from '../../../../sdk/src/index.ts'
import { EndlessRows } from '../../parts/endless-rows.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { Delivery } from './delivery.tsx'

const SOON_MS = 1_500
const LATER_MS = 15_000

/** A delivery whose attempt is running, or about to. */
const isDueSoon = ({ status, nextAttemptAt }: WebhookDelivery): boolean =>
  status === 'pending' && (nextAttemptAt === null || Date.parse(nextAttemptAt) < Date.now() + LATER_MS)

export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { slug, tossup } = useBrand()
  const its = webhookWords()
  // Kept here, because a row that is out of sight is not in the document.
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const pages = useInfiniteQuery({
    queryKey: ['brand', slug, 'webhooks', webhook.id, 'deliveries'],
    queryFn: ({ pageParam: cursor, signal }) =>
      tossup.listWebhookDeliveries(webhook.id, { cursor, limit: 30 }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.data.some(isDueSoon)) ? SOON_MS : LATER_MS,
  })
  if (pages.isPending) return <Loading rows={3} />
  if (pages.error) return <Failed error={pages.error} onRetry={() => void pages.refetch()} />
  const items = pages.data.pages.flatMap(({ data }) => data)
  if (items.length === 0) return <Empty icon="webhooks" title={its.noDeliveries} text={its.noDeliveriesText} />
  const toggle = (id: string) => {
    const next = new Set(opened)
    if (!next.delete(id)) next.add(id)
    setOpened(next)
  }
  return (
    <EndlessRows
      label={its.deliveries}
      items={items}
      rowHeight={66}
      hasMore={pages.hasNextPage}
      isLoading={pages.isFetchingNextPage}
      loadMore={() => void pages.fetchNextPage()}
    >
      {(delivery) => (
        <Delivery
          delivery={delivery}
          webhook={webhook}
          isOpen={opened.has(delivery.id)}
          onToggle={() => toggle(delivery.id)}
        />
      )}
    </EndlessRows>
  )
}
