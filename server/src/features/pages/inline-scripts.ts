// Scripts inside of pages. Each runs before the first paint, so that nothing shifts.

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
