import { useNavigate, useParams } from '@tanstack/react-router'
import { EditPage } from '../../parts/edit-page.tsx'
import { toast } from '../../parts/messages/toasts.tsx'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { WebhookForm } from './webhook-form.tsx'

export function EditWebhookPage() {
  const { slug, tossup } = useBrand()
  const { webhook: id = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  const its = webhookWords()
  const onSaved = () => {
    toast(its.saved)
    void navigate({ to: '/$brand/webhooks/$webhook', params: { brand: slug, webhook: id } })
  }
  return (
    <EditPage
      title={its.editTitle}
      queryKey={['brand', slug, 'webhooks', id, 'edit']}
      read={(signal) => tossup.getWebhook(id, { signal })}
    >
      {(webhook) => <WebhookForm webhook={webhook} onSaved={onSaved} />}
    </EditPage>
  )
}
