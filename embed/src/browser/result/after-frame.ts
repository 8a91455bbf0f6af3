/** A page in the background draws nothing, and a slow one draws late: then it goes on without. */
const MOST_MS = 60
const IDLE_MS = 300
/** After this time without an idle moment, the work no longer waits for one. */
const MOST_IDLE_MS = 1_000

/** Resolves when the next frame is drawn, or the page is left. */
export const afterFrame = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, MOST_MS)
    // Without a prototype, which a script of the page may have extended by a `signal`.
    addEventListener('pagehide', () => resolve(), { __proto__: null, once: true } as AddEventListenerOptions)
  })

let last = Promise.resolve()

/** One work a frame: many polls on a page make no long one. */
export const inFrameOfItsOwn = (work: () => void): void => {
  last = last.then(afterFrame).then(work)
}

/** Safari has no idle callbacks, and Chromium makes none in a frame of another site that draws nothing, until something happens there. */
export const whenIdle = (work: () => void): void =>
  void (globalThis.requestIdleCallback ?? ((late) => setTimeout(late, IDLE_MS)))(work, { timeout: MOST_IDLE_MS })
