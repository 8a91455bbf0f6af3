import { openWholeBrowser } from '../embed/test/browser.ts'
import { systemClock } from '../server/src/base/clock.ts'
import { transaction } from '../server/src/db/transaction.ts'
import { emailKey } from '../server/src/features/people/email.ts'
import { cookieName } from '../server/src/features/people/session-cookie.ts'
import { startSession } from '../server/src/features/people/sessions.ts'
import { addMember, addPerson } from '../server/src/features/people/use-link.ts'
import { inDatabase, OwnerClient } from '../server/test/child-service.ts'
import { eventually } from '../server/test/eventually.ts'
import { freePort } from '../server/test/free-port.ts'
import { ADMIN_URL } from '../server/test/own-database.ts'
import type { BenchArguments, EngineName } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { type ConsoleVisit, type Prepare, scrollToTheEnd, visitConsole } from './console-visits.ts'
import { fillFirstPoll, fillPolls } from './fill.ts'
import { hasPostgres } from './has-postgres.ts'
import {
  findLighthouse,
  judgeSignedIn,
  LIGHTHOUSE_MISSING,
  SIGNED_IN_CATEGORIES,
  type SignedInScores,
  signedInTargets,
} from './lighthouse.ts'
import type { Report } from './measure-workloads.ts'
import { Progress } from './progress.ts'
import { startTossup, type TossupSubject } from './subjects.ts'
import { count, formatTable } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'

const POLLS = 10_000
const DAYS = 30
const VISITS = 3
const MOST_MS = 1_000
/** The browser reports tasks from here on. */
const LONG_TASK_MS = 50

/** How soon each page of the console is usable, and how smoothly it scrolls, of a brand with many polls and many votes. */
export async function measureConsole({ engine, most, isQuick }: BenchArguments): Promise<Report> {
  const engines: EngineName[] = engine === null ? ['sqlite', 'postgres'] : [engine]
  const progress = new Progress(engines.length * most)
  const parts: string[] = []
  const targets: Target[] = []
  for (const name of engines) {
    if (name === 'postgres' && !(await hasPostgres(ADMIN_URL))) {
      process.stdout.write('PostgreSQL does not answer: its part is skipped\n')
      continue
    }
    const { visits, scores } = await measureEngine(name, { votes: most, progress, visits: isQuick ? 1 : VISITS })
    parts.push(`${name}, ${count(POLLS)} polls, one with ${count(most)} votes:\n\n${tableOf(visits)}`)
    // The pages are the same with another database.
    if (name === engines[0]) parts.push(scores === null ? LIGHTHOUSE_MISSING : scoreTable(scores))
    targets.push(...targetsOf(name, visits), ...(name === engines[0] ? (scores ?? []).flatMap(signedInTargets) : []))
  }
  progress.end()
  return { text: [...parts, formatTable(targetHead, targets.map(targetRow))].join('\n\n'), isRight: true }
}

const tableOf = (visits: readonly ConsoleVisit[]): string =>
  formatTable(
    ['page', 'usable, ms', 'longest task, load', 'longest task, scrolling', 'elements', 'requests'],
    visits.map(({ page, usableMs, loadTaskMs, scrollTaskMs, elements, requests }) => [
      page,
      ...[usableMs, loadTaskMs].map(count),
      scrollTaskMs === 0 ? `none over ${LONG_TASK_MS}` : count(scrollTaskMs),
      ...[elements, requests].map(count),
    ]),
  )

const scoreTable = (scores: readonly SignedInScores[]): string =>
  formatTable(
    ['page, by Lighthouse', ...SIGNED_IN_CATEGORIES],
    scores.map(({ page, scores: each }) => [page, ...each.map(String)]),
  )

const targetsOf = (engine: EngineName, visits: readonly ConsoleVisit[]): Target[] => [
  {
    what: `${engine}: the slowest page is usable`,
    least: MOST_MS,
    measured: Math.max(...visits.map(({ usableMs }) => usableMs)),
    isCeiling: true,
    unit: ' ms',
  },
  {
    what: `${engine}: the longest task while a page is scrolled`,
    least: LONG_TASK_MS,
    measured: Math.max(...visits.map(({ scrollTaskMs }) => scrollTaskMs)),
    isCeiling: true,
    unit: ' ms',
  },
]

interface Filling {
  readonly votes: number
  readonly visits: number
  readonly progress: Progress
}

interface Measured {
  readonly visits: readonly ConsoleVisit[]
  /** Null without Lighthouse. */
  readonly scores: readonly SignedInScores[] | null
}

