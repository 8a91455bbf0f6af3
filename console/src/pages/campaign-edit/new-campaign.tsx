import { Page } from '../../parts/page.tsx'
import { NoPermission } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { CampaignForm } from './campaign-form.tsx'

export function NewCampaignPage() {
  const { mayEdit } = useBrand()
  if (!mayEdit)
    return (
      <Page title={campaignWords().newTitle}>
        <NoPermission />
      </Page>
    )
  return (
    <Page title={campaignWords().newTitle}>
      <CampaignForm edited={null} />
    </Page>
  )
}
