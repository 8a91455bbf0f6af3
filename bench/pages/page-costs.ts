import type { Browser, Page } from 'playwright-core'
import { OwnerClient } from '../../server/test/child-service.ts'
import { HEAR, untilTold } from '../../server/test/embed-site.ts'
import { HOST_POLICY, HostSite } from '../../server/test/host-site.ts'
import { bytesOf, costOfVote, type FrameCosts, longestTaskMs } from '../../server/test/page-cost.ts'
import { atEnd } from '../clean-up.ts'
import { median } from '../statistics.ts'
import { count, formatTable, milliseconds } from '../table.ts'
import type { Target } from '../workloads/targets.ts'

const POLLS = 20
const MOST_BYTES = 60 * 1024
const LONG_TASK_MS = 50
const FRAME_MS = 16

interface Subject {
  readonly browser: Browser
  readonly url: string
  readonly key: { readonly apiKeyId: string; readonly apiKeySecret: string }
  readonly visits: number
}

interface Measured {
  readonly text: string
  readonly targets: readonly Target[]
}

async function asVisitor<T>(browser: Browser, look: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  try {
    return await look(await context.newPage())
  } finally {
    await context.close()
  }
}

/** A vote by a touch: on a poll with pictures, and on one without. */
export async function measureMotion({ browser, url, key, visits }: Subject): Promise<Measured> {
  const owner = await OwnerClient.connect(url, key)
  await owner.createPoll('no-pictures')
  const rows: string[][] = []
  const targets: Target[] = []
  for (const [what, slug] of Object.entries({ pictures: 'mountains-or-sea', words: 'no-pictures' })) {
    const seen: FrameCosts[] = []
    for (let i = 0; i < visits; i++) {
      seen.push(
        await asVisitor(browser, async (page) => {
          await page.goto(`${url}/p/${slug}?hideAfter`, { waitUntil: 'networkidle' })
          return costOfVote(page)
        }),
      )
    }
    const middle = (of: (costs: FrameCosts) => number) => median(seen.map(of))
    const frames = {
      press: middle(({ pressMs }) => pressMs),
      result: middle(({ resultMs }) => resultMs),
      'median of the motion': middle(({ medianMs }) => medianMs),
      'slowest frame': middle(({ slowestMs }) => slowestMs),
    }
    rows.push([what, ...Object.values(frames).map((ms) => `${milliseconds(ms)} ms`)])
    for (const [name, measured] of Object.entries(frames))
      targets.push({ what: `frame with ${what}: ${name}`, asked: FRAME_MS, measured, isCeiling: true, unit: ' ms' })
  }
  const head = ['a vote on a poll of', 'press', 'result', 'median of the motion', 'slowest frame']
  const text = `What a frame costs the main thread on a phone four times slower than this machine (computed from its processor time), median of ${visits}:`
  return { text: `${text}\n\n${formatTable(head, rows)}`, targets }
}

/** Twenty elements on a page of another site. */
export async function measureManyPolls({ browser, url, key, visits }: Subject): Promise<Measured> {
  const owner = await OwnerClient.connect(url, key)
  const names = Array.from({ length: POLLS }, (_, i) => `poll-${i}`)
  for (const name of names) await owner.createPoll(name)
  const host = new HostSite(HOST_POLICY(url))
  atEnd(host.stop)
  const elements = names.map((name) => `<tossup-poll poll="${name}"></tossup-poll>`)
  host.body = `<script type="module" src="${url}/embed.js"></script>${elements.join('<p>Text between two polls.</p>')}`
  const open = async (page: Page) => {
    await page.goto(host.url)
    await untilTold(page, 'ready', POLLS)
  }
  const visit = (measure: (page: Page) => Promise<number>) =>
    asVisitor(browser, async (page) => {
      await page.addInitScript(HEAR)
      return measure(page)
    })
  const bytes = await visit((page) => bytesOf(page, () => open(page)))
  const tasks: number[] = []
  for (let i = 0; i < visits; i++) tasks.push(await visit((page) => longestTaskMs(page, () => open(page))))
  const task = median(tasks)
  const text = `${POLLS} polls on a page of another site, nothing cached: ${count(bytes)} bytes without pictures; the longest task takes ${milliseconds(task)} ms on a phone four times slower, median of ${visits}.`
  return {
    text,
    targets: [
      { what: `${POLLS} polls: bytes without pictures`, asked: MOST_BYTES, measured: bytes, isCeiling: true },
      { what: `${POLLS} polls: longest task`, asked: LONG_TASK_MS, measured: task, isCeiling: true, unit: ' ms' },
    ],
  }
}
