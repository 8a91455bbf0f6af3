import { Paper, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { FieldErrors } from '../../parts/messages/messages.ts'
import { ScheduleFields } from '../../parts/schedule-fields.tsx'
import { Section } from '../../parts/section.tsx'
import { campaignWords } from '../../words/campaign-words.ts'
import { codesWords } from '../../words/codes-words.ts'
import { filled } from '../../words/words.ts'
import { WhoCanVote } from '../codes/who-can-vote.tsx'
import { type CampaignDraft, listOf, memberOf, votedPoll } from './campaign-draft.ts'
import { PollOrder } from './poll-order.tsx'
import { PollPicker } from './poll-picker.tsx'

interface FieldsProps {
  readonly draft: CampaignDraft
  readonly errors: FieldErrors
  readonly change: (changed: Partial<CampaignDraft>) => void
}

export function CampaignFields(props: FieldsProps) {
  const { draft, errors, change } = props
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
      <Who {...props} />
      <ScheduleFields labels={its} draft={draft} errors={errors} change={change} />
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

function Who({ draft, errors, change }: FieldsProps) {
  const its = codesWords()
  const voted = votedPoll(draft)
  return (
    <WhoCanVote
      codeListId={listOf(draft)}
      error={errors['codeListId']}
      refusal={voted ? filled(its.campaignFixed, { title: voted.title }) : null}
      note={its.campaignNote}
      onChange={(codeListId) => change({ codeListId })}
    />
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
          onAdd={(poll) => {
            const { title, codeListId } = poll
            change({ polls: [...polls, memberOf(poll)], ...(polls.length === 0 ? { codeListId } : {}) })
            setSaid(filled(its.added, { title, place: polls.length + 1 }))
          }}
        />
      )}
    </Section>
  )
}
