import { Anchor, Modal, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../../../parts/icons.tsx'
import { StateBadge, stateOf } from '../../../parts/polls/poll-parts.tsx'
import { Failed } from '../../../parts/states.tsx'
import { useBrand } from '../../../session/brand.ts'
import { templateWords } from '../../../words/template-words.ts'
import { TEMPLATES } from './templates.ts'

interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Fills the form of a new poll from a template, or from a poll of the brand. */
export function StartDialog({ isOpen, onClose }: DialogProps) {
  const { slug } = useBrand()
  const { start, templates } = templateWords()
  return (
    <Modal opened={isOpen} onClose={onClose} title={start.title} size="lg">
      <Stack>
        <Text size="sm" c="dimmed">
          {start.text}
        </Text>
        <Title order={2} size="h6">
          {start.templates}
        </Title>
        <ul className="plain templates">
          {TEMPLATES.map((name) => (
            <li key={name}>
              <Link
                to="/$brand/polls/new"
                params={{ brand: slug }}
                search={{ template: name } as never}
                className="template"
                onClick={onClose}
              >
                <b>{templates[name].name}</b>
                <span>{templates[name].use}</span>
              </Link>
            </li>
          ))}
        </ul>
        <Title order={2} size="h6">
          {start.past}
        </Title>
        <PastPolls onChosen={onClose} />
      </Stack>
    </Modal>
  )
}

const SHOWN = 8

/** Archived ones too. */
function PastPolls({ onChosen }: { readonly onChosen: () => void }) {
  const { slug, tossup } = useBrand()
  const { start } = templateWords()
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 250)
  const found = useQuery({
    queryKey: ['brand', slug, 'past polls', q],
    queryFn: ({ signal }) => tossup.listOwnPolls({ q: q || undefined, limit: SHOWN }, { signal }).page(),
    placeholderData: keepPreviousData,
  })
  return (
    <div>
      <TextInput
        type="search"
        aria-label={start.find}
        placeholder={start.find}
        dir="auto"
        leftSection={<Icon name="search" size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {found.isPending && <Skeleton height={120} mt="sm" />}
      {found.error && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      {found.data?.data.length === 0 && (
        <Text size="sm" c="dimmed" role="status" mt="sm">
          {start.none}
        </Text>
      )}
      <ul className="plain">
        {found.data?.data.map((poll) => (
          <li key={poll.id} className="row">
            <Anchor
              size="sm"
              underline="always"
              className="grow"
              onClick={onChosen}
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/$brand/polls/new"
                  params={{ brand: slug }}
                  search={{ copy: poll.shortId } as never}
                />
              )}
            >
              <bdi>{poll.title}</bdi>
            </Anchor>
            <StateBadge state={stateOf(poll)} />
          </li>
        ))}
      </ul>
    </div>
  )
}
