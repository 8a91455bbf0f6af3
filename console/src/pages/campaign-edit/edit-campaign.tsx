import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { Failed, Loading, NoPermission } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { CampaignForm } from './campaign-form.tsx'

export function EditCampaignPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const { campaign: id = '' } = useParams({ strict: false })
  // Read once: what was typed must not be replaced under its author.
  const campaign = useQuery({
    queryKey: ['brand', slug, 'campaign', id, 'edit'],
    queryFn: ({ signal }) => tossup.getOwnCampaign(id, { signal }),
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
      <Page title={campaignWords().editTitle}>
        <NoPermission />
      </Page>
    )
  return (
    <Page title={campaignWords().editTitle}>
      {campaign.isPending && <Loading />}
      {campaign.error && <Failed error={campaign.error} onRetry={() => void campaign.refetch()} />}
      {campaign.data && <CampaignForm campaign={campaign.data} />}
    </Page>
  )
}
