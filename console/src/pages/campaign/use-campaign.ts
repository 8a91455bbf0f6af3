import { useQuery } from '@tanstack/react-query'
import type { Campaign } from '../../../../sdk/src/index.ts'
import { useBrand } from '../../session/brand.ts'

/** A campaign in view: the owner's, or the public one, which is all that an analyst may read. */
export type CampaignInView = Campaign

export const campaignKey = (brand: string, campaign: string) => ['brand', brand, 'campaign', campaign] as const

export function useCampaign(id: string) {
  const { slug, tossup, mayEdit } = useBrand()
  return useQuery({
    queryKey: [...campaignKey(slug, id), mayEdit],
    queryFn: ({ signal }): Promise<CampaignInView> =>
      mayEdit ? tossup.getOwnCampaign(id, { signal }) : tossup.getCampaign(id, { signal }),
  })
}
