import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { Failed, Loading, NoPermission } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { words } from '../../words/words.ts'
import { PollForm } from './poll-form.tsx'

export function EditPollPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const { poll: id = '' } = useParams({ strict: false })
  // Read once: what was typed must not be replaced under its author.
  const poll = useQuery({
    queryKey: ['brand', slug, 'poll', id, 'edit'],
    queryFn: ({ signal }) => tossup.getOwnPoll(id, { signal }),
    enabled: mayEdit,
    staleTime: 0,
    gcTime: 0,
    // Its ETag is kept beside the very object.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  if (!mayEdit)
    return (
      <Page title={words().edit.title}>
        <NoPermission />
      </Page>
    )
  return (
    <Page title={words().edit.title}>
      {poll.isPending && <Loading />}
      {poll.error && <Failed error={poll.error} onRetry={() => void poll.refetch()} />}
      {poll.data && <PollForm poll={poll.data} />}
    </Page>
  )
}
