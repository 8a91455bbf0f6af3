import { openWholeBrowser } from '../../embed/test/browser.ts'
import { newPlace, serve } from '../../server/test/command.ts'
import { freePort } from '../../server/test/free-port.ts'
import type { BenchArguments } from '../arguments.ts'
import { atEnd } from '../clean-up.ts'
import { Progress } from '../progress.ts'
import { count, formatTable } from '../table.ts'
import type { Report } from '../workloads/measure-workloads.ts'
import { targetTable } from '../workloads/targets.ts'
import { CATEGORIES, findLighthouse, judge, LIGHTHOUSE_MISSING, type Scores, scoreTargets } from './lighthouse.ts'
import { measureManyPolls, measureMotion } from './page-costs.ts'
import { sizesOf, timeVisits } from './page-visits.ts'

const LIGHTHOUSE_RUNS = 3
const VISITS = 9

/** The demo's pages in a browser: scores, times, costs and sizes. Without Lighthouse everything but its scores. */
export async function measurePages({ isQuick }: BenchArguments): Promise<Report> {
  const lighthouse = await findLighthouse()
  if (!lighthouse) process.stderr.write(`${LIGHTHOUSE_MISSING}\n`)
  const place = await newPlace('sqlite')
  atEnd(() => place.clear())
  const server = await serve({ ...place.settings, PORT: String(freePort()), DEMO: 'true' })
  atEnd(async () => {
    server.kill('SIGTERM')
    await server.ended
  })
  const port = freePort()
  const browser = await openWholeBrowser([`--remote-debugging-port=${port}`])
  atEnd(() => browser.close())
  const { demo } = server.said
  if (!demo) throw new Error('the server has no demo')
  const pages = { poll: '/p/tea-or-coffee', campaign: `/c/${demo.campaignId}`, brand: `/b/${demo.brand}` }
  const runs = isQuick ? 1 : LIGHTHOUSE_RUNS
  const progress = new Progress(lighthouse ? Object.keys(pages).length * runs : 1)
  const scores: Scores[] = []
  for (const [page, path] of Object.entries(lighthouse ? pages : {})) {
    const onRun = () => progress.advance(1, page)
    if (lighthouse) scores.push(await judge(lighthouse, { page, url: server.url + path, port, runs, onRun }))
  }
  progress.end()
  const visits = isQuick ? 1 : VISITS
  const subject = { browser, url: server.url, key: demo, visits }
  const motion = await measureMotion(subject)
  const many = await measureManyPolls(subject)
  const targets = [...scores.flatMap(scoreTargets), ...motion.targets, ...many.targets]
  const parts = [
    lighthouse ? scoreTable(scores, runs) : LIGHTHOUSE_MISSING,
    await timeVisits(browser, { origin: server.url, pages, visits }),
    motion.text,
    many.text,
    targetTable(targets),
    await sizesOf(server.url, pages),
  ]
  return { text: parts.join('\n\n'), isRight: true, isWhole: lighthouse !== null }
}

function scoreTable(scores: readonly Scores[], runs: number): string {
  const rows = scores.map(({ page, scores: each, shift, contentAfterMs, bytes }) => [
    page,
    ...each.map(String),
    String(shift),
    `${count(contentAfterMs)} ms`,
    count(bytes),
  ])
  const head = ['page', ...CATEGORIES, 'layout shift', 'largest content', 'bytes without pictures']
  const by = `By Lighthouse ${scores[0]?.version}, as on a phone of the middle class with slow 4G, median of ${runs}:`
  return `${by}\n\n${formatTable(head, rows)}`
}
