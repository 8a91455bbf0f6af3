import { Anchor, Button, Group, Skeleton, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OwnedPoll, PollListItem } from '../../../../sdk/src/index.ts'
import { Icon } from '../../parts/icons.tsx'
import { StateBadge, stateOf } from '../../parts/polls/poll-parts.tsx'
import { Failed } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { filled, words } from '../../words/words.ts'
import type { MemberPoll } from './campaign-draft.ts'

type Pickable = MemberPoll & Pick<OwnedPoll, 'status'>

const published = ({ id, title, status, tallies }: PollListItem): Pickable => ({
  id,
  title,
  status,
  tallies,
  codeListId: null,
  isDraft: false,
  archivedAt: null,
})

interface PickerProps {
  readonly chosen: ReadonlySet<string>
  /** Why nothing was added. */
  readonly error: string | undefined
  readonly onAdd: (poll: Pickable) => void
}

/** Fetches more polls than it shows, because polls that are already chosen are left out. */
const FOUND = 50
const SHOWN = 8

/** Finds polls of the brand, and adds them at the end. An analyst finds the latest of the public feed, which has no search. */
export function PollPicker({ chosen, error, onAdd }: PickerProps) {
  const { slug, tossup, mayEdit } = useBrand()
  const its = campaignWords()
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 250)
  const found = useQuery({
    queryKey: ['brand', slug, 'polls to add', mayEdit, q],
    queryFn: async ({ signal }): Promise<Pickable[]> =>
      mayEdit
        ? (await tossup.listOwnPolls({ q: q || undefined, archived: false, limit: FOUND }, { signal }).page()).data
        : (await tossup.listPublicPolls(slug, { limit: FOUND }, { signal }).page()).data.map(published),
    placeholderData: keepPreviousData,
  })
  const polls = (found.data ?? []).filter(({ id }) => !chosen.has(id)).slice(0, SHOWN)
  return (
    <div>
      {mayEdit && (
        <TextInput
          type="search"
          label={its.find}
          description={its.findText}
          leftSection={<Icon name="search" size={16} />}
          value={text}
          error={error}
          onChange={(event) => setText(event.currentTarget.value)}
          // Enter would send the form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      {found.isPending && <Skeleton height={120} mt="sm" />}
      {found.error && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && polls.length === 0 && (
        <Group gap="sm" mt="sm">
          <Text size="sm" c="dimmed" role="status">
            {its.noMatch}
          </Text>
          {mayEdit && (
            <Anchor
              size="sm"
              renderRoot={(props) => <Link {...props} to="/$brand/polls/new" params={{ brand: slug }} />}
            >
              {words().polls.new}
            </Anchor>
          )}
        </Group>
      )}
      <ul className="plain">
        {polls.map((poll) => (
          <li key={poll.id} className="row" style={{ flexWrap: 'nowrap' }}>
            <Text size="sm" className="grow">
              <bdi>{poll.title}</bdi>
            </Text>
            <StateBadge state={stateOf(poll)} />
            <Button
              size="compact-sm"
              variant="light"
              style={{ flex: 'none' }}
              aria-label={filled(its.add, { title: poll.title })}
              onClick={() => onAdd(poll)}
            >
              <Icon name="plus" size={16} />
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
