import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { Failed, Loading, NoPermission } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { WebhookForm } from './webhook-form.tsx'

export function EditWebhookPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const { webhook: id = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  const its = webhookWords()
  // Read once: what was typed must not be replaced under its author.
  const webhook = useQuery({
    queryKey: ['brand', slug, 'webhooks', id, 'edit'],
    queryFn: ({ signal }) => tossup.getWebhook(id, { signal }),
    enabled: mayEdit,
    staleTime: 0,
    gcTime: 0,
    // Its ETag is kept beside the very object.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  if (!mayEdit)
    return (
      <Page title={its.editTitle}>
        <NoPermission />
      </Page>
    )
  const onSaved = () => {
    toast(its.saved)
    void navigate({ to: '/$brand/webhooks/$webhook', params: { brand: slug, webhook: id } })
  }
  return (
    <Page title={its.editTitle}>
      {webhook.isPending && <Loading />}
      {webhook.error && <Failed error={webhook.error} onRetry={() => void webhook.refetch()} />}
      {webhook.data && <WebhookForm webhook={webhook.data} onSaved={onSaved} />}
    </Page>
  )
}
