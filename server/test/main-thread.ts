import type { Page } from 'playwright-core'

interface TraceEvent {
  readonly cat: string
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  /** The time that the thread computed, in microseconds: others who use the processor do not add to it. */
  readonly tdur?: number
}

export interface Work {
  /** The tasks of the page's main thread, in the order of time. */
  readonly tasks: readonly { readonly atMs: number; readonly cpuMs: number }[]
  /** When the page handed a frame to the compositor. */
  readonly framesMs: readonly number[]
  /** The page's own `performance.mark`s, by name. */
  readonly marksMs: Readonly<Record<string, number>>
}

const USER_TIMING = 'blink.user_timing'
const CATEGORIES = ['toplevel', USER_TIMING, 'devtools.timeline', 'disabled-by-default-devtools.timeline']
const MARK = 'the main thread of the page'

/** A phone that is slower than this machine by this factor. */
export const SLOWDOWN = 4

/** Main-thread work while `act` runs. A slower processor is calculated: a throttled one would measure its own throttling. */
export async function workOf(page: Page, act: () => Promise<unknown>): Promise<Work> {
  const browser = page.context().browser()
  if (!browser) throw new Error('the page has no browser')
  await browser.startTracing(page, { categories: CATEGORIES })
  await act()
  await page.evaluate(`performance.mark(${JSON.stringify(MARK)})`)
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const mark = traceEvents.find(({ name }) => name === MARK)
  if (!mark) throw new Error('the trace does not say which thread is that of the page')
  const own = traceEvents.filter(({ pid, tid }) => pid === mark.pid && tid === mark.tid).sort((a, b) => a.ts - b.ts)
  const tasks = own.filter(({ name, ph, tdur }) => name === 'RunTask' && ph === 'X' && tdur !== undefined)
  if (tasks.length === 0) throw new Error('the trace has no tasks')
  const start = own[0]?.ts ?? 0
  const atMs = (ts: number) => (ts - start) / 1000
  return {
    tasks: tasks.map(({ ts, tdur = 0 }) => ({ atMs: atMs(ts), cpuMs: tdur / 1000 })),
    framesMs: own.filter(({ name }) => name === 'Commit').map(({ ts }) => atMs(ts)),
    marksMs: Object.fromEntries(own.filter(({ cat }) => cat === USER_TIMING).map(({ name, ts }) => [name, atMs(ts)])),
  }
}
