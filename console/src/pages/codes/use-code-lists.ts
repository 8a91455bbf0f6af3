import { useQuery } from '@tanstack/react-query'
import type { CodeList, OwnedCampaign, OwnedPoll } from '../../../../sdk/src/index.ts'
import { useBrand } from '../../session/brand.ts'

const ASK_EVERY_MS = 10_000

export const codeListsKey = (brand: string) => ['brand', brand, 'code lists'] as const

/** All lists of the brand, which has at most 100. */
export function useCodeLists() {
  const { slug, tossup, mayEdit } = useBrand()
  return useQuery({
    queryKey: codeListsKey(slug),
    queryFn: async ({ signal }): Promise<CodeList[]> =>
      (await tossup.listCodeLists({ limit: 100 }, { signal }).page()).data,
    enabled: mayEdit,
    refetchInterval: ASK_EVERY_MS,
  })
}

/** One list, whose counts change as people vote. */
export function useCodeList(id: string) {
  const { slug, tossup, mayEdit } = useBrand()
  return useQuery({
    queryKey: [...codeListsKey(slug), id],
    queryFn: ({ signal }) => tossup.getCodeList(id, { signal }),
    enabled: mayEdit,
    refetchInterval: ASK_EVERY_MS,
  })
}

/** A poll or a campaign that asks for codes of a list. */
export interface CodePlace {
  readonly kind: 'poll' | 'campaign'
  readonly id: string
  readonly title: string
  readonly shareUrl: string
  /** The address that people type from a printed slip. */
  readonly typedUrl: string
  readonly votes: number
  readonly isPublished: boolean
}

/** A short readable name is easier to type than the mixed letters of `shortId`; a long one is not. */
const MOST_TYPED = 20

const pollPlace = ({ shortId, slug, title, shareUrl, tallies, isDraft }: OwnedPoll): CodePlace => ({
  kind: 'poll',
  id: shortId,
  title,
  shareUrl,
  typedUrl: slug.length <= MOST_TYPED ? new URL(`/p/${slug}`, shareUrl).href : shareUrl,
  votes: tallies.total,
  isPublished: !isDraft,
})

/** A campaign has its page beside those of its polls. */
const campaignPlace = ({ campaignId, title, state }: OwnedCampaign, [first]: readonly OwnedPoll[]): CodePlace => {
  const shareUrl = new URL(`/c/${campaignId}`, first?.shareUrl).href
  return {
    kind: 'campaign',
    id: campaignId,
    title,
    shareUrl,
    typedUrl: shareUrl,
    votes: 0,
    isPublished: state === 'published',
  }
}

const isLive = ({ archivedAt }: OwnedPoll) => archivedAt === null

/** The polls of a list, and the campaigns that show one of them. The interface filters neither by list: reading ends with the last of its polls. */
export function useCodePlaces({ codeListId, polls }: Pick<CodeList, 'codeListId' | 'polls'>) {
  const { slug, tossup, mayEdit } = useBrand()
  return useQuery({
    queryKey: [...codeListsKey(slug), codeListId, 'places', polls],
    queryFn: async ({ signal }): Promise<CodePlace[]> => {
      const found: OwnedPoll[] = []
      for await (const poll of tossup.listOwnPolls({ limit: 100 }, { signal })) {
        if (poll.codeListId === codeListId) found.push(poll)
        if (found.length === polls) break
      }
      const ids = new Set(found.map(({ id }) => id))
      const campaigns: OwnedCampaign[] = []
      for await (const campaign of tossup.listOwnCampaigns({ limit: 100 }, { signal }))
        if (campaign.state !== 'archived' && campaign.polsts.some(({ id }) => ids.has(id))) campaigns.push(campaign)
      return [...found.filter(isLive).map(pollPlace), ...campaigns.map((campaign) => campaignPlace(campaign, found))]
    },
    enabled: mayEdit && polls > 0,
  })
}
