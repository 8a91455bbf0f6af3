import { hashKey, type QueryClient } from '@tanstack/react-query'
import type { Pages } from '../../parts/lists/use-endless.ts'
import { type ListedPoll, pollListsKey } from './use-poll-pages.ts'

interface Removed {
  readonly page: number
  readonly place: number
  readonly poll: ListedPoll
}

interface Removal {
  /** Puts those of the polls back where they were. */
  readonly putBack: (ids: readonly string[]) => void
  /** The lists that had one of them, by the hashes of their keys. */
  readonly lists: ReadonlySet<string>
}

/** Takes polls out of all lists, before the service has answered. */
export async function withoutPolls(client: QueryClient, brand: string, ids: readonly string[]): Promise<Removal> {
  const queryKey = pollListsKey(brand)
  const leaving = new Set(ids)
  // A reading that is under way still has them.
  await client.cancelQueries({ queryKey })
  const removals = client.getQueriesData<Pages<ListedPoll>>({ queryKey }).flatMap(([key, list]) => {
    const removed = list ? removedFrom(list, leaving) : []
    return removed.length > 0 ? [{ key, removed }] : []
  })
  for (const { key } of removals) client.setQueryData<Pages<ListedPoll>>(key, (list) => list && without(list, leaving))
  return {
    putBack(back) {
      for (const { key, removed } of removals) {
        const returning = removed.filter(({ poll }) => back.includes(poll.id))
        client.setQueryData<Pages<ListedPoll>>(key, (list) => list && withPolls(list, returning))
      }
    },
    lists: new Set(removals.map(({ key }) => hashKey(key))),
  }
}

const removedFrom = ({ pages }: Pages<ListedPoll>, leaving: ReadonlySet<string>): Removed[] =>
  pages.flatMap(({ data }, page) =>
    data.flatMap((poll, place) => (leaving.has(poll.id) ? [{ page, place, poll }] : [])),
  )

const without = (list: Pages<ListedPoll>, leaving: ReadonlySet<string>): Pages<ListedPoll> => ({
  ...list,
  pages: list.pages.map((page) => ({ ...page, data: page.data.filter(({ id }) => !leaving.has(id)) })),
})

/** A list may have been read again since: then it has them already, or fewer pages. */
function withPolls(list: Pages<ListedPoll>, removed: readonly Removed[]): Pages<ListedPoll> {
  const pages = list.pages.map((page) => ({ ...page, data: [...page.data] }))
  const present = new Set(pages.flatMap(({ data }) => data.map(({ id }) => id)))
  for (const { page, place, poll } of removed) {
    if (!present.has(poll.id)) pages[Math.min(page, pages.length - 1)]?.data.splice(place, 0, poll)
  }
  return { ...list, pages }
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
