import type { QueryClient } from '@tanstack/react-query'
import type { Pages } from '../../parts/use-endless.ts'
import { type ListedPoll, pollListsKey } from './use-poll-pages.ts'

/** Takes polls out of all lists, before the service has answered. Returns what puts them back. */
export async function withoutPolls(client: QueryClient, brand: string, ids: readonly string[]): Promise<() => void> {
  const queryKey = pollListsKey(brand)
  const leaving = new Set(ids)
  // A reading that is under way still has them.
  await client.cancelQueries({ queryKey })
  const before = client.getQueriesData<Pages<ListedPoll>>({ queryKey })
  client.setQueriesData<Pages<ListedPoll>>(
    { queryKey },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({ ...page, data: page.data.filter(({ id }) => !leaving.has(id)) })),
      },
  )
  return () => {
    for (const [key, list] of before) client.setQueryData(key, list)
  }
}

/** The lists in view, and when each was last changed. */
export const listsInView = (client: QueryClient, brand: string): ReadonlyMap<string, number> =>
  new Map(
    client
      .getQueryCache()
      .findAll({ queryKey: pollListsKey(brand), type: 'active' })
      .map(({ queryHash, state }) => [queryHash, state.dataUpdatedAt]),
  )

/** Everything is read again but the lists in view that were not read since: each of their pages would be a request. */
export function invalidateBrand(client: QueryClient, brand: string, inView: ReadonlyMap<string, number>): void {
  void client.invalidateQueries({
    queryKey: ['brand', brand],
    predicate: ({ queryHash, state }) => state.fetchStatus !== 'idle' || inView.get(queryHash) !== state.dataUpdatedAt,
  })
}
