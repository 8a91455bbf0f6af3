interface Turn {
  readonly element: Element
  readonly work: () => void
}

const queue: Turn[] = []
/** Whether the queue has grown since it was put in order. */
let isMixed = false
/** Not a timer: browsers delay those, in a background tab by a second each. */
const { port1, port2 } = new MessageChannel()

port1.onmessage = () => {
  // Before anything is changed: the first look at places costs a layout, those after it nothing.
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
