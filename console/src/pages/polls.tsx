import { Button, Checkbox, Group, NativeSelect, TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { memo, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { Icon, type IconName } from '../parts/icons.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { EndlessList } from '../parts/lists/endless-rows.tsx'
import { useDownload } from '../parts/lists/use-download.tsx'
import type { Endless } from '../parts/lists/use-endless.ts'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useMinute } from '../parts/use-minute.ts'
import { useBrand } from '../session/brand.ts'
import { listingWords } from '../words/listing-words.ts'
import { resultWords } from '../words/result-words.ts'
import { filled, words } from '../words/words.ts'
import { PollRow } from './polls/poll-row.tsx'
import { useChosen } from './polls/use-chosen.ts'
import { type ListedPoll, ORDERS, type PollFilters, STATES, tagsOf, usePollPages } from './polls/use-poll-pages.ts'

const ChosenBar = lazyPart(async () => (await import('./polls/chosen-bar.tsx')).ChosenBar)

const isOneOf = <Value extends string>(values: readonly Value[], value: unknown): value is Value =>
  values.includes(value as Value)

const NO_FILTERS: PollFilters = { q: '', state: 'all', order: 'recent', tag: '', category: '' }

/** The filters are in the address, so that a filtered list can be sent to a colleague. */
function useFilters(): readonly [PollFilters, (change: Partial<PollFilters>) => Promise<void>] {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  // A tag of digits is a number in the address.
  const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
  const filters: PollFilters = {
    q: textOf(search['q']),
    state: isOneOf(STATES, search['state']) ? search['state'] : 'all',
    order: isOneOf(ORDERS, search['order']) ? search['order'] : 'recent',
    tag: textOf(search['tag']),
    category: textOf(search['category']),
  }
  const change = (changed: Partial<PollFilters>) => {
    const next = Object.entries({ ...filters, ...changed })
    const chosen = next.filter(([name, value]) => value !== NO_FILTERS[name as keyof PollFilters])
    return navigate({ to: '.', search: Object.fromEntries(chosen) as never, replace: true })
  }
  return [filters, change]
}

export function PollsPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const [filters, change] = useFilters()
  const pages = usePollPages(filters)
  // The fields begin again with empty filters.
  const [cleared, setCleared] = useState(0)
  const clear = () => void change(NO_FILTERS).then(() => setCleared(cleared + 1))
  const { polls } = words()
  const { compare, downloads } = resultWords()
  const download = useDownload()
  const save = () =>
    download.start({
      open: (signal) => tossup.exportResults('csv', { bom: true, signal }),
      name: `results-${slug}.csv`,
      said: downloads.done,
    })
  const newPoll = mayEdit && (
    <Button
      renderRoot={(props) => <Link {...props} to="/$brand/polls/new" params={{ brand: slug }} />}
      leftSection={<Icon name="plus" />}
    >
      {polls.new}
    </Button>
  )
  const actions = (
    <>
      <Button variant="default" onClick={save} loading={download.isRunning}>
        {downloads.polls}
      </Button>
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/$brand/compare" params={{ brand: slug }} />}
      >
        {compare.title}
      </Button>
      {newPoll}
    </>
  )
  return (
    <Page title={polls.title} actions={actions}>
      {download.note}
      <Filters key={cleared} filters={filters} change={(changed) => void change(changed)} polls={pages.items} />
      <PollList filters={filters} pages={pages} newPoll={newPoll} onClear={clear} />
    </Page>
  )
}

interface FiltersProps {
  readonly filters: PollFilters
  readonly change: (changed: Partial<PollFilters>) => void
  /** The polls in the list, whose tags are offered. */
  readonly polls: readonly ListedPoll[]
}

