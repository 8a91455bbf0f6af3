import { expectStatus, OwnerClient } from '../server/test/child-service.ts'
import { ADMIN_URL } from '../server/test/own-database.ts'
import type { BenchArguments, EngineName } from './arguments.ts'
import { fillVoters } from './fill.ts'
import { hasPostgres } from './has-postgres.ts'
import type { Report } from './measure-workloads.ts'
import { timeUrls } from './pages.ts'
import { Progress } from './progress.ts'
import { startTossup } from './subjects.ts'
import { count, formatTable, milliseconds } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'

const POLLS = 5
const PAGE = 20
const DEEP = 500
const LARGEST_PAGE = 100
const LOOK_EVERY_MS = 100

interface Measured {
  readonly engine: EngineName
  readonly voters: number
  readonly walkSeconds: number
  readonly isRight: boolean
  /** The first, the 500th and the last page, in milliseconds. */
  readonly pages: readonly number[]
  /** How long it took until all votes were in the funnel, and a request for it in milliseconds. */
  readonly funnelSeconds: number
  readonly funnel: number
}

/** Polls that already have all votes join a campaign: how long its respondents take, and the cost of a page of them. */
export async function measureResponses({ engine, most }: BenchArguments): Promise<Report> {
  const engines: EngineName[] = engine === null ? ['sqlite', 'postgres'] : [engine]
  const progress = new Progress(engines.length * most)
  const measured: Measured[] = []
  for (const name of engines) {
    if (name === 'postgres' && !(await hasPostgres(ADMIN_URL)))
      process.stdout.write('PostgreSQL does not answer: its part is skipped\n')
    else measured.push(await measureEngine(name, { voters: Math.floor(most / POLLS), progress }))
  }
  progress.end()
  const head = [
    '',
    'votes',
    'respondents',
    'found in s',
    'votes/s',
    'first page ms',
    '500th',
    'last',
    'funnel ms',
    'behind by s',
  ]
  const rows = measured.map(({ engine: name, voters, walkSeconds, pages, funnel, funnelSeconds }) => [
    name,
    ...[count(voters * POLLS), count(voters), walkSeconds.toFixed(1), count((voters * POLLS) / walkSeconds)],
    ...[...pages, funnel].map(milliseconds),
    funnelSeconds.toFixed(1),
  ])
  const targets = formatTable(targetHead, measured.flatMap(targetsOf).map(targetRow))
  return { text: `${formatTable(head, rows)}\n\n${targets}`, isRight: measured.every(({ isRight }) => isRight) }
}

function targetsOf({ engine, pages }: Measured): Target[] {
  const spread = Math.max(...pages) / Math.min(...pages)
  return [
    {
      what: `${engine}: the slowest of these pages against the fastest`,
      least: 1.5,
      measured: spread,
      isCeiling: true,
    },
    { what: `${engine}: the slowest of them`, least: 20, measured: Math.max(...pages), isCeiling: true, unit: ' ms' },
  ]
}

async function measureEngine(
  engine: EngineName,
  { voters, progress }: { voters: number; progress: Progress },
): Promise<Measured> {
  const made = await startTossup(engine)
  const client = await OwnerClient.connect(made.url, made.owner)
  const slugs = Array.from({ length: POLLS }, (_, i) => `step-${i + 1}`)
  const polls: string[] = []
  for (const slug of slugs) polls.push(await client.createPoll(slug))
  await made.pause()
  const onStored = (votes: number) => progress.advance(votes, `${engine}, filling ${count(voters * POLLS)}`)
  await fillVoters(made.home, slugs, { voters, onStored })
  const subject = await made.restart()
  const campaign = `${subject.url}/api/rest/v1/brands/me/campaigns/${await owned(subject, polls)}`
  const { headers } = client
  const startedAt = performance.now()
  await waitForRespondents(campaign, headers)
  const walkSeconds = (performance.now() - startedAt) / 1_000
  const { isRight: isFunnelRight, seconds: funnelSeconds } = await waitForFunnel(campaign, headers, voters)
  const { urls, isRight } = await pageUrls(`${campaign}/responses`, headers, voters)
  const pages = await timeUrls(urls, headers)
  const [funnel = 0] = await timeUrls([`${campaign}/funnel`], headers)
  await subject.stop()
  return { engine, voters, walkSeconds, isRight: isRight && isFunnelRight, pages, funnel, funnelSeconds }
}

const owned = async ({ url, owner }: Awaited<ReturnType<typeof startTossup>>, polls: readonly string[]) =>
  (await OwnerClient.connect(url, owner)).createCampaign(polls)

async function waitForRespondents(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  for (;;) {
    const { data } = (await expectStatus(await fetch(url, { headers }), 200)) as {
      data: { responsesProgress: { isComplete: boolean } }
    }
    if (data.responsesProgress.isComplete) return
    await Bun.sleep(LOOK_EVERY_MS)
  }
}

/** Every voter voted on every step. */
async function waitForFunnel(url: string, headers: Readonly<Record<string, string>>, voters: number) {
  const startedAt = performance.now()
  for (;;) {
    const { data } = (await expectStatus(await fetch(`${url}/funnel`, { headers }), 200)) as {
      data: { completed: number; respondents: number; progress: { isComplete: boolean } }
    }
    if (data.progress.isComplete) {
      const isRight = data.completed === voters && data.respondents === voters
      return { isRight, seconds: (performance.now() - startedAt) / 1_000 }
    }
    await Bun.sleep(LOOK_EVERY_MS)
  }
}

/** Found by following `nextCursor` with large pages. Each respondent must appear once, with all votes. */
async function pageUrls(url: string, headers: Readonly<Record<string, string>>, voters: number) {
  const seen = new Set<string>()
  const starts = new Map<number, string>([[0, url]])
  let votes = 0
  for (let at = 0, next: string | null = ''; next !== null; at += LARGEST_PAGE) {
    if (next) starts.set(at, `${url}?cursor=${next}`)
    const address: string = `${url}?limit=${LARGEST_PAGE}${next && `&cursor=${next}`}`
    const page = (await expectStatus(await fetch(address, { headers }), 200)) as {
      data: { respondentId: string; totalVotes: number }[]
      nextCursor: string | null
    }
    for (const { respondentId, totalVotes } of page.data) {
      seen.add(respondentId)
      votes += totalVotes
    }
    next = page.nextCursor
  }
  const from = (row: number) => starts.get(row - (row % LARGEST_PAGE)) ?? url
  const deep = Math.min((DEEP - 1) * PAGE, Math.max(0, voters - 2 * LARGEST_PAGE))
  const isRight = seen.size === voters && votes === voters * POLLS
  return { urls: [url, from(deep), from(voters - 1)], isRight }
}
