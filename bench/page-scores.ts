import { openBrowser } from '../embed/test/browser.ts'
import { newPlace, serve } from '../server/test/command.ts'
import { freePort } from '../server/test/free-port.ts'
import { type BenchArguments, UsageError } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import type { Report } from './measure-workloads.ts'
import { sizesOf, timeVisits } from './page-visits.ts'
import { Progress } from './progress.ts'
import { median } from './statistics.ts'
import { count, formatTable } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'

/** Not a dependency: it is half as large again as all our packages together, and only this run needs it. */
const LIGHTHOUSE = 'lighthouse'
const VERSION = '13.5.0'
const RUNS = 3
const VISITS = 9
const MOST_BYTES = 30 * 1024
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const

interface NetworkItem {
  readonly resourceType: string
  readonly transferSize: number
}

interface LighthouseReport {
  readonly lighthouseVersion: string
  readonly categories: Readonly<Record<(typeof CATEGORIES)[number], { readonly score: number }>>
  readonly audits: Readonly<
    Record<string, { readonly numericValue?: number; readonly details?: { readonly items: readonly NetworkItem[] } }>
  >
}

type Lighthouse = (url: string, flags: object) => Promise<{ readonly lhr: LighthouseReport }>

interface Scores {
  readonly page: string
  /** One score for each category, out of 100. */
  readonly scores: readonly number[]
  readonly shift: number
  readonly contentAfterMs: number
  /** Transferred bytes, without pictures. */
  readonly bytes: number
  readonly version: string
}

/** Runs Lighthouse on the demo's pages, with its simulation of a phone on a slow network. */
export async function measurePageScores({ isQuick }: BenchArguments): Promise<Report> {
  const judge = await findLighthouse()
  const port = String(freePort())
  const place = await newPlace('sqlite')
  atEnd(() => place.clear())
  const server = await serve({ ...place.settings, PORT: port, DEMO: 'true' })
  atEnd(async () => {
    server.kill('SIGTERM')
    await server.ended
  })
  const debugging = freePort()
  const browser = await openBrowser([`--remote-debugging-port=${debugging}`])
  atEnd(() => browser.close())
  const campaigns = await fetch(`${server.url}/api/rest/v1/brands/corner-cafe/campaigns`)
  const [campaign] = ((await campaigns.json()) as { data: { campaignId: string }[] }).data
  const pages = { poll: '/p/tea-or-coffee', campaign: `/c/${campaign?.campaignId}`, brand: '/b/corner-cafe' }
  const runs = isQuick ? 1 : RUNS
  const progress = new Progress(Object.keys(pages).length * runs)
  const scores: Scores[] = []
  for (const [page, path] of Object.entries(pages)) {
    const seen: Scores[] = []
    for (let run = 0; run < runs; run++) {
      const flags = { port: debugging, logLevel: 'silent', onlyCategories: CATEGORIES }
      seen.push(scoresOf(page, (await judge(server.url + path, flags)).lhr))
      progress.advance(1, page)
    }
    scores.push(middleOf(page, seen))
  }
  progress.end()
  const targets = scores.flatMap(targetsOf)
  const urls = Object.entries(pages).map(([page, path]) => [page, server.url + path])
  const times = await timeVisits(browser, Object.fromEntries(urls), isQuick ? 1 : VISITS)
  const table = formatTable(
    ['page', ...CATEGORIES, 'layout shift', 'largest content', 'bytes without pictures'],
    scores.map(({ page, scores: each, shift, contentAfterMs, bytes }) => [
      page,
      ...each.map(String),
      String(shift),
      `${count(contentAfterMs)} ms`,
      count(bytes),
    ]),
  )
  const by = `By Lighthouse ${scores[0]?.version}, as on a phone of the middle class with slow 4G.`
  const sizes = await sizesOf(server.url, pages)
  const text = [by, table, formatTable(targetHead, targets.map(targetRow)), times, sizes].join('\n\n')
  return { text, isRight: true }
}

async function findLighthouse(): Promise<Lighthouse> {
  try {
    return ((await import(LIGHTHOUSE)) as { default: Lighthouse }).default
  } catch {
    throw new UsageError(`--pages needs Lighthouse: npm install --no-save ${LIGHTHOUSE}@${VERSION}`)
  }
}

function scoresOf(page: string, { categories, audits, lighthouseVersion }: LighthouseReport): Scores {
  const loaded = audits['network-requests']?.details?.items ?? []
  return {
    page,
    scores: CATEGORIES.map((name) => Math.round(100 * categories[name].score)),
    shift: audits['cumulative-layout-shift']?.numericValue ?? Number.NaN,
    contentAfterMs: audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
    bytes: loaded
      .filter(({ resourceType }) => resourceType !== 'Image')
      .reduce((sum, { transferSize }) => sum + transferSize, 0),
    version: lighthouseVersion,
  }
}

const middleOf = (page: string, seen: readonly Scores[]): Scores => ({
  page,
  scores: CATEGORIES.map((_, i) => median(seen.map(({ scores }) => scores[i] ?? Number.NaN))),
  shift: median(seen.map(({ shift }) => shift)),
  contentAfterMs: median(seen.map(({ contentAfterMs }) => contentAfterMs)),
  bytes: median(seen.map(({ bytes }) => bytes)),
  version: seen[0]?.version ?? '',
})

const targetsOf = ({ page, scores, shift, bytes }: Scores): Target[] => [
  ...CATEGORIES.slice(0, 3).map((name, i) => ({ what: `${page}: ${name}`, least: 95, measured: scores[i] ?? null })),
  { what: `${page}: layout shift`, least: 0, measured: shift, isCeiling: true },
  { what: `${page}: bytes without pictures`, least: MOST_BYTES, measured: bytes, isCeiling: true },
]
