import { Button, Stack } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { CampaignBadges } from '../campaigns/campaign-state.tsx'
import { CampaignActions } from './campaign-actions.tsx'
import { CampaignFunnel } from './funnel.tsx'
import { Responses } from './responses.tsx'
import { ShareCampaign } from './share-campaign.tsx'
import { type CampaignInView, useCampaign } from './use-campaign.ts'

export function CampaignPage() {
  const { campaign: id = '' } = useParams({ strict: false })
  const campaign = useCampaign(id)
  if (campaign.isPending || campaign.error)
    return (
      <Page title={campaignWords().title}>
        {campaign.error ? <Failed error={campaign.error} onRetry={() => void campaign.refetch()} /> : <Loading />}
      </Page>
    )
  return <OneCampaign key={campaign.data.campaignId} campaign={campaign.data} />
}

function OneCampaign({ campaign }: { readonly campaign: CampaignInView }) {
  const { slug, mayEdit } = useBrand()
  const [isSharing, setIsSharing] = useState(false)
  const its = campaignWords()
  const above = (
    <Link to="/$brand/campaigns" params={{ brand: slug }} className="back">
      <Icon name="back" size={16} /> {its.title}
    </Link>
  )
  const actions = (
    <>
      <Button variant="default" leftSection={<Icon name="share" size={16} />} onClick={() => setIsSharing(true)}>
        {its.share}
      </Button>
      {mayEdit && (
        <Button
          renderRoot={(props) => (
            <Link
              {...props}
              to="/$brand/campaigns/$campaign/edit"
              params={{ brand: slug, campaign: campaign.campaignId }}
            />
          )}
        >
          {its.edit}
        </Button>
      )}
      <CampaignActions campaign={campaign} />
    </>
  )
  return (
    <Page
      title={campaign.title}
      text={campaign.description ?? undefined}
      badges={<CampaignBadges campaign={campaign} />}
      above={above}
      actions={actions}
    >
      <Stack gap="md">
        <CampaignFunnel campaign={campaign} />
        <Responses campaign={campaign} />
      </Stack>
      <ShareCampaign campaign={campaign} isOpen={isSharing} onClose={() => setIsSharing(false)} />
    </Page>
  )
}