async function measureEngine(engine: EngineName, { votes, visits, progress }: Filling): Promise<Measured> {
  const made = await startTossup(engine)
  // Before the votes: then the ledger writes the respondents, and nothing has to find them afterwards.
  const campaign = await makeCampaign(made)
  await made.pause()
  await fillPolls(made.home, POLLS)
  await fillFirstPoll(made.home, { votes, days: DAYS, onStored: (stored) => progress.advance(stored, engine) })
  const cookie = { name: cookieName('http://localhost'), value: await signIn(made) }
  const subject = await made.restart()
  await funnelCounted(subject, campaign)
  const port = freePort()
  const browser = await openWholeBrowser([`--remote-debugging-port=${port}`])
  atEnd(() => browser.close())
  const pages = pagesOf(subject, campaign)
  const seen: ConsoleVisit[] = []
  for (const { name, url, prepare } of pages) {
    const asked = { browser, cookie: { ...cookie, url: subject.url }, name, url, visits }
    seen.push(await visitConsole({ ...asked, ...(prepare && { prepare }) }))
  }
  const lighthouse = await findLighthouse()
  const scores: SignedInScores[] = []
  const login = { name: 'sign-in', url: `${subject.url}/console/login`, isSignedOut: true }
  for (const { name: page, url, isSignedOut } of lighthouse ? [login, ...pages] : []) {
    if (lighthouse)
      scores.push(await judgeSignedIn(lighthouse, { page, url, port, cookie: isSignedOut ? null : cookie }))
  }
  await browser.close()
  await subject.stop()
  return { visits: seen, scores: lighthouse ? scores : null }
}

interface ConsolePlace {
  readonly name: string
  readonly url: string
  readonly prepare?: Prepare
  readonly isSignedOut?: boolean
}

function pagesOf({ url, owner }: TossupSubject, campaign: string): ConsolePlace[] {
  const brand = `${url}/console/${owner.brandSlug}`
  const hot = `${brand}/polls/hot`
  return [
    { name: 'overview', url: brand },
    { name: 'polls', url: `${brand}/polls` },
    { name: 'polls, all of them read', url: `${brand}/polls`, prepare: scrollToTheEnd },
    { name: 'polls by votes', url: `${brand}/polls?order=popular` },
    { name: 'a poll of many votes', url: hot },
    { name: 'its form', url: `${hot}/edit` },
    { name: 'a new poll', url: `${brand}/polls/new` },
    { name: 'campaigns', url: `${brand}/campaigns` },
    { name: 'a campaign', url: `${brand}/campaigns/${campaign}` },
    { name: 'a new campaign', url: `${brand}/campaigns/new` },
    { name: 'theme', url: `${brand}/theme` },
    { name: 'webhooks', url: `${brand}/webhooks` },
    { name: 'keys', url: `${brand}/keys` },
    { name: 'people', url: `${brand}/people` },
    { name: 'activity', url: `${brand}/activity` },
  ]
}

const EMAIL = 'owner@bench.test'

/** The secret of a session of an owner. */
const signIn = ({ home, owner: { brandKey } }: TossupSubject): Promise<string> =>
  inDatabase(home, ({ engine, keys }) =>
    transaction(engine, async (tx) => {
      const now = systemClock.now()
      const personKey = await addPerson(tx, { email: EMAIL, emailKey: emailKey(EMAIL), isProven: true, now })
      if (personKey === null) throw new Error(`${EMAIL} has an account`)
      await addMember(tx, { brandKey, personKey, role: 'owner', now })
      return startSession({ keys, clock: systemClock }, tx, { personKey, userAgent: 'the bench' })
    }),
  )

const COUNTED_WITHIN_MS = 600_000

/** Asks as an app of the brand. */
async function askingAs({ url, owner }: TossupSubject) {
  const { headers } = await OwnerClient.connect(url, owner)
  return async <Data>(path: string, init: RequestInit = {}): Promise<Data> => {
    const answer = await fetch(`${url}/api/rest/v1/brands/me${path}`, {
      ...init,
      headers: { ...headers, ...init.headers },
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return ((await answer.json()) as { data: Data }).data
  }
}

/** Of the poll that gets the votes and nine others. */
async function makeCampaign(subject: TossupSubject): Promise<string> {
  const ask = await askingAs(subject)
  const slugs = ['hot', ...Array.from({ length: 9 }, (_, i) => `spread-0${i}`)]
  const polstIds = await Promise.all(slugs.map(async (slug) => (await ask<{ id: string }>(`/polls/${slug}`)).id))
  const { campaignId } = await ask<{ campaignId: string }>('/campaigns', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Service-Idempotency-Key': crypto.randomUUID() },
    body: JSON.stringify({ title: 'Measured', state: 'published', polstIds }),
  })
  return campaignId
}

/** It is counted in the background. */
async function funnelCounted(subject: TossupSubject, campaignId: string): Promise<void> {
  const ask = await askingAs(subject)
  const read = () => ask<{ progress: { isComplete: boolean } }>(`/campaigns/${campaignId}/funnel`)
  await eventually(async () => (await read()).progress.isComplete, { withinMs: COUNTED_WITHIN_MS, everyMs: 200 })
}
