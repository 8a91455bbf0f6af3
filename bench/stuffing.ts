import { randomInt, randomUUID } from 'node:crypto'
import { hasChromium, openWholeBrowser } from '../embed/test/browser.ts'
import { solveChallenge } from '../sdk/src/solve-challenge.ts'
import { expectStatus, OwnerClient } from '../server/test/child-service.ts'
import type { BenchArguments } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import type { Report } from './measure-workloads.ts'
import { Progress } from './progress.ts'
import { startTossup, type TossupSubject } from './subjects.ts'
import { count, formatTable } from './table.ts'

const AT_ONCE = 16
const MANY_POLLS = 20
/** The limits of a server without settings; the attackers write their addresses into X-Forwarded-For. */
const SETTINGS = {
  TRUSTED_PROXIES: '127.0.0.1,::1',
  VOTES_PER_MINUTE: '',
  NETWORK_VOTES_PER_MINUTE: '',
  NETWORK_BRAND_VOTES_PER_MINUTE: '',
}

const ATTACKERS: Readonly<Record<string, () => string>> = {
  'one address': () => '198.51.100.7',
  'a /48 of IPv6': () => `2001:db8:7:${randomInt(0x1_0000).toString(16)}::1`,
  '100 addresses': () => `203.0.${randomInt(100)}.1`,
}

const ATTACKS = [
  { polls: 1, challenge: 'off' },
  { polls: MANY_POLLS, challenge: 'off' },
  { polls: 1, challenge: 'adaptive' },
  { polls: 1, challenge: 'always' },
] as const
type Attack = (typeof ATTACKS)[number]

interface Outcome {
  readonly counted: number
  readonly refused: number
  readonly solved: number
  readonly score: number
}

/** What attackers with new devices for each vote get counted in a short time, which is at most their quota of a minute. */
export async function measureStuffing({ engine, seconds }: BenchArguments): Promise<Report> {
  let subject = await startTossup(engine ?? 'sqlite')
  atEnd(() => subject.stop())
  const names = Object.keys(ATTACKERS)
  const progress = new Progress(names.length * ATTACKS.length * seconds)
  const rows: string[][] = []
  for (const name of names) {
    for (const attack of ATTACKS) {
      // A new process has counted nothing yet.
      await subject.pause()
      subject = await subject.restart(SETTINGS)
      const { counted, refused, solved, score } = await stuff(subject, { name, attack, seconds })
      const where = attack.polls === 1 ? 'one poll' : `${attack.polls} polls of a brand`
      rows.push([name, where, attack.challenge, count(counted), count(refused), count(solved), String(score)])
      progress.advance(seconds, `${name}, ${attack.challenge}`)
    }
  }
  progress.end()
  const head = ['attacker', 'on', 'challenge', 'counted', 'refused', 'challenges solved', 'score of the report']
  return { text: `${formatTable(head, rows)}\n\n${await hashRates()}`, isRight: true }
}

async function stuff(
  { url, owner }: TossupSubject,
  { name, attack, seconds }: { name: string; attack: Attack; seconds: number },
): Promise<Outcome> {
  const client = await OwnerClient.connect(url, owner)
  const slugs = Array.from({ length: attack.polls }, () => `stuffed-${randomUUID()}`)
  for (const slug of slugs) {
    await client.createPoll(slug)
    await expectStatus(await client.write('PATCH', `brands/me/polls/${slug}`, { challenge: attack.challenge }), 200)
  }
  const sum = { counted: 0, refused: 0, solved: 0 }
  const addressOf = ATTACKERS[name] ?? (() => '')
  const endsAt = performance.now() + seconds * 1_000
  async function voteUntilTheEnd(): Promise<void> {
    while (performance.now() < endsAt) {
      const isCounted = await voteOnce(`${url}/api/rest/v1/polls/${slugs[randomInt(slugs.length)]}/votes`, {
        address: addressOf(),
        onSolved: () => sum.solved++,
      })
      if (isCounted) sum.counted++
      else sum.refused++
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, voteUntilTheEnd))
  const report = await fetch(`${url}/api/rest/v1/brands/me/polls/${slugs[0]}/integrity`, { headers: client.headers })
  const { data } = (await expectStatus(report, 200)) as { data: { score: number } }
  return { ...sum, score: data.score }
}

/** True if it was counted, after a challenge where one was asked for. */
async function voteOnce(url: string, { address, onSolved }: { address: string; onSolved: () => void }) {
  const headers = { 'Content-Type': 'application/json', 'X-Device-Id': randomUUID(), 'X-Forwarded-For': address }
  const send = (more: Record<string, string>) =>
    fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: '{"option":"A"}' })
  const answer = await send({})
  if (answer.status !== 403) return answer.status === 201
  const { error } = (await answer.json()) as { error: { details: { challenge: Parameters<typeof solveChallenge>[0] } } }
  const solution = await solveChallenge(error.details.challenge)
  onSolved()
  return (await send({ 'X-Challenge-Solution': solution ?? '' })).status === 201
}

const HASHES = 200_000
/** What the hardest challenge takes at most (`MAX_NUMBERS` in server/src/features/votes/challenges). */
const MOST_HASHES = 100_000

/** How long the hardest challenge takes in Chromium, also slowed down like a phone. */
async function hashRates(): Promise<string> {
  if (!hasChromium) return 'Chromium is missing: nothing is known of an honest device.'
  const entry = new URL('./hashes-in-page.ts', import.meta.url).pathname
  const built = await Bun.build({ entrypoints: [entry], target: 'browser', minify: true })
  const script = (await built.outputs[0]?.text()) ?? ''
  const browser = await openWholeBrowser()
  atEnd(() => browser.close())
  const page = await browser.newPage()
  const session = await page.context().newCDPSession(page)
  await page.evaluate(script)
  const rows: string[][] = []
  // The first hashes compile the code.
  await page.evaluate(`hashesPerSecond(${HASHES})`)
  for (const rate of [1, 4, 6]) {
    await session.send('Emulation.setCPUThrottlingRate', { rate })
    const perSecond = Number(await page.evaluate(`hashesPerSecond(${HASHES})`))
    const most = MOST_HASHES / perSecond
    rows.push([
      `${rate} times slower`,
      count(Math.round(perSecond)),
      `${most.toFixed(2)} s`,
      `${(most / 2).toFixed(2)} s`,
    ])
  }
  await browser.close()
  return formatTable(['Chromium', 'hashes/s', 'hardest challenge, at most', 'on average'], rows)
}
