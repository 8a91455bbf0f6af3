import { ForbiddenPage, Page } from '../../parts/page.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { CampaignForm } from './campaign-form.tsx'

export function NewCampaignPage() {
  const { mayEdit } = useBrand()
  if (!mayEdit) return <ForbiddenPage title={campaignWords().newTitle} />
  return (
    <Page title={campaignWords().newTitle}>
      <CampaignForm edited={null} />
    </Page>
  )
}
