import { CONFIG } from '../../config.ts'
import { frameSnippet, reactSnippet, ShareDialog, scriptSnippet } from '../../parts/polls/share-dialog.tsx'
import { campaignWords } from '../../words/campaign-words.ts'
import type { CampaignInView } from './use-campaign.ts'

interface ShareProps {
  readonly campaign: CampaignInView
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function ShareCampaign({ campaign: { campaignId: id, title, state }, isOpen, onClose }: ShareProps) {
  const its = campaignWords()
  const { origin } = CONFIG
  const shared = {
    url: `${origin}/c/${id}`,
    path: `/c/${id}`,
    fileName: `campaign-${id}`,
    script: scriptSnippet(origin, `<tossup-campaign campaign="${id}"></tossup-campaign>`),
    frame: frameSnippet({ url: `${origin}/embed/campaign/${id}`, title, holds: 'campaign' }),
    react: reactSnippet(origin, 'Campaign', `<Campaign campaign="${id}" />`),
    rest: `curl ${origin}/api/rest/v1/campaigns/${id}`,
  }
  const refusal = state === 'published' ? null : its.shareDraft
  const texts = { title: its.shareTitle, script: its.scriptText, rest: its.restText, refusal }
  return <ShareDialog shared={shared} texts={texts} isOpen={isOpen} onClose={onClose} />
}
