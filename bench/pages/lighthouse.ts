import { median } from '../statistics.ts'
import type { Target } from '../workloads/targets.ts'

/** Installed on demand: Lighthouse is half as large again as all our packages together, and only one run uses it. */
const LIGHTHOUSE = 'lighthouse'
export const LIGHTHOUSE_MISSING = `Lighthouse is not installed: npm install --no-save ${LIGHTHOUSE}@13.5.0, or LIGHTHOUSE_DIR=FOLDER`

const MOST_BYTES = 30 * 1024
export const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const

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

export type Lighthouse = (url: string, flags: object) => Promise<{ readonly lhr: LighthouseReport }>

export interface Scores {
  readonly page: string
  /** One score for each category, out of 100. */
  readonly scores: readonly number[]
  readonly shift: number
  readonly contentAfterMs: number
  /** Transferred bytes, without pictures. */
  readonly bytes: number
  readonly version: string
}

/** From `LIGHTHOUSE_DIR`, the folder in which it was installed, or from the packages of this repository; null if it is in neither. */
export async function findLighthouse(): Promise<Lighthouse | null> {
  const folder = process.env['LIGHTHOUSE_DIR'] ?? import.meta.dir
  let path: string
  try {
    path = Bun.resolveSync(LIGHTHOUSE, folder)
  } catch {
    return null
  }
  return ((await import(path)) as { default: Lighthouse }).default
}

interface Judging {
  readonly page: string
  readonly url: string
  /** The debugging port of a browser. */
  readonly port: number
  readonly runs: number
  readonly onRun: () => void
}

/** The medians of several runs, each with Lighthouse's simulation of a phone on a slow network. */
export async function judge(lighthouse: Lighthouse, { page, url, port, runs, onRun }: Judging): Promise<Scores> {
  const seen: Scores[] = []
  for (let run = 0; run < runs; run++) {
    const { lhr } = await lighthouse(url, { port, logLevel: 'silent', onlyCategories: CATEGORIES })
    seen.push(scoresOf(page, lhr))
    onRun()
  }
  const middle = (of: (one: Scores) => number) => median(seen.map(of))
  return {
    page,
    scores: CATEGORIES.map((_, i) => middle(({ scores }) => scores[i] ?? Number.NaN)),
    shift: middle(({ shift }) => shift),
    contentAfterMs: middle(({ contentAfterMs }) => contentAfterMs),
    bytes: middle(({ bytes }) => bytes),
    version: seen[0]?.version ?? '',
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

export const scoreTargets = ({ page, scores, shift, bytes }: Scores): Target[] => [
  ...CATEGORIES.map((name, i) => ({ what: `${page}: ${name}`, asked: 100, measured: scores[i] ?? null })),
  { what: `${page}: layout shift`, asked: 0, measured: shift, isCeiling: true },
  { what: `${page}: bytes without pictures`, asked: MOST_BYTES, measured: bytes, isCeiling: true },
]
