import { countedTo } from '../../counted-to.ts'
import { isStill } from './still.ts'

/** A toss without bars beside it takes as long as one with them. */
const LENGTH_MS = 450
/** Up fast, a moment at the top, and down again. */
const ARC: Keyframe[] = [
  { translate: '0 0', easing: 'cubic-bezier(.2, .7, .4, 1)' },
  { translate: '0 -2.75rem', offset: 0.42, easing: 'cubic-bezier(.6, 0, .85, .4)' },
  { translate: '0 0', offset: 0.84, easing: 'ease-out' },
  { translate: '0 -.1875rem', offset: 0.92, easing: 'ease-in' },
  { translate: '0 0' },
]

/**
 * Plays a new result: numbers are counted up by the clock of the bars, and the coin is tossed by it. The parts are in their
 * final places all the while, so a change of the result meanwhile changes only where each of them ends.
 */
export function playResult(place: Element): void {
  if (isStill(place)) return
  const show = numbersIn(place)
  // Before the animations are asked for, which lays out the result: then it is laid out once, with the numbers at their beginning.
  show(0)
  const bars = place.querySelector('.fill')?.getAnimations()[0]
  const coin = place.querySelector('.or')
  if (bars) countUp(show, bars)
  else show(1)
  if (coin) toss(coin, bars)
}

/** Returns a function that shows all numbers at one part of their way. */
function numbersIn(place: Element): (part: number) => void {
  const figures = [...place.querySelectorAll('.figure')].map((figure) => ({
    figure,
    goal: figure.textContent ?? '',
    shown: '',
  }))
  return (part) => {
    for (const each of figures) {
      const { textContent: text } = each.figure
      if (each.shown !== '' && text !== each.shown) each.goal = text ?? ''
      each.shown = countedTo(part, each.goal)
      // The same text again would cost a layout, and another text node a new box.
      if (text !== each.shown) (each.figure.firstChild as Text).data = each.shown
    }
  }
}

function countUp(show: (part: number) => void, bars: Animation): void {
  const step = (): void => {
    // Null at the end, in the frame that draws the bars at their full length.
    const part = bars.effect?.getComputedTiming().progress ?? 1
    show(part)
    if (part < 1) requestAnimationFrame(step)
  }
  requestAnimationFrame(() => requestAnimationFrame(step))
}

/** On top of the transition that turns the coin to its side: see coin.css. */
function toss(coin: Element, bars: Animation | undefined): void {
  const duration = Number(bars?.effect?.getComputedTiming().duration ?? LENGTH_MS)
  const axis = coin.matches('.is-tie') ? 'Y' : 'X'
  const turns = coin.animate([{ transform: `rotate${axis}(-720deg)` }, { transform: `rotate${axis}(0)` }], {
    duration,
    easing: 'cubic-bezier(.3, .5, .4, 1)',
  })
  const arc = coin.animate(ARC, duration)
  void bars?.ready.then(
    ({ startTime }) => {
      turns.startTime = startTime
      arc.startTime = startTime
    },
    () => undefined,
  )
}
