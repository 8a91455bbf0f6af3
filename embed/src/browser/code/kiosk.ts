import { DEVICE_KEY } from '../../../../sdk/src/device.ts'
import type { Order } from '../../poll-view.ts'
import { html } from '../../render/html.ts'
import { directionOf, langOf, wordsOf } from '../../words.ts'
import { patch } from '../patch.ts'
import { isStill } from '../result/still.ts'
import type { TossupElement } from '../tossup-element.ts'
import { pageStore } from '../votes/page-store.ts'
import { noted } from '../votes/voted-polls.ts'
import { forgetAllCodes, takeLinkedCode } from './known-codes.ts'

/** How long the result is shown; a campaign shows that of its last poll before all of them. */
const LOOK_MS = 8_000
const LAST_STEP_MS = 4_000
/** Someone has left without a vote. */
const IDLE_MS = 60_000
const ACTIVITY = ['pointerdown', 'keydown', 'input', 'scroll']
/** The keys under which something is kept of a person: in memory, because a kiosk has `storage="none"`. */
const KEYS = [DEVICE_KEY, 'tossup.voted', 'tossup.orders']

/** An element at which one person votes after another, each with a code of their own. */
export function attendKiosk(element: TossupElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDone = false
  let way: HTMLElement | null = null

  const rest = (): void => {
    clearTimeout(timer)
    if (!element.isConnected) return
    const last = element.localName === 'tossup-campaign' ? LAST_STEP_MS : 0
    timer = setTimeout(next, isDone ? last + LOOK_MS : IDLE_MS)
    showWay()
  }

  const next = (): void => {
    clearTimeout(timer)
    isDone = false
    way = null
    for (const part of element.root.querySelectorAll('.code')) part.remove()
    forgetEverything()
    element.restart()
  }

  /** Always the last part, also after the cards of a campaign's end have come. A button that is being pressed stays where it is. */
  const showWay = (): void => {
    if (!isDone) return
    way ??= makeWay(element, next)
    if (element.inside.lastElementChild !== way) element.inside.append(way)
    for (const animation of way.getAnimations({ subtree: true })) animation.currentTime = 0
  }

  for (const type of ACTIVITY) addEventListener(type, rest, { capture: true, passive: true })
  element.addEventListener(element.localName === 'tossup-campaign' ? 'tossup:completed' : 'tossup:voted', () => {
    isDone = true
    rest()
  })
  // Nobody leaves it by a link.
  element.root.addEventListener('click', (event) => (event.target as Element).closest('a') && event.preventDefault())
  element.setAttribute('storage', 'none')
  element.setAttribute('hideafter', '')
  forgetEverything()
}

function makeWay(element: TossupElement, onPress: () => void): HTMLElement {
  const way = document.createElement('nav')
  const { language } = element
  const { nextPerson } = wordsOf(language)
  way.className = 'code is-next'
  way.lang = langOf(language)
  way.dir = directionOf(language)
  way.setAttribute('aria-label', nextPerson)
  const name = `go-on${isStill(element.inside) ? '' : ' is-timed'}`
  patch(way, html`<button class="${name}" type="button">${nextPerson}</button>`.toString())
  way.querySelector('button')?.addEventListener('click', onPress)
  return way
}

/** Nothing of the last person is left: no code, no device, no vote. */
function forgetEverything(): void {
  takeLinkedCode()
  forgetAllCodes()
  noted.clear()
  for (const key of KEYS) void pageStore.setItem(key, '')
  const { tossupOrders = {} } = globalThis as { tossupOrders?: Record<string, Order> }
  for (const poll of Object.keys(tossupOrders)) delete tossupOrders[poll]
}
