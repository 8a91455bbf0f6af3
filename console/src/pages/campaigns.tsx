import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Campaign, Page as ListPage } from '../../../sdk/src/index.ts'
import { Icon } from '../parts/icons.tsx'
import { EndlessList } from '../parts/lists/endless-rows.tsx'
import { useEndless } from '../parts/lists/use-endless.ts'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useBrand } from '../session/brand.ts'
import { campaignWords } from '../words/campaign-words.ts'
import { filled, fromNow, isolated } from '../words/words.ts'
import { CampaignBadge } from './campaigns/campaign-state.tsx'

const PAGE = 20

const idOf = ({ campaignId }: Campaign): string => campaignId
const rowOf = (campaign: Campaign) => <CampaignRow campaign={campaign} />

export function CampaignsPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const its = campaignWords()
  const pages = useEndless({
    queryKey: ['brand', slug, 'campaigns', mayEdit],
    // An analyst may read what is public.
    read: ({ cursor, signal }): Promise<ListPage<Campaign>> =>
      mayEdit
        ? tossup.listOwnCampaigns({ cursor, limit: PAGE }, { signal }).page()
        : tossup.listPublicCampaigns(slug, { cursor, limit: PAGE }, { signal }).page(),
  })
  const newCampaign = mayEdit && (
    <Button
      renderRoot={(props) => <Link {...props} to="/$brand/campaigns/new" params={{ brand: slug }} />}
      leftSection={<Icon name="plus" />}
    >
      {its.new}
    </Button>
  )
  return (
    <Page title={its.title} text={its.text} actions={newCampaign}>
      <EndlessList
        label={its.title}
        pages={pages}
        idOf={idOf}
        rowHeight={84}
        empty={
          <Empty icon="campaigns" title={its.empty} text={mayEdit ? its.emptyText : its.emptyPublic}>
            {newCampaign}
          </Empty>
        }
      >
        {rowOf}
      </EndlessList>
    </Page>
  )
}

function CampaignRow({ campaign }: { readonly campaign: Campaign }) {
  const { slug } = useBrand()
  const its = campaignWords()
  const { campaignId, title, polsts, createdAt, isPublic } = campaign
  const notes = [fromNow(createdAt), ...(isPublic ? [] : [its.unlisted])]
  return (
    <Link
      to="/$brand/campaigns/$campaign"
      params={{ brand: slug, campaign: campaignId }}
      className="poll-row campaign-row"
    >
      <span className="poll-row-words">
        <bdi className="poll-row-title">{title}</bdi>
        <span className="poll-row-notes">{notes.join(' · ')}</span>
      </span>
      <span className="poll-row-split poll-row-notes">
        <bdi>{polsts.map((poll) => isolated(poll.title ?? '')).join(' · ')}</bdi>
      </span>
      <span className="poll-row-votes">
        {polsts.length === 1 ? its.pollOne : filled(its.polls, { count: polsts.length })}
      </span>
      <span className="poll-row-state">
        <CampaignBadge campaign={campaign} />
      </span>
    </Link>
  )
}
