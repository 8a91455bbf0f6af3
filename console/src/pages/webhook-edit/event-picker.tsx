import { Button, Checkbox, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebhookEventType } from '../../../../sdk/src/index.ts'
import { Failed } from '../../parts/states.tsx'
import { EVENT_MEANINGS } from '../../words/event-meanings.ts'
import { eventWords, webhookWords } from '../../words/webhook-words.ts'
import { filled } from '../../words/words.ts'

/** The events that a message to a chat can tell. */
export const CHAT_EVENTS: readonly string[] = ['poll.opened', 'poll.closed', 'poll.milestone', 'poll.integrity_alert']

interface PickerProps {
  readonly isChat: boolean
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: string[]) => void
}

type EventGroup = WebhookEventType extends `${infer Name}.${string}` ? Name : never

const TYPES = Object.keys(EVENT_MEANINGS) as WebhookEventType[]
const GROUPS = [...new Set(TYPES.map((type) => type.split('.')[0] as EventGroup))]

/** A test is sent with every choice. */
const TEST: WebhookEventType = 'webhook.test'

export function EventPicker({ isChat, chosen, error, onChange }: PickerProps) {
  const its = webhookWords()
  const types = isChat ? TYPES.filter((type) => CHAT_EVENTS.includes(type)) : TYPES
  const isShown = (group: string) => types.some((type) => type.startsWith(`${group}.`))
  const groups = GROUPS.filter((group) => isShown(group) && (chosen.includes(TEST) || !TEST.startsWith(`${group}.`)))
  return (
    <Checkbox.Group
      label={its.eventsTitle}
      description={its.eventsText}
      required
      value={[...chosen]}
      onChange={onChange}
      error={error}
    >
      <Stack gap="lg" my="sm">
        {groups.map((group) => (
          <section key={group} aria-label={its[`group_${group}`]}>
            <Title order={2} size="h6" mb="xs">
              {its[`group_${group}`]}
            </Title>
            <Stack gap="xs">
              {types
                .filter((type) => type.startsWith(`${group}.`))
                .map((type) => (
                  <EventChoice key={type} type={type} isChat={isChat} isWrong={error !== undefined} />
                ))}
            </Stack>
          </section>
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

interface ChoiceProps {
  readonly type: WebhookEventType
  readonly isChat: boolean
  readonly isWrong: boolean
}

function EventChoice({ type, isChat, isWrong }: ChoiceProps) {
  const its = webhookWords()
  const [isShown, setIsShown] = useState(false)
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Checkbox
          value={type}
          label={eventWords(type)}
          description={<code dir="ltr">{type}</code>}
          aria-invalid={isWrong || undefined}
        />
        {/* The example is the signed JSON, which no chat gets. */}
        {!isChat && (
          <Button
            size="compact-xs"
            variant="subtle"
            style={{ flex: 'none' }}
            aria-expanded={isShown}
            aria-label={filled(its.exampleOf, { event: type })}
            onClick={() => setIsShown(!isShown)}
          >
            {its.example}
          </Button>
        )}
      </Group>
      {isShown && !isChat && <Example type={type} />}
    </div>
  )
}

interface EventDoc {
  readonly post: { readonly requestBody: { readonly content: Record<string, { readonly example: unknown }> } }
}

/** The example of the reference, which the service makes from its own catalogue of events. */
function Example({ type }: { readonly type: WebhookEventType }) {
  const reference = useQuery({
    queryKey: ['events of the reference'],
    async queryFn({ signal }) {
      const { webhooks } = await (await fetch('/openapi.json', { signal })).json()
      return webhooks as Record<string, EventDoc>
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (reference.isPending) return <Skeleton height={120} mt="xs" />
  if (reference.error) return <Failed error={reference.error} onRetry={() => void reference.refetch()} />
  const example = reference.data[type]?.post.requestBody.content['application/json']?.example
  return (
    <section
      className="copy-value"
      dir="ltr"
      // Scrolls, so the keyboard has to reach it.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
      tabIndex={0}
      aria-label={filled(webhookWords().exampleOf, { event: type })}
      style={{ marginBlockStart: '0.5rem', maxHeight: '22rem', overflow: 'auto' }}
    >
      <Text component="code" size="xs">
        {JSON.stringify(example, null, 2)}
      </Text>
    </section>
  )
}
