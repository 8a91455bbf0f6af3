import { Button, Stack } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { Icon } from '../../parts/icons.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { BackTo, Page, PendingPage } from '../../parts/page.tsx'
import { PublishedNote, wasPublished } from '../../parts/results/published-note.tsx'
import { Sources } from '../../parts/results/sources.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { CampaignBadges } from '../campaigns/campaign-state.tsx'
import { CampaignActions } from './campaign-actions.tsx'
import { Crosstab } from './crosstab.tsx'
import { CampaignFunnel } from './funnel.tsx'
import { Responses } from './responses.tsx'
import { type CampaignInView, campaignKey, useCampaign } from './use-campaign.ts'

const ShareCampaign = lazyPart(async () => (await import('./share-campaign.tsx')).ShareCampaign)
const ResultsLinks = lazyPart(async () => (await import('../../parts/results/results-links.tsx')).ResultsLinks)

export function CampaignPage() {
  const { campaign: id = '' } = useParams({ strict: false })
  const campaign = useCampaign(id)
  if (campaign.isPending || campaign.error) return <PendingPage title={campaignWords().title} query={campaign} />
  return <OneCampaign key={campaign.data.campaignId} campaign={campaign.data} />
}

function OneCampaign({ campaign }: { readonly campaign: CampaignInView }) {
  const { slug, tossup, mayEdit } = useBrand()
  const [shown, setShown] = useState<'share' | 'results' | null>(null)
  // It stays, so that closing it gives the focus back.
  const [isShareLoaded, setIsShareLoaded] = useState(false)
  const [isNoted, setIsNoted] = useState(wasPublished)
  const close = () => setShown(null)
  const share = () => {
    setIsShareLoaded(true)
    setShown('share')
  }
  const its = campaignWords()
  const actions = (
    <>
      {campaign.state !== 'draft' && (
        <Button variant="default" leftSection={<Icon name="share" size={16} />} onClick={share}>
          {its.share}
        </Button>
      )}
      {mayEdit && (
        <Button
          variant={campaign.state === 'draft' ? 'default' : 'filled'}
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
      <CampaignActions campaign={campaign} onPublished={() => setIsNoted(true)} />
    </>
  )
  return (
    <Page
      title={campaign.title}
      text={campaign.description ?? undefined}
      badges={<CampaignBadges campaign={campaign} />}
      above={<BackTo list="campaigns">{its.title}</BackTo>}
      actions={actions}
    >
      <Stack gap="md">
        {isNoted && campaign.state === 'published' && (
          <PublishedNote
            opensAt={campaign.status === 'scheduled' ? campaign.opensAt : null}
            onShare={share}
            onClose={() => setIsNoted(false)}
          />
        )}
        <CampaignFunnel campaign={campaign} />
        <Crosstab campaign={campaign} />
        <Sources
          queryKey={[...campaignKey(slug, campaign.campaignId), 'sources']}
          read={(signal) => tossup.getCampaignSources(campaign.campaignId, {}, { signal })}
          label={null}
        />
        <Responses campaign={campaign} />
      </Stack>
      <Suspense>
        {isShareLoaded && (
          <ShareCampaign
            campaign={campaign}
            isOpen={shown === 'share'}
            onClose={close}
            onResults={() => setShown('results')}
          />
        )}
        {shown === 'results' && <ResultsLinks of={{ kind: 'campaign', id: campaign.campaignId }} onClose={close} />}
      </Suspense>
    </Page>
  )
}
