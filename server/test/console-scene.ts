import { createHash } from 'node:crypto'
import { DAY, HOUR, MINUTE } from '../src/base/clock.ts'
import { seedDemo } from '../src/cli/demo/seed.ts'
import { transaction } from '../src/db/transaction.ts'
import { findBrand } from '../src/features/brands/brands.ts'
import { emailKey } from '../src/features/people/email.ts'
import { addMember as addToBrand, setOperator } from '../src/features/people/links.ts'
import { createCampaign } from './campaigns.ts'
import { addMember, type TestMember } from './people.ts'
import { Receiver } from './receiver.ts'
import type { PollData, TestBrand, TestService } from './service.ts'
import { createWebhook, sendTest, type WebhookData } from './webhooks.ts'

/** A brand after some weeks of use, for pictures and for tests of every page. */
export interface ConsoleScene {
  readonly brand: TestBrand
  /** Open, with pictures and weeks of votes. */
  readonly poll: PollData
  readonly draft: PollData
  readonly campaignId: string
  readonly codeListId: string
  readonly failing: WebhookData
  /** Works for both brands, and runs the service. */
  readonly owner: TestMember
  /** Another such person, because a person may open sixty pages a minute, and a test more. */
  readonly anotherOwner: () => Promise<TestMember>
  /** Without a poll. */
  readonly empty: TestBrand
  readonly stop: () => Promise<void>
}

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const WEEKS_MS = 28 * DAY
const STEP_MS = 8 * HOUR
const STEPS = WEEKS_MS / STEP_MS
const VOTES = 1_248

/** The service must run with `jobs: 'by hand'`, WEBHOOK_ALLOW_PRIVATE and the port of its PUBLIC_URL. */
export async function fillConsole(service: TestService): Promise<ConsoleScene> {
  service.clock.advance(-WEEKS_MS)
  const brand = await demoBrand(service)
  const { poll, polls, campaignId } = await addPolls(service, brand)
  await voteForWeeks(service, polls)
  // Tokens of weeks ago have ended.
  const now = { ...brand, token: (await service.exchange(brand)).accessToken }
  const { failing, stop } = await addWebhooks(service, now)
  const first = await addPeople(service, now)
  const draft = await addNewPolls(service, now)
  await service.runDue()
  const empty = await service.createBrand()
  const withAllRights = async (person: TestMember) => {
    const ofEmpty = {
      brandKey: empty.brandKey,
      personKey: person.personKey,
      role: 'owner',
      now: service.clock.now(),
    } as const
    await transaction(service.deps.engine, async (tx) => {
      await addToBrand(tx, ofEmpty)
      await setOperator(tx, emailKey(person.email), true)
    })
    return person
  }
  const codeListId = await addCodes(service, now)
  const owner = await withAllRights(first)
  const anotherOwner = async () => withAllRights(await addMember(service, now, 'owner'))
  return { brand: now, poll, draft, campaignId, codeListId, failing, owner, anotherOwner, empty, stop }
}

/** A list with codes, and a poll that asks for them. */
async function addCodes(service: TestService, { token }: TestBrand): Promise<string> {
  const made = await service.write<{ codeListId: string }>('POST', 'brands/me/code-lists', {
    token,
    json: { name: 'Members 2026' },
  })
  const { codeListId } = made.body.data
  await service.write('POST', `brands/me/code-lists/${codeListId}/codes`, { token, json: { count: 30 } })
  await service.createPoll({ token }, { title: 'Shall we buy the meadow by the river?', codeListId })
  return codeListId
}

async function demoBrand(service: TestService): Promise<TestBrand> {
  const demo = await seedDemo(service.service)
  const found = demo && (await findBrand(service.db, demo.brand))
  if (!demo || !found) throw new Error('no demo')
  const app = { appId: '', apiKeyId: demo.apiKeyId, apiKeySecret: demo.apiKeySecret }
  return { slug: demo.brand, brandKey: found.key, ...app, token: (await service.exchange(app)).accessToken }
}

async function addPolls(service: TestService, brand: TestBrand) {
  const { optionA, optionB } = (await service.get<PollData>('polls/tea-or-coffee')).body.data
  const poll = await service.createPoll(brand, {
    title: 'Iced tea or iced coffee for the summer menu?',
    optionA: { ...(optionA as object), label: 'Iced tea' },
    optionB: { ...(optionB as object), label: 'Iced coffee' },
    tags: ['summer', 'drinks'],
  })
  const long = await service.createPoll(brand, {
    title: `${LONG} oder lieber nicht?`,
    optionA: { label: 'Rindfleischetikettierungsüberwachungsaufgabe' },
    optionB: { label: 'Nein' },
  })
  const all = (await service.get<PollData[]>(`brands/${brand.slug}/polls`)).body.data
  const polls = [poll, ...all.filter(({ id, status }) => status === 'open' && id !== poll.id)]
  const title = 'The summer menu'
  const { campaignId } = await createCampaign(service, brand, polls.slice(0, 4), {
    title,
    description: 'Help us pick.',
  })
  return { poll, polls: [...polls.filter(({ id }) => id !== long.id), long], campaignId }
}

const AT_ONCE = 250

/** Differ in all bytes, as real devices do: a poll finds a device by some of them. */
const deviceOf = (i: number): Uint8Array => createHash('sha256').update(String(i)).digest().subarray(0, 16)

