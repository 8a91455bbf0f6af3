import { CONFIG } from '../../config.ts'
import { OtherWays } from '../../parts/polls/other-ways.tsx'
import {
  frameSnippet,
  reactSnippet,
  ShareDialog,
  type Shared,
  scriptSnippet,
  sourcedBy,
} from '../../parts/polls/share-dialog.tsx'
import { campaignWords } from '../../words/campaign-words.ts'
import type { CampaignInView } from './use-campaign.ts'

interface ShareProps {
  readonly campaign: CampaignInView
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onResults: () => void
}

export function ShareCampaign({ campaign: { campaignId: id, title, state }, isOpen, onClose, onResults }: ShareProps) {
  const its = campaignWords()
  const { origin } = CONFIG
  const sharedAt = (source: string | null): Shared => {
    const { query, attribute } = sourcedBy(source)
    return {
      url: `${origin}/c/${id}${query}`,
      script: scriptSnippet(origin, `<tossup-campaign campaign="${id}"${attribute}></tossup-campaign>`),
      frame: frameSnippet({ url: `${origin}/embed/campaign/${id}${query}`, title, holds: 'campaign' }),
      react: reactSnippet(origin, 'Campaign', `<Campaign campaign="${id}"${attribute} />`),
      rest: `curl ${origin}/api/rest/v1/campaigns/${id}`,
    }
  }
  const refusal = state === 'published' ? null : its.shareDraft
  const texts = { title: its.shareTitle, script: its.scriptText, rest: its.restText, refusal }
  return (
    <ShareDialog
      path={`/c/${id}`}
      fileName={`campaign-${id}`}
      sharedAt={sharedAt}
      texts={texts}
      isOpen={isOpen}
      onClose={onClose}
    >
      <OtherWays stage={`/c/${id}/stage`} onResults={onResults} />
    </ShareDialog>
  )
}
