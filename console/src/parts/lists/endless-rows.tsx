import { Button, Loader, Text } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useCallback, useEffect, useRef } from 'react'
import { words } from '../../words/words.ts'
import { messageOf } from '../messages/messages.ts'
import { Failed, Loading } from '../states.tsx'
import { useMinute } from '../use-minute.ts'
import type { Endless } from './use-endless.ts'

interface EndlessRowsProps<Item> {
  readonly label: string
  /** A next page that did not come is not asked for again by itself. */
  readonly pages: Endless<Item>
  readonly idOf: (item: Item) => string
  readonly rowHeight: number
  /** One function for as long as it shows the same: rows in sight are not drawn again while the list is scrolled. */
  readonly children: (item: Item) => ReactNode
}

interface RowProps<Item> {
  readonly item: Item
  readonly render: (item: Item) => ReactNode
}

const Row = memo(({ item, render }: RowProps<unknown>) => {
  useMinute()
  return render(item)
}) as <Item>(props: RowProps<Item>) => ReactNode

interface EndlessListProps<Item> extends EndlessRowsProps<Item> {
  /** How many rows are indicated until the first page is there. */
  readonly loadingRows?: number
  readonly empty: ReactNode
}

/** Renders each state of a list of any length. A loaded list stays visible if a refresh fails. */
export function EndlessList<Item>({ loadingRows = 5, empty, ...rows }: EndlessListProps<Item>) {
  const { pages } = rows
  if (pages.isPending) return <Loading rows={loadingRows} />
  if (pages.error && !pages.data) return <Failed error={pages.error} onRetry={() => void pages.refetch()} />
  return pages.items.length === 0 && !pages.hasNextPage ? empty : <EndlessRows {...rows} />
}

/** A virtual list: only visible rows are in the document, and further pages load as they scroll into view. */
export function EndlessRows<Item>(props: EndlessRowsProps<Item>) {
  const { label, pages, idOf, rowHeight, children } = props
  const { items, nextError, hasNextPage: hasMore, isFetchingNextPage: isLoading } = pages
  const loadMore = () => void pages.fetchNextPage()
  const list = useRef<HTMLDivElement>(null)
  // Another function measures all rows again.
  const getItemKey = useCallback(
    (index: number) => {
      const item = items[index]
      return item === undefined ? index : idOf(item)
    },
    [items, idOf],
  )
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const isNearEnd = hasMore && !isLoading && !nextError && last >= items.length - 10
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function is no reason to read a page
  useEffect(() => {
    if (isNearEnd) loadMore()
  }, [isNearEnd])
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: most of its items are not in the document, and their places are written */}
      <div ref={list} role="list" aria-label={label} style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {shown.map(({ key, index, start }) => {
          const item = items[index]
          return item === undefined ? null : (
            // biome-ignore lint/a11y/useSemanticElements: an item of the list above
            <div
              key={key}
              role="listitem"
              aria-setsize={hasMore ? -1 : items.length}
              aria-posinset={index + 1}
              data-index={index}
              ref={rows.measureElement}
              className="endless-row"
              style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
            >
              <Row item={item} render={children} />
            </div>
          )
        })}
      </div>
      <div className="endless-end" role="status">
        {isLoading && <Loader size="sm" aria-label={words().common.loading} />}
        {!isLoading && nextError && (
          <Text size="sm" c="red">
            {messageOf(nextError)}
          </Text>
        )}
        {!isLoading && hasMore && (
          <Button variant="default" onClick={loadMore}>
            {words().common.showMore}
          </Button>
        )}
        {!hasMore && items.length > 20 && (
          <Text size="sm" c="dimmed">
            {words().polls.end}
          </Text>
        )}
      </div>
    </>
  )
}
