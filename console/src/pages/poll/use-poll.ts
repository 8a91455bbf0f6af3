import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { OwnedPoll, Poll, Tallies } from '../../../../sdk/src/index.ts'
import { useBrand } from '../../session/brand.ts'

/** A poll in view: the owner's, or the public one, which is all that an analyst may read. */
export type PollInView = Poll & Pick<OwnedPoll, 'archivedAt'> & Partial<Pick<OwnedPoll, 'codeListId'>>

export const pollKey = (brand: string, poll: string) => ['brand', brand, 'poll', poll] as const

export function usePoll(id: string) {
  const { slug, tossup, mayEdit } = useBrand()
  return useQuery({
    queryKey: pollKey(slug, id),
    queryFn: async ({ signal }): Promise<PollInView> =>
      mayEdit ? tossup.getOwnPoll(id, { signal }) : { ...(await tossup.getPoll(id, { signal })), archivedAt: null },
  })
}

/** How often counts are read that the public stream does not show. */
const ASK_EVERY_MS = 2_000

/**
 * The counts as they change. The stream shows what the public sees: where that hides them, or is a draft, and the person may
 * see more, the poll is read again and again instead.
 */
export function useLiveTallies(poll: PollInView): Tallies {
  const { slug, tossup, mayEdit } = useBrand()
  const client = useQueryClient()
  const { id, shortId, isDraft, resultsVisibility, status, archivedAt } = poll
  const isStreamed =
    !isDraft && (resultsVisibility === 'always' || (resultsVisibility === 'after_close' && status === 'closed'))
  const [streamed, setStreamed] = useState<Tallies | null>(null)

  useEffect(() => {
    if (!isStreamed || archivedAt !== null) return
    const leaving = new AbortController()
    const watch = async () => {
      let shown = ''
      for await (const { tallies, status: now } of tossup.watchTallies(id, { signal: leaving.signal })) {
        setStreamed(tallies)
        if (shown !== '' && shown !== now) void client.invalidateQueries({ queryKey: pollKey(slug, shortId) })
        shown = now
      }
    }
    // A deleted poll ends it: the page says so when it is read again.
    watch().catch(() => client.invalidateQueries({ queryKey: pollKey(slug, shortId) }))
    return () => leaving.abort()
  }, [archivedAt, client, id, isStreamed, shortId, slug, tossup])

  const asked = useQuery({
    queryKey: [...pollKey(slug, shortId), 'counts'],
    queryFn: ({ signal }) => tossup.getOwnPoll(id, { signal }),
    enabled: mayEdit && !isStreamed && !isDraft && archivedAt === null,
    refetchInterval: ASK_EVERY_MS,
  })
  return streamed ?? asked.data?.tallies ?? poll.tallies
}
