import { Button, Paper } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { WebhookWithSecret } from '../../../../sdk/src/index.ts'
import { ForbiddenPage, Page } from '../../parts/page.tsx'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { WebhookSecret } from '../webhooks/webhook-secret.tsx'
import { WebhookForm } from './webhook-form.tsx'

export function NewWebhookPage() {
  const { slug, mayEdit } = useBrand()
  const [made, setMade] = useState<WebhookWithSecret | null>(null)
  const navigate = useNavigate()
  const its = webhookWords()
  /** A chat checks no signature, so its secret is of no use. */
  const saved = (webhook: WebhookWithSecret) => {
    if (webhook.format === 'standard') setMade(webhook)
    else void navigate({ to: '/$brand/webhooks/$webhook', params: { brand: slug, webhook: webhook.id } })
  }
  if (!mayEdit) return <ForbiddenPage title={its.newTitle} />
  if (made === null)
    return (
      <Page title={its.newTitle}>
        <WebhookForm webhook={null} onSaved={(webhook) => saved(webhook as WebhookWithSecret)} />
      </Page>
    )
  return (
    <Page title={its.secretTitle} text={made.url}>
      <Paper withBorder p="md" maw={720}>
        <WebhookSecret webhook={made} />
        <Button
          mt="lg"
          renderRoot={(props) => (
            <Link {...props} to="/$brand/webhooks/$webhook" params={{ brand: slug, webhook: made.id }} />
          )}
        >
          {its.open}
        </Button>
      </Paper>
    </Page>
  )
}
