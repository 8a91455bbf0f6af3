import { useParams } from '@tanstack/react-router'
import { EditPage } from '../../parts/edit-page.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { readEdited } from './campaign-draft.ts'
import { CampaignForm } from './campaign-form.tsx'

export function EditCampaignPage() {
  const { slug, tossup } = useBrand()
  const { campaign: id = '' } = useParams({ strict: false })
  return (
    <EditPage
      title={campaignWords().editTitle}
      queryKey={['brand', slug, 'campaign', id, 'edit']}
      read={(signal) => readEdited(tossup, id, signal)}
    >
      {(edited) => <CampaignForm edited={edited} />}
    </EditPage>
  )
}
