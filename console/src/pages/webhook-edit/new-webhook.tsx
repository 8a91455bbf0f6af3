import { Button, Paper } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { WebhookWithSecret } from '../../../../sdk/src/index.ts'
import { Page } from '../../parts/page.tsx'
import { NoPermission } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { WebhookSecret } from '../webhooks/webhook-secret.tsx'
import { WebhookForm } from './webhook-form.tsx'

export function NewWebhookPage() {
  const { slug, mayEdit } = useBrand()
  const [made, setMade] = useState<WebhookWithSecret | null>(null)
  const its = webhookWords()
  if (!mayEdit)
    return (
      <Page title={its.newTitle}>
        <NoPermission />
      </Page>
    )
  if (made === null)
    return (
      <Page title={its.newTitle}>
        <WebhookForm webhook={null} onSaved={(saved) => setMade(saved as WebhookWithSecret)} />
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
