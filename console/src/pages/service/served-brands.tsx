import { Paper, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import type { ServedBrand } from '../../../../sdk/src/index.ts'
import { Icon } from '../../parts/icons.tsx'
import { EndlessRows } from '../../parts/lists/endless-rows.tsx'
import { useEndless } from '../../parts/lists/use-endless.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { sessions } from '../../service.ts'
import { serviceWords } from '../../words/service-words.ts'
import { count } from '../../words/words.ts'
import { bounded } from './service-parts.tsx'

const ROW_HEIGHT = 61
const MOST_SHOWN_AT_ONCE = 50

const slugOf = ({ slug }: ServedBrand) => slug

const row = (brand: ServedBrand) => <BrandRow brand={brand} />

/** Every brand with its volumes: names and numbers, and no way into its content. */
export function ServedBrands() {
  const its = serviceWords()
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 250)
  const pages = useEndless<ServedBrand>({
    queryKey: ['service', 'brands', q],
    read: ({ cursor, signal }) =>
      sessions.listServedBrands({ cursor, limit: MOST_SHOWN_AT_ONCE, ...(q === '' ? {} : { q }) }, { signal }).page(),
  })
  const { items: brands, hasNextPage, isFetching, nextError, fetchNextPage } = pages
  // A page of a search reads a bounded number of brands, and may have no match where a later one has some.
  const isSearching = hasNextPage && brands.length < MOST_SHOWN_AT_ONCE && !nextError
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage()
  }, [isSearching, isFetching, fetchNextPage])
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h5" mb="sm">
        {its.brands}
      </Title>
      <TextInput
        type="search"
        mb="xs"
        aria-label={its.search}
        placeholder={its.search}
        leftSection={<Icon name="search" size={16} />}
        value={text}
        maxLength={100}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {pages.isPending && <Loading rows={3} />}
      {pages.error && (!nextError || brands.length === 0) && (
        <Failed error={pages.error} onRetry={() => void pages.refetch()} />
      )}
      {pages.data && brands.length === 0 && isSearching && <Loading rows={3} />}
      {pages.data && brands.length === 0 && !isSearching && !nextError && (
        <Empty
          icon="search"
          {...(q === '' ? { title: its.noBrands, text: its.noBrandsText } : { title: its.noMatch })}
        />
      )}
      {brands.length > 0 && (
        <>
          <div className="served-brand served-head" aria-hidden="true">
            <span>{its.brand}</span>
            <span>{its.polls}</span>
            <span>{its.ofDay}</span>
            <span>{its.ofAll}</span>
          </div>
          <EndlessRows label={its.brands} pages={pages} idOf={slugOf} rowHeight={ROW_HEIGHT}>
            {row}
          </EndlessRows>
        </>
      )}
    </Paper>
  )
}

function BrandRow({ brand: { slug, name, polls, votes, votesOfDay } }: { readonly brand: ServedBrand }) {
  const its = serviceWords()
  const volumes = [
    [its.polls, bounded(polls)],
    [its.ofDay, count(votesOfDay)],
    [its.ofAll, count(votes)],
  ] as const
  return (
    <div className="served-brand">
      <span className="served-name">
        <bdi>{name}</bdi>
        <Text component="span" size="xs" c="dimmed">
          <bdi>{slug}</bdi>
        </Text>
      </span>
      {volumes.map(([label, value]) => (
        <span key={label} className="served-number">
          <span className="served-label">{label}</span> {value}
        </span>
      ))}
    </div>
  )
}