/** More people vote on the first poll, and more of them for A as the weeks pass. */
async function voteForWeeks(service: TestService, polls: readonly PollData[]): Promise<void> {
  for (const [place, { id }] of polls.entries()) {
    const { key } = await service.db.selectFrom('polls').select('key').where('id', '=', id).executeTakeFirstOrThrow()
    const votes = Math.round(VOTES / (1 + place))
    const forA = Math.round(votes * (place % 2 === 0 ? 0.54 : 0.41))
    const ballots = Array.from({ length: votes }, (_, i) => ({
      pollKey: key,
      // The same people vote on several polls, so that a campaign has a funnel.
      device: deviceOf(i),
      option: (i * 7) % votes < forA ? ('A' as const) : ('B' as const),
    }))
    // No more at once than a busy machine stores within the time that a vote may wait.
    for (let from = 0; from < ballots.length; from += AT_ONCE)
      await Promise.all(ballots.slice(from, from + AT_ONCE).map((ballot) => service.service.ledger.cast(ballot)))
  }
  service.clock.advance(WEEKS_MS)
  await service.runDue()
  await spreadCounts(service)
}

/** A vote has the time of the database: the counts by hour, which charts show, are moved into the past. */
async function spreadCounts({ db, clock }: TestService): Promise<void> {
  // The votes may have been cast in two hours.
  const polls = await db
    .selectFrom('vote_counts')
    .select(({ fn }) => [
      'poll_key',
      fn.sum<number>('option_a').as('option_a'),
      fn.sum<number>('option_b').as('option_b'),
    ])
    .where('width', '=', HOUR)
    .groupBy('poll_key')
    .execute()
  const last = Math.floor(clock.now() / HOUR) * HOUR
  const times = Array.from({ length: STEPS }, (_, i) => last - (STEPS - 1 - i) * STEP_MS)
  const rows = polls.flatMap(({ poll_key, option_a, option_b }) => {
    const forB = spread(option_b, 0.6)
    const counts = spread(option_a, 0).map((option, i) => ({ option_a: option, option_b: forB[i] ?? 0 }))
    return counts.map((count, i) => ({ poll_key, width: HOUR, at: times[i] ?? 0, ...count }))
  })
  await db.deleteFrom('vote_counts').execute()
  await db.insertInto('vote_counts').values(rows).execute()
}

/** Adds up to `votes`: more in some days than in others, and more in the end than at the beginning. */
function spread(votes: number, phase: number): number[] {
  const weights = Array.from({ length: STEPS }, (_, i) => (1 + 0.7 * Math.sin(i / 3 + phase)) * (1 + i / STEPS))
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  let before = 0
  return weights.map((_, i) => {
    const now = Math.round((votes * weights.slice(0, i + 1).reduce((sum, weight) => sum + weight, 0)) / whole)
    const step = now - before
    before = now
    return step
  })
}

async function addWebhooks(service: TestService, brand: TestBrand) {
  const receiver = new Receiver()
  const broken = new Receiver()
  broken.answer = () => new Response('{"error":"the database is read-only"}', { status: 503 })
  // In the past, so that attempts of some hours are behind it.
  service.clock.advance(-6 * HOUR)
  const events = ['poll.created', 'poll.closed', 'campaign.completed']
  await createWebhook(service, brand, { url: receiver.url, description: 'Newsletter', events })
  const failing = await createWebhook(service, brand, { url: broken.url, description: 'Till at the counter', events })
  for (const pause of [10 * MINUTE, HOUR, 3 * HOUR]) {
    await sendTest(service, brand, failing)
    await service.runDue()
    service.clock.advance(pause)
    await service.runDue()
  }
  service.clock.advance(6 * HOUR - 10 * MINUTE - 4 * HOUR)
  const stop = async () => {
    await receiver.stop()
    await broken.stop()
  }
  return { failing, stop }
}

async function addPeople(service: TestService, brand: TestBrand): Promise<TestMember> {
  const owner = await addMember(service, brand, 'owner', { email: 'maya@corner-cafe.example' })
  await addMember(service, brand, 'editor', { email: 'jonas.weissenberger@corner-cafe.example' })
  await addMember(service, brand, 'analyst', { email: 'numbers@agency.example' })
  const json = { email: 'sofia@corner-cafe.example', role: 'editor' }
  await service.write('POST', 'brands/me/invitations', { token: owner.token, json })
  await service.write('POST', 'brands/me/apps', {
    token: owner.token,
    json: { name: 'Shop window', scopes: ['view', 'vote'] },
  })
  return owner
}

/** The last of them is a draft. */
async function addNewPolls(service: TestService, brand: TestBrand): Promise<PollData> {
  const at = (ms: number) => new Date(service.clock.now() + ms).toISOString()
  await service.createPoll(brand, {
    title: 'Oat milk or almond milk?',
    optionA: { label: 'Oat milk' },
    optionB: { label: 'Almond milk' },
    closesAt: at(2 * DAY),
    tags: ['drinks'],
  })
  await service.createPoll(brand, {
    title: 'Playlist on Friday: jazz or funk?',
    optionA: { label: 'Jazz' },
    optionB: { label: 'Funk' },
    opensAt: at(5 * HOUR),
  })
  return service.createPoll(brand, {
    title: 'Which tote bag should we print?',
    optionA: { label: 'Stripes' },
    optionB: { label: 'Dots' },
    isDraft: true,
  })
}
