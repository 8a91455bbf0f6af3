import type { PollTallies } from '../../../sdk/src/openapi.ts'
import { hasResults, renderStage, type StagePoll } from '../render/render-stage.ts'
import { directionOf, type Lang, learn, type Words, wordsOf } from '../words.ts'
import { API } from './address-of.ts'
import { patch } from './patch.ts'

/** The service streams so many polls over one connection. */
const MOST_STREAMED = 50
/** After a refused stream, until the next attempt. */
const AGAIN_MS = 5_000
const SECOND = 1_000
/** How long the buttons stay after a pointer has moved. */
const SEEN_MS = 3_000
/** A finger that moves less taps; one that moves further swipes. */
const TAP_PX = 10
const SWIPE_PX = 40
const SMALLEST = 0.4
const STEP = 0.05

/** The page's data: see features/pages/stage. */
interface Given {
  readonly polls: StagePoll[]
  /** The poll that the page shows first. */
  readonly at: number
  readonly lang: Lang
  readonly words: Words
  readonly stage: { readonly scan: string; readonly hideResults: string; readonly lost: string }
  readonly brand: string
  readonly home: string
  readonly campaign: string | null
  /** Whether the results of each poll wait until the presenter shows them. */
  readonly isConcealed: boolean
}

const find = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement
const given = JSON.parse(find('#given').textContent) as Given
const { polls, lang, stage } = given
learn(lang, given.words)

const [board, lost, controls] = [find('.board'), find('.lost'), find('.controls')]
const gone = new Set<string>()
/** An address with the number of a poll opens that poll, also after a reload. */
const wished = Number(location.hash.slice(1)) - 1
let at = polls[wished] ? wished : given.at
let { isConcealed } = given
let shown = ''

function show(): void {
  const poll = polls[at]
  if (!poll) return
  const { unavailable, showResults } = wordsOf(lang)
  const view = { ...given, scan: stage.scan, at, total: polls.length, isConcealed, now: Date.now() }
  const inside = renderStage(poll, view)
  if (inside !== shown) {
    patch(board, inside)
    shown = inside
    makeFit()
  }
  document.title = poll.title
  lost.textContent = gone.has(poll.slug) ? unavailable : stage.lost
  if (gone.has(poll.slug)) lost.hidden = false
  const results = find('[data-do="results"]')
  results.textContent = isConcealed ? showResults : stage.hideResults
  results.toggleAttribute('disabled', !hasResults(poll))
  find('[data-do="back"]').toggleAttribute('disabled', at === 0)
  find('[data-do="next"]').toggleAttribute('disabled', at === polls.length - 1 && !isWaiting())
}

/** The largest type with which the whole poll is seen; below the smallest the page scrolls. */
function makeFit(): void {
  const { style } = document.documentElement
  for (let size = 1; size >= SMALLEST; size -= STEP) {
    style.setProperty('--fit', String(size))
    if (board.scrollHeight <= board.clientHeight + 1) return
  }
}

function isWaiting(): boolean {
  const poll = polls[at]
  return poll !== undefined && isConcealed && hasResults(poll)
}

function go(to: number): void {
  if (!polls[to]) return
  at = to
  isConcealed = given.isConcealed
  lost.hidden = source !== null && source.readyState === EventSource.OPEN
  history.replaceState(null, '', `#${at + 1}`)
  if (!streamed.includes(polls[at]?.slug ?? '')) listen()
  show()
}

const actions: Record<string, () => void> = {
  // One key is enough to present: it shows results that wait, then the next poll.
  next: () => (isWaiting() ? actions['results']?.() : go(at + 1)),
  back: () => go(at - 1),
  results: () => {
    isConcealed = !isConcealed
    show()
  },
  full: () =>
    void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
}

const [ahead, behind] = directionOf(lang) === 'rtl' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
/** Remote controls of presenters send the keys of pages, and `b` or a point for a dark screen. */
const KEYS: Record<string, string> = {
  [ahead]: 'next',
  ArrowDown: 'next',
  PageDown: 'next',
  ' ': 'next',
  Enter: 'next',
  [behind]: 'back',
  ArrowUp: 'back',
  PageUp: 'back',
  Backspace: 'back',
  r: 'results',
  b: 'results',
  '.': 'results',
  f: 'full',
}

addEventListener('keydown', (event) => {
  const { key, target } = event
  // A button or link that has the focus is pressed.
  const isPress = (key === ' ' || key === 'Enter') && (target as Element).closest('button, a')
  const action = actions[KEYS[key.length === 1 ? key.toLowerCase() : key] ?? '']
  if (!action || isPress || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
  event.preventDefault()
  action()
})

controls.addEventListener('click', ({ target }) => {
  const name = (target as Element).closest<HTMLElement>('[data-do]')?.dataset['do']
  actions[name ?? '']?.()
})

let began: PointerEvent | null = null
board.addEventListener('pointerdown', (event) => {
  began = event.pointerType === 'mouse' ? null : event
})
board.addEventListener('pointerup', (event) => {
  if (!began || (event.target as Element).closest('a')) return
  const [x, y] = [event.clientX - began.clientX, event.clientY - began.clientY]
  const way = directionOf(lang) === 'rtl' ? -x : x
  if (Math.hypot(x, y) < TAP_PX || way < -SWIPE_PX) actions['next']?.()
  else if (way > SWIPE_PX) actions['back']?.()
})

let hiding: ReturnType<typeof setTimeout> | undefined
addEventListener('pointermove', ({ movementX, movementY }) => {
  // A browser also tells of a pointer that rests, after the page below it has changed.
  if (!movementX && !movementY) return
  controls.toggleAttribute('data-seen', true)
  clearTimeout(hiding)
  hiding = setTimeout(() => controls.removeAttribute('data-seen'), SEEN_MS)
})

let source: EventSource | null = null
let streamed: readonly string[] = []

function listen(): void {
  source?.close()
  const from = Math.max(0, Math.min(at, polls.length - MOST_STREAMED))
  streamed = polls.slice(from, from + MOST_STREAMED).map(({ slug }) => slug)
  const opened = new EventSource(`${API}/tallies/stream?polls=${streamed}`)
  source = opened
  opened.onopen = () => {
    lost.hidden = true
    show()
  }
  opened.onerror = () => {
    lost.hidden = false
    // A browser reconnects by itself, but not after a refusal.
    if (opened.readyState === EventSource.CLOSED && gone.size < polls.length)
      setTimeout(() => opened === source && listen(), AGAIN_MS)
  }
  opened.addEventListener('tallies', ({ data }) => {
    const { slug, status, tallies }: PollTallies = JSON.parse(data)
    const known = polls.findIndex((poll) => poll.slug === slug)
    const poll = polls[known]
    if (poll) polls[known] = { ...poll, status, tallies }
    show()
  })
  opened.addEventListener('gone', ({ data }) => {
    gone.add(JSON.parse(data).poll)
    show()
  })
}

/** Where it is refused, the screen sleeps as it does on other pages. */
const stayAwake = (): void => {
  if (!document.hidden) navigator.wakeLock?.request('screen').catch(() => undefined)
}

find('[data-do="full"]').hidden = !document.fullscreenEnabled
for (const name of ['back', 'next']) find(`[data-do="${name}"]`).hidden = polls.length < 2
controls.hidden = polls.length === 0
if (polls.length > 0) {
  listen()
  show()
  stayAwake()
  // Times until the close or the opening.
  setInterval(show, SECOND)
  addEventListener('resize', makeFit)
  document.addEventListener('visibilitychange', stayAwake)
  void document.fonts.ready.then(makeFit)
}
