import type { Page, PollListItem } from '../../../../sdk/src/index.ts'
import { useEndless } from '../../parts/lists/use-endless.ts'
import { useBrand } from '../../session/brand.ts'

export const STATES = ['all', 'open', 'scheduled', 'closed', 'draft', 'archived'] as const
export const ORDERS = ['recent', 'popular', 'closing', 'title'] as const

export interface PollFilters {
  readonly q: string
  readonly state: (typeof STATES)[number]
  readonly order: (typeof ORDERS)[number]
  readonly tag: string
  /** The slug of a category. */
  readonly category: string
}

/** A poll in a list: of the owner, or of the public feed, which is all that an analyst may read. */
export interface ListedPoll extends PollListItem {
  readonly shortId?: string
  readonly isDraft?: boolean
  readonly isPrivate?: boolean
  readonly archivedAt?: string | null
  readonly tags?: readonly string[]
}

const PAGE = 50

/** The key prefix of the lists with any filter. */
export const pollListsKey = (brand: string) => ['brand', brand, 'polls'] as const

function ownQuery({ q, state, order, tag, category }: PollFilters) {
  const query = { q: q || undefined, tag: tag || undefined, category: category || undefined, order, limit: PAGE }
  if (state === 'all') return { ...query, archived: false }
  if (state === 'draft') return { ...query, isDraft: true, archived: false }
  if (state === 'archived') return { ...query, archived: true }
  return { ...query, status: state, isDraft: false, archived: false }
}

function publicQuery({ state, order }: PollFilters) {
  const status = state === 'open' || state === 'closed' ? state : ('all' as const)
  return { status, order: order === 'title' ? ('recent' as const) : order, limit: PAGE }
}

export function usePollPages(filters: PollFilters) {
  const { slug, tossup, mayEdit } = useBrand()
  return useEndless({
    queryKey: [...pollListsKey(slug), mayEdit, filters],
    read: ({ cursor, signal }): Promise<Page<ListedPoll>> =>
      mayEdit
        ? tossup.listOwnPolls({ ...ownQuery(filters), cursor }, { signal }).page()
        : tossup.listPublicPolls(slug, { ...publicQuery(filters), cursor }, { signal }).page(),
  })
}

/** The tags of polls, each once in one case, by the alphabet. */
export const tagsOf = (polls: readonly Pick<ListedPoll, 'tags'>[]): string[] => {
  const tags = new Map(polls.flatMap(({ tags = [] }) => tags.map((tag) => [tag.toLowerCase(), tag] as const)))
  return [...tags.values()].sort((a, b) => a.localeCompare(b))
}