function Filters({ filters: { q, state, order, tag, category }, change, polls: listed }: FiltersProps) {
  const { mayEdit } = useBrand()
  const { polls, common } = words()
  const { filters } = listingWords()
  const states = mayEdit ? STATES : STATES.filter((each) => each === 'all' || each === 'open' || each === 'closed')
  const orders = mayEdit ? ORDERS : ORDERS.filter((each) => each !== 'title')
  return (
    <Group mb="md" gap="sm" className="filters">
      {mayEdit && (
        <SettledInput
          className="grow"
          type="search"
          label={polls.search}
          icon="search"
          value={q}
          onSettled={(text) => change({ q: text })}
        />
      )}
      {mayEdit && (
        <>
          <SettledInput
            label={filters.tag}
            list="tags-in-list"
            value={tag}
            onSettled={(text) => change({ tag: text.trim().replace(/^#/, '') })}
          />
          <datalist id="tags-in-list">
            {tagsOf(listed).map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
          <CategorySelect value={category} onChange={(slug) => change({ category: slug })} />
        </>
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

interface SettledProps extends Pick<TextInputProps, 'className' | 'type' | 'list'> {
  readonly label: string
  readonly icon?: IconName
  readonly value: string
  readonly onSettled: (text: string) => void
}

/** Reports what was typed once the hands rest. */
function SettledInput({ label, icon, value, onSettled, ...rest }: SettledProps) {
  const [text, setText] = useState(value)
  const [settled] = useDebouncedValue(text, 250)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed changes the address, and nothing else does
  useEffect(() => {
    if (settled !== value) onSettled(settled)
  }, [settled])
  return (
    <TextInput
      {...rest}
      dir="auto"
      aria-label={label}
      placeholder={label}
      leftSection={icon && <Icon name={icon} size={16} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}

function CategorySelect({ value, onChange }: { readonly value: string; readonly onChange: (slug: string) => void }) {
  const { tossup } = useBrand()
  const { filters } = listingWords()
  const { data = [] } = useQuery({
    queryKey: ['categories'],
    queryFn: ({ signal }) => tossup.listCategories({ signal }),
  })
  if (data.length === 0) return null
  return (
    <NativeSelect
      aria-label={filters.category}
      value={value}
      data={[
        { value: '', label: filters.anyCategory },
        ...data.map(({ slug, name }) => ({ value: slug, label: name })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

const idOf = ({ id }: ListedPoll): string => id

interface ChosenRowProps {
  readonly poll: ListedPoll
  readonly isChosen: boolean
  readonly toggle: (poll: ListedPoll) => void
}

/** A choice draws its own row again, and no other. */
const ChosenRow = memo(({ poll, isChosen, toggle }: ChosenRowProps) => {
  useMinute()
  return (
    <Group wrap="nowrap" gap="xs">
      <Checkbox
        mb={8}
        checked={isChosen}
        aria-label={filled(listingWords().bulk.choose, { title: poll.title })}
        onChange={() => toggle(poll)}
      />
      <div className="grow">
        <PollRow poll={poll} />
      </div>
    </Group>
  )
})

interface ListProps {
  readonly filters: PollFilters
  readonly pages: Endless<ListedPoll>
  readonly newPoll: ReactNode
  readonly onClear: () => void
}

function PollList({ filters, pages, newPoll, onClear }: ListProps) {
  const { mayEdit } = useBrand()
  const { polls } = words()
  const { chosen, toggle, choose } = useChosen(filters)
  // It stays: what did not change is said when nothing is chosen any more.
  const [isWanted, setIsWanted] = useState(false)
  if (chosen.size > 0 && !isWanted) setIsWanted(true)
  const row = useCallback(
    (poll: ListedPoll) =>
      mayEdit ? <ChosenRow poll={poll} isChosen={chosen.has(poll.id)} toggle={toggle} /> : <PollRow poll={poll} />,
    [mayEdit, chosen, toggle],
  )
  const { q, state, tag, category } = filters
  const isFiltered = q !== '' || state !== 'all' || tag !== '' || category !== ''
  const empty = isFiltered ? (
    <Empty icon="search" title={polls.noMatch} text={polls.noMatchText}>
      <Button variant="default" onClick={onClear}>
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
      <Suspense>
        {isWanted && <ChosenBar chosen={chosen} isArchived={state === 'archived'} onChoose={choose} />}
      </Suspense>
    </>
  )
}
