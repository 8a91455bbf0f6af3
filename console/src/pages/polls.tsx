import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useCallback, useEffect, useState } from 'react'
import { Icon } from '../parts/icons.tsx'
import { EndlessList } from '../parts/lists/endless-rows.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useMinute } from '../parts/use-minute.ts'
import { useBrand } from '../session/brand.ts'
import { filled, words } from '../words/words.ts'
import { ChosenBar, useChosen } from './polls/chosen-polls.tsx'
import { PollRow } from './polls/poll-row.tsx'
import { type ListedPoll, ORDERS, type PollFilters, STATES, usePollPages } from './polls/use-poll-pages.ts'

const isOneOf = <Value extends string>(values: readonly Value[], value: unknown): value is Value =>
  values.includes(value as Value)

/** The filters are in the address, so that a filtered list can be sent to a colleague. */
function useFilters(): readonly [PollFilters, (change: Partial<PollFilters>) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const filters: PollFilters = {
    q: typeof search['q'] === 'string' ? search['q'] : '',
    state: isOneOf(STATES, search['state']) ? search['state'] : 'all',
    order: isOneOf(ORDERS, search['order']) ? search['order'] : 'recent',
  }
  const change = (changed: Partial<PollFilters>) => {
    const { q, state, order } = { ...filters, ...changed }
    const next = {
      ...(q === '' ? {} : { q }),
      ...(state === 'all' ? {} : { state }),
      ...(order === 'recent' ? {} : { order }),
    }
    void navigate({ to: '.', search: next as never, replace: true })
  }
  return [filters, change]
}

export function PollsPage() {
  const { slug, mayEdit } = useBrand()
  const [filters, change] = useFilters()
  const { polls } = words()
  const newPoll = mayEdit && (
    <Button
      renderRoot={(props) => <Link {...props} to="/$brand/polls/new" params={{ brand: slug }} />}
      leftSection={<Icon name="plus" />}
    >
      {polls.new}
    </Button>
  )
  return (
    <Page title={polls.title} actions={newPoll}>
      <Filters filters={filters} change={change} />
      <PollList filters={filters} change={change} newPoll={newPoll} />
    </Page>
  )
}

interface FiltersProps {
  readonly filters: PollFilters
  readonly change: (changed: Partial<PollFilters>) => void
}

function Filters({ filters: { q, state, order }, change }: FiltersProps) {
  const { mayEdit } = useBrand()
  const { polls, common } = words()
  const [text, setText] = useState(q)
  const [settled] = useDebouncedValue(text, 250)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed changes the address, and nothing else does
  useEffect(() => {
    if (settled !== q) change({ q: settled })
  }, [settled])
  const states = mayEdit ? STATES : STATES.filter((each) => each === 'all' || each === 'open' || each === 'closed')
  const orders = mayEdit ? ORDERS : ORDERS.filter((each) => each !== 'title')
  return (
    <Group mb="md" gap="sm" className="filters">
      {mayEdit && (
        <TextInput
          className="grow"
          type="search"
          dir="auto"
          aria-label={polls.search}
          placeholder={polls.search}
          leftSection={<Icon name="search" size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <NativeSelect
        aria-label={polls.status}
        value={state}
        data={states.map((value) => ({ value, label: value === 'all' ? common.all : polls[`status_${value}`] }))}
        onChange={(event) => change({ state: event.currentTarget.value as PollFilters['state'] })}
      />
      <NativeSelect
        aria-label={polls.order}
        value={order}
        data={orders.map((value) => ({ value, label: polls[`order_${value}`] }))}
        onChange={(event) => change({ order: event.currentTarget.value as PollFilters['order'] })}
      />
    </Group>
  )
}

const idOf = ({ id }: ListedPoll): string => id

interface ChosenRowProps {
  readonly poll: ListedPoll
  readonly isChosen: boolean
  readonly toggle: (id: string) => void
}

/** A choice draws its own row again, and no other. */
const ChosenRow = memo(({ poll, isChosen, toggle }: ChosenRowProps) => {
  useMinute()
  return (
    <Group wrap="nowrap" gap="xs">
      <Checkbox
        mb={8}
        checked={isChosen}
        aria-label={filled(words().bulk.choose, { title: poll.title })}
        onChange={() => toggle(poll.id)}
      />
      <div className="grow">
        <PollRow poll={poll} />
      </div>
    </Group>
  )
})

function PollList({ filters, newPoll }: FiltersProps & { readonly newPoll: React.ReactNode }) {
  const { slug, mayEdit } = useBrand()
  const { polls } = words()
  const pages = usePollPages(filters)
  const { chosen, toggle, clear } = useChosen(filters)
  const row = useCallback(
    (poll: ListedPoll) =>
      mayEdit ? <ChosenRow poll={poll} isChosen={chosen.has(poll.id)} toggle={toggle} /> : <PollRow poll={poll} />,
    [mayEdit, chosen, toggle],
  )
  const isFiltered = filters.q !== '' || filters.state !== 'all'
  const empty = isFiltered ? (
    <Empty icon="search" title={polls.noMatch} text={polls.noMatchText}>
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/$brand/polls" params={{ brand: slug }} search={{} as never} />}
      >
        {polls.clear}
      </Button>
    </Empty>
  ) : (
    <Empty icon="polls" title={polls.empty} text={polls.emptyText}>
      {newPoll}
    </Empty>
  )
  return (
    <>
      <EndlessList label={polls.title} pages={pages} idOf={idOf} rowHeight={84} loadingRows={8} empty={empty}>
        {row}
      </EndlessList>
      {chosen.size > 0 && <ChosenBar chosen={chosen} isArchived={filters.state === 'archived'} onDone={clear} />}
    </>
  )
}
