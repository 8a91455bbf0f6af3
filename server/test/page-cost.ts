import type { Page } from 'playwright-core'
import { CHOICE } from './embed-site.ts'
import { SLOWDOWN, workOf } from './main-thread.ts'

/** The bytes that the browser receives while `act` runs, with headers. */
export async function bytesOf(page: Page, act: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page)
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await session.send('Network.enable')
  await act()
  await session.detach()
  return bytes
}

/** The longest task of the main thread while `act` runs, on a phone four times slower. */
export async function longestTaskMs(page: Page, act: () => Promise<unknown>): Promise<number> {
  const { tasks } = await workOf(page, act)
  return SLOWDOWN * Math.max(...tasks.map(({ cpuMs }) => cpuMs))
}

/** A task whose work is always the same: it parses, lays out and measures a list. */
const YARDSTICK = `scheduler.postTask(() => {
  const list = document.createElement('ul')
  document.body.append(list)
  for (let round = 0; round < 20; round++) {
    list.innerHTML = Array.from({ length: 50 }, (_, i) => '<li><b>' + round + '</b> tea or coffee, ' + i + '?</li>').join('')
    list.getBoundingClientRect()
  }
  list.remove()
})`

/** How long the same work takes on a phone four times slower than this machine: to compare machines. */
export async function yardstickMs(page: Page): Promise<number> {
  return longestTaskMs(page, () => page.evaluate(YARDSTICK))
}

/** The time of the yardstick on the phone that the limits are meant for. */
const YARDSTICK_OF_PHONE_MS = 200

/** The limit where this machine is so slow, or so busy beside its work, that the phone is not four times slower: the same part of the yardstick. */
export const limitHere = (mostMs: number, yardsticks: readonly number[]): number =>
  mostMs * Math.max(1, Math.min(...yardsticks) / YARDSTICK_OF_PHONE_MS)

/** Main-thread cost of each frame, in milliseconds on a phone four times slower. */
export interface FrameCosts {
  /** From the finger's touch to the frame that shows it. */
  readonly pressMs: number
  /** From the tap to the frame with its result. */
  readonly resultMs: number
  /** The frames of the motion that follows. */
  readonly medianMs: number
  readonly slowestMs: number
  readonly frames: number
}

/** Resolves when the result has stopped moving. Installed before the trace, so that nothing else runs within it. */
const FOLLOW = `window.still = new Promise((resolve) => {
  const root = document.querySelector('tossup-poll').shadowRoot
  const frame = () => new Promise((next) => requestAnimationFrame(next))
  addEventListener('pointerdown', () => performance.mark('press'), { capture: true, once: true })
  addEventListener('click', async () => {
    performance.mark('tap')
    await frame()
    await Promise.all(root.getAnimations().map(({ finished }) => finished))
    await frame()
    resolve()
  }, { capture: true, once: true })
})
0`

/** A finger stays on a button for about this long. */
const TOUCH_MS = 80

/** Presses choice A of the page's poll and follows the motion of its result to the end. */
export async function costOfVote(page: Page): Promise<FrameCosts> {
  await page.locator(CHOICE.A).hover()
  await page.evaluate(FOLLOW)
  const still = page.evaluate('window.still')
  const { tasks, framesMs, marksMs } = await workOf(page, async () => {
    await page.mouse.down()
    // Real time: the touch has a frame of its own before the tap.
    await new Promise((resolve) => setTimeout(resolve, TOUCH_MS))
    await page.mouse.up()
    await still
  })
  const between = (from: number, until: number) =>
    SLOWDOWN * tasks.reduce((sum, { atMs, cpuMs }) => (atMs >= from && atMs < until ? sum + cpuMs : sum), 0)
  /** The start of the task that contains the mark. */
  const startOf = (name: string) =>
    tasks.findLast(({ atMs }) => atMs <= (marksMs[name] ?? Number.NaN))?.atMs ?? Number.NaN
  const [press, tap] = [startOf('press'), startOf('tap')]
  const frames = framesMs.filter((at) => at > tap)
  const [result = Number.NaN, ...motion] = frames.map((until, i) => between(frames[i - 1] ?? tap, until))
  motion.sort((a, b) => a - b)
  return {
    pressMs: between(press, framesMs.find((at) => at > press) ?? Number.NaN),
    resultMs: result,
    medianMs: motion[motion.length >> 1] ?? Number.NaN,
    slowestMs: motion.at(-1) ?? Number.NaN,
    frames: motion.length,
  }
}
