import { Alert, Anchor, Stack } from '@mantine/core'
import type { WebhookWithSecret } from '../../../../sdk/src/index.ts'
import { CopyField } from '../../parts/copy-field.tsx'
import { webhookWords } from '../../words/webhook-words.ts'

/** The only moment at which the secret is seen. */
export function WebhookSecret({ webhook }: { readonly webhook: WebhookWithSecret }) {
  const its = webhookWords()
  return (
    <Stack>
      <Alert color="yellow">{its.secretText}</Alert>
      <CopyField label={its.secret} value={webhook.secret} />
      <Anchor size="sm" href="/docs/webhooks" target="_blank">
        {its.guide}
      </Anchor>
    </Stack>
  )
}
