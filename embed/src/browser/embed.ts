import { hearFrames, tellHost } from './frames.ts'
import { TossupPoll } from './tossup-poll.ts'

// A page may well name the script twice.
if (!customElements.get('tossup-poll')) {
  customElements.define('tossup-poll', TossupPoll)
  hearFrames(new URL(import.meta.url).origin)
  if (window.parent !== window && document.documentElement.hasAttribute('data-tossup-frame')) tellHost()
}
