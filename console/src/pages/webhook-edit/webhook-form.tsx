import { Button, Group, NativeSelect, Paper, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { etagOf, type Webhook, type WebhookCreate, type WebhookWithSecret } from '../../../../sdk/src/index.ts'
import { focusFirstProblem } from '../../parts/focus-first-problem.ts'
import { DraftForm, FormFailure } from '../../parts/forms/draft-form.tsx'
import { useDraft } from '../../parts/forms/use-draft.ts'
import { type FieldErrors, fieldErrorsOf } from '../../parts/messages/messages.ts'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { words } from '../../words/words.ts'
import { CHAT_EVENTS, EventPicker } from './event-picker.tsx'

interface FormProps {
  /** Null for a new webhook. */
  readonly webhook: Webhook | null
  /** A new webhook has its secret, which no other answer shows. */
  readonly onSaved: (saved: Webhook | WebhookWithSecret) => void
}

interface WebhookDraft {
  readonly url: string
  readonly description: string
  readonly format: Webhook['format']
  readonly events: readonly string[]
}

const NEW: WebhookDraft = { url: '', description: '', format: 'standard', events: [] }

const FIELDS = ['url', 'description', 'format', 'events']

/** Names of products are the same in each language. */
const PRODUCTS = { slack: 'Slack', discord: 'Discord', teams: 'Microsoft Teams', mattermost: 'Mattermost' }

function problemsOf({ url, events }: WebhookDraft): FieldErrors {
  return {
    ...(url.trim() ? {} : { url: words().edit.required }),
    ...(events.length > 0 ? {} : { events: webhookWords().noEvents }),
  }
}

export function WebhookForm({ onSaved, ...props }: FormProps) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const its = webhookWords()
  // Keep the first version even if the page loads again: its ETag detects changes by others.
  const [webhook] = useState(props.webhook)
  const { draft, problems, isChanged, change, isComplete } = useDraft<WebhookDraft>(
    () => (webhook ? { ...webhook, description: webhook.description ?? '' } : NEW),
    problemsOf,
  )

  /** A chat has words for few events: the others are taken out of the choice. */
  const chooseFormat = (format: Webhook['format']) => {
    const events = format === 'standard' ? draft.events : draft.events.filter((type) => CHAT_EVENTS.includes(type))
    change({ format, events })
  }
  const saving = useMutation({
    mutationFn(): Promise<Webhook | WebhookWithSecret> {
      const { url, description, format, events } = draft
      const body: WebhookCreate = {
        url: url.trim(),
        format,
        description: description.trim() || null,
        events: [...events] as WebhookCreate['events'],
      }
      return webhook ? tossup.updateWebhook(webhook.id, body, { ifMatch: etagOf(webhook) }) : tossup.createWebhook(body)
    },
    onSuccess(saved) {
      isChanged.current = false
      void client.invalidateQueries({ queryKey: ['brand', slug] })
      onSaved(saved)
    },
    onError: focusFirstProblem,
  })

  function save(): void {
    saving.reset()
    if (isComplete()) saving.mutate()
  }

  const errors = { ...problems, ...fieldErrorsOf(saving.error) }
  return (
    <DraftForm isChanged={isChanged} onSave={save}>
      <Stack gap="md" maw={720}>
        <Paper withBorder p="md">
          <Stack>
            <TextInput
              type="url"
              label={its.url}
              description={its.urlText}
              placeholder="https://example.com/webhooks"
              required
              maxLength={2048}
              dir="ltr"
              value={draft.url}
              error={errors['url']}
              onChange={(event) => change({ url: event.currentTarget.value })}
            />
            <NativeSelect
              label={its.format}
              description={its.formatText}
              data={[
                { value: 'standard', label: its.formatStandard },
                ...Object.entries(PRODUCTS).map(([value, label]) => ({ value, label })),
              ]}
              value={draft.format}
              error={errors['format']}
              onChange={(event) => chooseFormat(event.currentTarget.value as Webhook['format'])}
            />
            <TextInput
              label={its.description}
              description={its.descriptionText}
              maxLength={255}
              value={draft.description}
              error={errors['description']}
              onChange={(event) => change({ description: event.currentTarget.value })}
            />
          </Stack>
        </Paper>
        <Paper withBorder p="md">
          <EventPicker
            isChat={draft.format !== 'standard'}
            chosen={draft.events}
            error={errors['events']}
            onChange={(events) => change({ events })}
          />
        </Paper>
        <FormFailure error={saving.error} changed={its.changed} fields={FIELDS} />
        <Group>
          <Button type="submit" size="md" loading={saving.isPending}>
            {webhook ? words().edit.saveChanges : its.create}
          </Button>
        </Group>
      </Stack>
    </DraftForm>
  )
}
