import { type QueryKey, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useBrand } from '../session/brand.ts'
import { Page } from './page.tsx'
import { Failed, Loading, NoPermission } from './states.tsx'

interface EditPageProps<Item> {
  readonly title: string
  readonly text?: string
  readonly queryKey: QueryKey
  readonly read: (signal: AbortSignal) => Promise<Item>
  /** The form. */
  readonly children: (item: Item) => ReactNode
}

/** A page that changes something, for those who may. It reads once, so that nothing replaces what its author has typed. */
export function EditPage<Item>({ title, text, queryKey, read, children }: EditPageProps<Item>) {
  const { mayEdit } = useBrand()
  const found = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    enabled: mayEdit,
    staleTime: 0,
    gcTime: 0,
    // The ETag is found by object identity, which structural sharing would lose.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <Page title={title} {...(text === undefined ? {} : { text })}>
      {!mayEdit && <NoPermission />}
      {mayEdit && found.isPending && <Loading />}
      {found.error && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      {found.data !== undefined && children(found.data)}
    </Page>
  )
}
