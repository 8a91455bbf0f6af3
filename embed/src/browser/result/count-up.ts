import { countedTo } from '../../counted-to.ts'
import { isStill } from './still.ts'

const LENGTH_MS = 450

/** Counts the numbers of a new result up to what they say. A number that changes meanwhile is counted up to its new value. */
export function countUp(place: Element): void {
  if (isStill()) return
  const figures = [...place.querySelectorAll('.figure')].map((figure) => ({
    figure,
    goal: figure.textContent ?? '',
    shown: '',
  }))
  const start = performance.now()
  const show = (part: number): void => {
    for (const each of figures) {
      const { textContent: text } = each.figure
      if (each.shown !== '' && text !== each.shown) each.goal = text ?? ''
      each.shown = countedTo(part, each.goal)
      // The same text again would cost a layout.
      if (text !== each.shown) each.figure.textContent = each.shown
    }
  }
  const step = (now: number): void => {
    // Some browsers round their clocks, so that a frame may seem to come before the start.
    const share = Math.min(1, Math.max(0, (now - start) / LENGTH_MS))
    show(1 - (1 - share) ** 3)
    if (share < 1) requestAnimationFrame(step)
  }
  // The frame with the result is laid out once, with the numbers at their beginning.
  show(0)
  requestAnimationFrame(() => requestAnimationFrame(step))
}
