import { useQueries } from '@tanstack/react-query'
import type { Poll } from '../../../../sdk/src/index.ts'
import { useBrand } from '../../session/brand.ts'

const ASK_EVERY_MS = 10_000

/** Reads the polls of a comparison: the owner's, or the public ones, which are all that an analyst may read. */
export function useCompared(ids: readonly string[]) {
  const { slug, tossup, mayEdit } = useBrand()
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['brand', slug, 'compared', id],
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<Poll> =>
        mayEdit ? tossup.getOwnPoll(id, { signal }) : tossup.getPoll(id, { signal }),
      refetchInterval: ASK_EVERY_MS,
    })),
  })
}
