import { Group, Paper, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { campaignWords } from '../../words/campaign-words.ts'
import { filled, timeZone, words } from '../../words/words.ts'
import type { CampaignDraft, FieldErrors } from './campaign-draft.ts'
import { PollOrder } from './poll-order.tsx'
import { PollPicker } from './poll-picker.tsx'

interface FieldsProps {
  readonly draft: CampaignDraft
  readonly errors: FieldErrors
  readonly change: (changed: Partial<CampaignDraft>) => void
}

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Paper withBorder p="md" component="section">
    <Title order={2} size="h5" mb="sm">
      {title}
    </Title>
    <Stack gap="sm">{children}</Stack>
  </Paper>
)

export function CampaignFields(props: FieldsProps) {
  const { draft, errors, change } = props
  const { edit } = words()
  const its = campaignWords()
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Stack gap="sm">
          <TextInput
            label={its.name}
            size="md"
            required
            maxLength={120}
            value={draft.title}
            error={errors['title']}
            onChange={(event) => change({ title: event.currentTarget.value })}
          />
          <TextInput
            label={its.description}
            description={its.descriptionText}
            maxLength={500}
            value={draft.description}
            error={errors['description']}
            onChange={(event) => change({ description: event.currentTarget.value })}
          />
        </Stack>
      </Paper>
      <Polls {...props} />
      <Section title={edit.schedule}>
        <p className="note">{filled(edit.zone, { zone: timeZone() })}</p>
        <Group grow preventGrowOverflow={false} align="flex-start" className="times">
          <TextInput
            type="datetime-local"
            label={its.opensAt}
            value={draft.opensAt}
            error={errors['opensAt']}
            onChange={(event) => change({ opensAt: event.currentTarget.value })}
          />
          <TextInput
            type="datetime-local"
            label={its.closesAt}
            value={draft.closesAt}
            error={errors['closesAt']}
            onChange={(event) => change({ closesAt: event.currentTarget.value })}
          />
        </Group>
      </Section>
      <Section title={its.visibility}>
        <Switch
          label={its.listed}
          description={its.listedText}
          checked={draft.isPublic}
          onChange={(event) => change({ isPublic: event.currentTarget.checked })}
        />
      </Section>
    </Stack>
  )
}

const MOST_POLLS = 100

/** The problem of a poll is shown at the list. */
const problemOfPolls = (errors: FieldErrors): string | undefined =>
  Object.entries(errors).find(([path]) => path === 'polstIds' || path.startsWith('polstIds.'))?.[1]

function Polls({ draft: { polls }, errors, change }: FieldsProps) {
  const its = campaignWords()
  const [said, setSaid] = useState('')
  const isFull = polls.length >= MOST_POLLS
  return (
    <Section title={its.order}>
      <p className="note">{polls.length === 0 ? its.none : its.orderText}</p>
      <PollOrder polls={polls} onChange={(next) => change({ polls: next })} say={setSaid} />
      <p className="out-of-sight" role="status">
        {said}
      </p>
      {isFull ? (
        <Text size="sm">{its.mostPolls}</Text>
      ) : (
        <PollPicker
          chosen={new Set(polls.map(({ id }) => id))}
          error={problemOfPolls(errors)}
          onAdd={({ id, title, isDraft }) => {
            change({ polls: [...polls, { id, title, isWithheld: isDraft }] })
            setSaid(filled(its.added, { title, place: polls.length + 1 }))
          }}
        />
      )}
    </Section>
  )
}
