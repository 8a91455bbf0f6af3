interface Turn {
  readonly element: Element
  readonly work: () => void
}

const queue: Turn[] = []
/** Whether the queue has grown since it was put in order. */
let isMixed = false
/** A message channel, because browsers delay timers, by a second each in a background tab. */
const { port1, port2 } = new MessageChannel()

port1.onmessage = () => {
  // Read positions before any change to the page: the first read costs a layout, the others nothing.
  if (isMixed) putVisibleFirst()
  isMixed = false
  const turn = queue.shift()
  if (queue.length > 0) port2.postMessage(0)
  turn?.work()
}

/** Does the work in a task of its own: many polls of a page leave time for what the visitor does. */
export function inTurn(element: Element, work: () => void): void {
  isMixed = true
  if (queue.push({ element, work }) === 1) port2.postMessage(0)
}

function putVisibleFirst(): void {
  const seen = new Set<Turn>()
  for (const turn of queue) {
    const { top, bottom } = turn.element.getBoundingClientRect()
    if (bottom >= 0 && top <= innerHeight) seen.add(turn)
  }
  queue.sort((a, b) => Number(seen.has(b)) - Number(seen.has(a)))
}
