import { Badge } from '@mantine/core'
import type { Campaign } from '../../../../sdk/src/index.ts'
import { StateBadge } from '../../parts/polls/poll-parts.tsx'
import { campaignWords } from '../../words/campaign-words.ts'

interface BadgeProps {
  readonly campaign: Campaign
}

/** The state of a campaign in the words of polls: only a published one has opened or will. */
export const CampaignBadge = ({ campaign: { state, status } }: BadgeProps) => (
  <StateBadge state={state === 'published' ? status : state} />
)

export function CampaignBadges({ campaign }: BadgeProps) {
  return (
    <>
      {!campaign.isPublic && (
        <Badge variant="outline" color="gray" tt="none">
          {campaignWords().unlisted}
        </Badge>
      )}
      <CampaignBadge campaign={campaign} />
    </>
  )
}
