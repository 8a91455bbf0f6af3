import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { Failed, Loading } from '../states.tsx'

interface RowListProps<Item> {
  readonly query: {
    readonly isPending: boolean
    readonly error: unknown
    readonly refetch: () => Promise<unknown>
  }
  /** Undefined until they are loaded. */
  readonly items: readonly Item[] | undefined
  /** Shown where there are none. */
  readonly empty: ReactNode
  /** Draws one of them, with its key. */
  readonly children: (item: Item) => ReactNode
}

/** A short list that is loaded at once, with what is shown before, without any, and after a failure. */
export const RowList = <Item,>({ query, items, empty, children }: RowListProps<Item>) => (
  <>
    {query.isPending && <Loading />}
    {query.error !== null && <Failed error={query.error} onRetry={() => void query.refetch()} />}
    {items?.length === 0 && empty}
    {items !== undefined && items.length > 0 && (
      <Paper withBorder px="md">
        <ul className="plain">{items.map(children)}</ul>
      </Paper>
    )}
  </>
)
