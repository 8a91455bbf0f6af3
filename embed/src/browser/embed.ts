import { hearFrames, tellHost } from './frames.ts'
import { TossupCampaign } from './tossup-campaign.ts'
import { TossupFeed } from './tossup-feed.ts'
import { TossupPoll } from './tossup-poll.ts'

// A page may include the script twice.
if (!customElements.get('tossup-poll')) {
  customElements.define('tossup-poll', TossupPoll)
  customElements.define('tossup-campaign', TossupCampaign)
  customElements.define('tossup-feed', TossupFeed)
  hearFrames(new URL(import.meta.url).origin)
  if (window.parent !== window && document.documentElement.hasAttribute('data-tossup-frame')) tellHost()
}
