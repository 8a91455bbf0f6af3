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

/** Everything of the brand is read again but the list in view, which is up to date: each of its pages would be a request. */
export function invalidateBrand(client: QueryClient, brand: string): void {
  const lists = pollListsKey(brand)
  void client.invalidateQueries({
    queryKey: ['brand', brand],
    predicate: (query) => !(lists.every((part, at) => query.queryKey[at] === part) && query.isActive()),
  })
}
