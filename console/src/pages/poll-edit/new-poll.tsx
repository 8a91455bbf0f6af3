import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { Failed, Loading, NoPermission } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { words } from '../../words/words.ts'
import { PollForm } from './poll-form.tsx'

/** Empty, or as a copy of the poll that the address names. */
export function NewPollPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const { copy } = useSearch({ strict: false }) as { copy?: unknown }
  const copied = useQuery({
    queryKey: ['brand', slug, 'poll', copy, 'copy'],
    queryFn: ({ signal }) => tossup.getOwnPoll(String(copy), { signal }),
    enabled: mayEdit && copy !== undefined,
    refetchOnWindowFocus: false,
  })
  if (!mayEdit)
    return (
      <Page title={words().edit.newTitle}>
        <NoPermission />
      </Page>
    )
  const isReady = copy === undefined || copied.data !== undefined
  return (
    <Page title={words().edit.newTitle}>
      {copy !== undefined && copied.isPending && <Loading />}
      {copied.error && <Failed error={copied.error} onRetry={() => void copied.refetch()} />}
      {isReady && <PollForm key={String(copy)} poll={null} copied={copied.data ?? null} />}
    </Page>
  )
}
