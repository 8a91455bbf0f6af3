import { isStill } from './still.ts'

const LENGTH_MS = 450

/** Counts the numbers of a new result up to what they say. A number that changes meanwhile is counted up to its new value. */
export function countUp(place: Element): void {
  if (isStill()) return
  const figures = [...place.querySelectorAll('.figure')].map((figure) => ({
    figure,
    goal: percentIn(figure),
    shown: '',
  }))
  const start = performance.now()
  const step = (now: number): void => {
    const part = 1 - (1 - Math.min(1, (now - start) / LENGTH_MS)) ** 3
    for (const each of figures) {
      if (each.shown !== '' && each.figure.textContent !== each.shown) each.goal = percentIn(each.figure)
      each.shown = `${Math.round(part * each.goal)}%`
      // The same text again would cost a layout.
      if (each.figure.textContent !== each.shown) each.figure.textContent = each.shown
    }
    if (part > 0 && part < 1) requestAnimationFrame(step)
  }
  // The frame with the result is laid out once, with the numbers at their beginning.
  step(start)
  requestAnimationFrame(() => requestAnimationFrame(step))
}

const percentIn = ({ textContent }: Element): number => Number.parseInt(textContent ?? '', 10) || 0
