import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Page } from '../../../../sdk/src/index.ts'

export type Pages<Item> = InfiniteData<Page<Item>, string | undefined>

interface EndlessOptions<Item> {
  readonly queryKey: QueryKey
  readonly read: (page: { readonly cursor: string | undefined; readonly signal: AbortSignal }) => Promise<Page<Item>>
  readonly enabled?: boolean
  /** How soon the list is read again by itself; false for never. Each page of a long list is a request. */
  readonly againMs?: (items: readonly Item[], isLong: boolean) => number | false
}

/** Refetching goes page by page: a list that was scrolled far would take hundreds of requests. */
const MOST_READ_AGAIN = 3
/** Pages that are kept of a list after the reader has left it: enough for the way back from an item, except in the deepest rows. */
const MOST_KEPT = 10

const isShort = ({ state: { data } }: { readonly state: { readonly data: Pages<never> | undefined } }): boolean =>
  (data?.pages.length ?? 0) <= MOST_READ_AGAIN

const itemsOf = <Item>(data: Pages<Item> | undefined): readonly Item[] => data?.pages.flatMap((page) => page.data) ?? []

/** A list of any length, which is read a page at a time. */
export function useEndless<Item>({ queryKey, read, enabled = true, againMs = () => false }: EndlessOptions<Item>) {
  const client = useQueryClient()
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: cursor, signal }) => read({ cursor, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
    refetchOnWindowFocus: (query) => isShort(query as never),
    refetchOnReconnect: (query) => isShort(query as never),
    refetchInterval: (query) => againMs(itemsOf(query.state.data), !isShort(query as never)),
  })
  const key = JSON.stringify(queryKey)
  useEffect(() => {
    const own = JSON.parse(key) as QueryKey
    return () => {
      const { dataUpdatedAt: updatedAt = 0 } = client.getQueryState(own) ?? {}
      client.setQueryData<Pages<Item>>(own, (data) => cut(data), { updatedAt })
    }
  }, [client, key])
  // TanStack types `pageParam` as unknown; ours is a cursor.
  const data = pages.data as Pages<Item> | undefined
  const items = useMemo(() => itemsOf(data), [data])
  return { ...pages, items, nextError: pages.isFetchNextPageError ? pages.error : null }
}

/** A list as it is read so far. */
export type Endless<Item> = ReturnType<typeof useEndless<Item>>

/** Undefined leaves it as it is. */
const cut = <Item>(data: Pages<Item> | undefined): Pages<Item> | undefined =>
  data && data.pages.length > MOST_KEPT
    ? { pages: data.pages.slice(0, MOST_KEPT), pageParams: data.pageParams.slice(0, MOST_KEPT) }
    : undefined
