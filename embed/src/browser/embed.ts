import { TossupPoll } from './tossup-poll.ts'

// Behind the poll: in this order the script is packed smaller.

import { TossupCampaign, TossupFeed } from './lists/tossup-lists.ts'
import { once } from './once.ts'
import { share, withAfter } from './parts.ts'
import { voter } from './service.ts'

// A page may include the script twice.
if (!customElements.get('tossup-poll')) {
  share(once)
  customElements.define('tossup-poll', TossupPoll)
  customElements.define('tossup-campaign', TossupCampaign)
  customElements.define('tossup-feed', TossupFeed)
  // The part that hears our frames is loaded when the first of them speaks.
  addEventListener('message', (message) => {
    if (message.origin === voter.url && message.data?.source === 'tossup') {
      withAfter(({ hearFrame }) => hearFrame(message))
    }
  })
}
