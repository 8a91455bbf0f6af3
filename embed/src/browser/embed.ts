import { TossupPoll } from './tossup-poll.ts'

// Behind the poll: in this order the script is packed smaller.

import { hearFrames, tellHost } from './frames.ts'
import { TossupCampaign, TossupFeed } from './lists/tossup-lists.ts'
import { once } from './once.ts'
import { share } from './parts.ts'
import { voter } from './service.ts'

// A page may include the script twice.
if (!customElements.get('tossup-poll')) {
  share(once)
  customElements.define('tossup-poll', TossupPoll)
  customElements.define('tossup-campaign', TossupCampaign)
  customElements.define('tossup-feed', TossupFeed)
  hearFrames(voter.url)
  if (parent !== window && document.documentElement.hasAttribute('data-tossup-frame')) tellHost()
}
