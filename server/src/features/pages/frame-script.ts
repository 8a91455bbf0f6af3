import { type Html, html } from '../../../../embed/src/render/html.ts'
import { wordsOf } from '../../../../embed/src/words.ts'
import type { Subject } from './page.ts'

/**
 * Every host that `embedOrigins` allows to frame the poll receives its events. Each message has the height, because the
 * script of the host may miss the first ones, and the colour scheme: a frame of another scheme than its page has an opaque
 * ground. No message makes the frame show a vote: the only one that it hears asks for its height again.
 *
 * WordPress frames what it gets by oEmbed in a sandbox and passes a secret in the address: its script then sets the height,
 * and opens a link to the site of the frame, which the sandbox forbids. Where that script comes after the frame, it adds the
 * secret then, and says `ready`.
 *
 * In a sandbox without an origin nothing can be stored: a tap on an answer leads to the page of the poll, if the frame holds the note that says so.
 */
export const FRAME_SCRIPT = `if (parent !== window) {
let height
const secretOf = () => /[#&?]secret=([a-zA-Z0-9]+)/.exec(location.hash)?.[1]
const tell = (message) => parent.postMessage({ source: 'tossup', height, scheme: getComputedStyle(document.documentElement).colorScheme, ...message }, '*')
const tellWordPress = (message, value) => {
const secret = secretOf()
if (secret && value) parent.postMessage({ message, value, secret }, '*')
}
addEventListener('hashchange', () => tellWordPress('height', height))
addEventListener('message', ({ source, data }) => {
if (source === parent && data?.message === 'ready' && data.secret === secretOf()) tellWordPress('height', height)
})
for (const type of ['ready', 'voted', 'step', 'completed', 'error'])
document.addEventListener('tossup:' + type, ({ detail }) => tell({ type, detail }))
new ResizeObserver(() => {
height = document.documentElement.offsetHeight
tell({ type: 'height' })
tellWordPress('height', height)
}).observe(document.documentElement)
if (self.origin === 'null') {
document.documentElement.dataset.storage = 'none'
addEventListener('click', (event) => {
const [target] = event.composedPath()
const link = document.querySelector('.elsewhere a')
if (!link || !target.closest?.('[data-option], .elsewhere a')) return
event.stopImmediatePropagation()
if (secretOf() || target !== link) event.preventDefault()
if (secretOf()) tellWordPress('link', link.href)
else if (target !== link) open(link.href, '_blank', 'noopener')
link.focus()
}, true)
}
}`

/** Shown where the frame cannot remember a vote, unless the brand allows such votes or a code counts once anyway. The address can be read and copied where no link opens. */
export function elsewhereNote(
  { address, isOpen, isByCode, theme }: Subject,
  lang: string,
  source: string | null,
): Html | '' {
  if (!isOpen || isByCode || theme.embedStorage === 'ALLOW') return ''
  const shown = address.replace(/^https?:\/\//, '')
  // The vote on that page came from the place of this frame.
  const link = source ? `${address}?source=${source}` : address
  return html`<p class="elsewhere"><span id="elsewhere">${wordsOf(lang).forgetful}</span> <a href="${link}" target="_blank" rel="noopener" aria-describedby="elsewhere" dir="ltr">${shown}</a></p>`
}
