// Scripts inside of pages. Each runs before the first paint, so that nothing shifts.

import { type Html, html } from '../../../../embed/src/render/html.ts'
import { wordsOf } from '../../../../embed/src/words.ts'
import type { Subject } from './page.ts'

/** Shows the ways to share that the browser has. */
export const SHARE_SCRIPT = `{
const row = document.currentScript.parentElement
const [share, copy] = row.querySelectorAll('button')
const said = row.querySelector('p')
const { url, copied } = row.dataset
share.hidden = !navigator.share
copy.hidden = !navigator.clipboard
share.onclick = () => navigator.share({ title: document.title, url }).catch(() => {})
copy.onclick = () => {
said.textContent = ''
navigator.clipboard.writeText(url).then(() => { said.textContent = copied }, () => {})
}
}`

/**
 * A page can be tapped before `/embed.js` has arrived and the poll's state is known: such a tap has no effect. So the first tap
 * is repeated until the element shows a choice, for ten seconds. Each check is made in the turn of the tap, so that a vote that
 * was refused is not sent again.
 */
export const EARLY_TAP_SCRIPT = `{
const early = (event) => {
const option = event.composedPath()[0].closest?.('[data-option]')
if (!option) return
removeEventListener('click', early, true)
const isTaken = () => option.closest('.options')?.querySelector('[aria-pressed="true"]')
let left = 100
const press = () => {
if (isTaken() || !option.isConnected || option.ariaDisabled || left-- === 0) return
option.click()
if (!isTaken()) setTimeout(press, 100)
}
setTimeout(press)
}
addEventListener('click', early, true)
}`

/**
 * Draws the order of each poll with `optionOrder: random` before the first paint, because the page is the same for all visitors.
 * Inline and directly behind the element, so that nothing shifts; without scripts the order is the one of the page. `/embed.js`
 * takes the drawn orders from here and stores them: see order-of.ts. Without storage, the order is drawn again at each visit.
 */
export const ORDER_SCRIPT = `{
const element = document.currentScript.previousElementSibling
const orders = window.tossupOrders = {}
let kept = ''
try {
if (element.getAttribute('storage') !== 'none') kept = localStorage.getItem('tossup.orders') ?? ''
} catch {}
for (const options of element.shadowRoot?.querySelectorAll('[data-random]') ?? []) {
const id = options.getAttribute('aria-labelledby').replace('tossup-', '')
orders[id] = kept.match(id + ':(AB|BA)')?.[1] ?? (Math.random() < 0.5 ? 'AB' : 'BA')
if (orders[id] === 'BA') options.prepend(options.children[1])
}
}`

/**
 * Takes the code of a link (`#code=`) out of the address before anything else runs, so that it is in no shared address, bookmark or
 * picture of the screen. `/embed.js` finds it in `tossupCode`. Where the address cannot be changed, in a sandbox without an
 * origin, the code is used all the same.
 */
export const CODE_SCRIPT = `{
const take = () => {
const code = /[#&?]code=([^&]*)/.exec(location.hash)?.[1]
if (code === undefined) return
try { window.tossupCode = decodeURIComponent(code) } catch { window.tossupCode = code }
const rest = location.hash.replace(/([#&?])code=[^&]*&?/, '$1').replace(/[#&?]+$/, '')
try { history.replaceState(history.state, '', location.pathname + location.search + rest) } catch {}
}
take()
addEventListener('hashchange', take)
}`

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
