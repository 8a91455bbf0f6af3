// cli/demo: the brand, polls and pictures that `DEMO=true` starts with.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Service } from '../../app/start.ts'
import { DAY } from '../../base/clock.ts'
import { SCOPES } from '../../base/roles.ts'
import type { Db, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import type { Ballot } from '../../db/vote-store.ts'
import { createBrand } from '../../features/brands/brands.ts'
import { createCampaign } from '../../features/campaigns/create-campaign.ts'
import type { Deps } from '../../features/deps.ts'
import { DEMO_BRAND } from '../../features/pages/docs/home-routes.ts'
import { createApp } from '../../features/people/apps/apps.ts'
import { addMember, addPerson, createSignInLink, findMemberByEmail } from '../../features/people/links.ts'
import { createCategory } from '../../features/polls/change-category.ts'
import { createPoll } from '../../features/polls/create-poll.ts'
import { findOwnedPoll } from '../../features/polls/queries.ts'
import { updatePoll } from '../../features/polls/update-poll.ts'
import { keepFile, publicUrl } from '../../features/uploads/files.ts'
import type { Outcome } from '../../features/votes/decide.ts'
import { DEMO_CAMPAIGN, DEMO_POLLS, type DemoPoll, demoPicturePath } from './polls.ts'

const PICTURE_SIDE = 640
/** No mail can reach it: the operator signs in with the link that the service prints at its start. */
const DEMO_OWNER = 'owner@demo.invalid'

export interface Demo {
  readonly brand: string
  readonly campaignId: string
  readonly apiKeyId: string
  readonly apiKeySecret: string
}

/** Fills an empty database with a demo brand; null if the database already contains anything. */
export async function seedDemo({ deps, ledger }: Service): Promise<Demo | null> {
  const { engine } = deps
  if (!(await isEmpty(engine.db))) return null
  const made = await transaction(engine, async (tx) => {
    const brand = await createBrand(tx, deps, DEMO_BRAND)
    if (typeof brand === 'string') return null
    const category = await createCategory(tx, deps, { slug: 'everyday', name: 'Everyday' })
    for (const poll of DEMO_POLLS) {
      await addPoll(deps, tx, { poll, brandKey: brand.key, categoryIds: category ? [category.id] : [] })
    }
    const campaignId = await addCampaign(deps, tx, brand.key)
    const app = await createApp(tx, deps, { brandKey: brand.key, scopes: SCOPES })
    await addOwner(deps, tx, brand.key)
    return { brandKey: brand.key, campaignId, apiKeyId: app.apiKeyId, apiKeySecret: app.apiKeySecret }
  })
  if (!made) return null
  const { brandKey, ...shown } = made
  const crowd = makeCrowd()
  for (const poll of DEMO_POLLS) {
    const row = await findOwnedPoll(engine.db, brandKey, poll.slug)
    const outcomes = row ? await Promise.all(ballotsOf(poll, row.key, crowd).map((ballot) => ledger.cast(ballot))) : []
    if (poll.isClosed) await closeAfter(deps, { brandKey, reference: poll.slug, outcomes })
  }
  return { brand: DEMO_BRAND.slug, ...shown }
}

async function isEmpty(db: Db): Promise<boolean> {
  for (const table of ['brands', 'apps', 'categories'] as const) {
    if (await db.selectFrom(table).select('key').limit(1).executeTakeFirst()) return false
  }
  return true
}

const NEWEST = DEMO_POLLS.at(-1)?.slug

const describeDemo = (url: string, { apiKeyId, apiKeySecret, ...demo }: Demo): string[] => [
  '',
  'A demo brand is ready. Open in a browser to vote: a poll, a campaign, and all polls of the brand:',
  `  ${url}/p/${NEWEST}`,
  `  ${url}/c/${demo.campaignId}`,
  `  ${url}/b/${demo.brand}`,
  '',
  'As JSON: the feed (three open polls and a closed one), the newest poll, and a poll that opens in a week:',
  `  ${url}/api/rest/v1/brands/${demo.brand}/polls`,
  `  ${url}/api/rest/v1/polls/${NEWEST}`,
  `  ${url}/api/rest/v1/polls/${DEMO_POLLS[0]?.slug}`,
  'The campaign of the three open polls:',
  `  ${url}/api/rest/v1/campaigns/${demo.campaignId}`,
  '',
  'The API key, shown only once (README.md explains the rest):',
  `  X-API-Key-ID:     ${apiKeyId}`,
  `  X-API-Key-Secret: ${apiKeySecret}`,
]

/** Signs in as the owner of the demo brand; empty if that member was removed. */
export async function describeOwnerLink({ url, deps }: Pick<Service, 'url' | 'deps'>): Promise<string[]> {
  const owner = await findMemberByEmail(deps.engine.db, DEMO_OWNER)
  if (!owner) return []
  // PORT=0 picks a port that the configuration does not know.
  const publicUrl = new URL(deps.config.publicUrl).port === '0' ? url : deps.config.publicUrl
  const link = await transaction(deps.engine, (tx) =>
    createSignInLink({ ...deps, config: { ...deps.config, publicUrl } }, tx, {
      personKey: owner.key,
      isMailed: false,
      life: DAY,
    }),
  )
  return ['', 'Sign in as the owner of the demo brand (the link works once, for 24 hours):', `  ${link.url}`]
}

async function addOwner({ clock }: Pick<Deps, 'clock'>, tx: Tx, brandKey: number): Promise<void> {
  const now = clock.now()
  const personKey = await addPerson(tx, { email: DEMO_OWNER, emailKey: DEMO_OWNER, isProven: true, now })
  if (personKey !== null) await addMember(tx, { brandKey, personKey, role: 'owner', now })
}

async function addPoll(
  deps: Deps,
  tx: Tx,
  { poll, brandKey, categoryIds }: { poll: DemoPoll; brandKey: number; categoryIds: string[] },
): Promise<void> {
  const option = async (slot: 'optionA' | 'optionB') => {
    const { label, picture, alt } = poll[slot]
    const bytes = await readFile(demoPicturePath(picture))
    const size = { width: PICTURE_SIDE, height: PICTURE_SIDE }
    const key = await keepFile(tx, deps, { brandKey, slot, contentType: 'image/webp', bytes, ...size })
    return { label, imageUrl: publicUrl(deps, key), imageAlt: alt }
  }
  await createPoll(deps, tx, {
    brandKey,
    poll: {
      slug: poll.slug,
      title: poll.title,
      optionA: await option('optionA'),
      optionB: await option('optionB'),
      tags: [...poll.tags],
      categoryIds,
      opensAt: poll.opensInMs === undefined ? null : deps.clock.now() + poll.opensInMs,
    },
  })
}

async function addCampaign(deps: Deps, tx: Tx, brandKey: number): Promise<string> {
  const { polls, ...fields } = DEMO_CAMPAIGN
  const polstIds: string[] = []
  for (const slug of polls) polstIds.push((await findOwnedPoll(tx, brandKey, slug))?.id ?? '')
  return createCampaign(deps, tx, { brandKey, campaign: { ...fields, polstIds } })
}

/** Devices of nobody: random bytes instead of a hash. As many as the poll with the most votes needs. */
const makeCrowd = (): Uint8Array[] =>
  Array.from({ length: Math.max(...DEMO_POLLS.map(({ votes: [a, b] }) => a + b)) }, () => randomBytes(16))

/** Each poll starts at another device, so that most devices vote on several polls, in different combinations. */
function ballotsOf({ slug, votes: [a, b] }: DemoPoll, pollKey: number, crowd: readonly Uint8Array[]): Ballot[] {
  const start = (slug.length * 7) % crowd.length
  const voters = [...crowd.slice(start), ...crowd.slice(0, start)].slice(0, a + b)
  return voters.map((device, i) => ({ pollKey, device, option: i < a ? 'A' : 'B' }))
}

/** Closes the poll just after its last vote, by the clock that gave that vote its time. */
async function closeAfter(
  deps: Deps,
  { outcomes, ...poll }: { brandKey: number; reference: string; outcomes: readonly Outcome[] },
): Promise<void> {
  const times = outcomes.map((outcome) => (outcome.kind === 'accepted' ? outcome.vote.votedAt : 0))
  const patch = { closesAt: Math.max(...times) + 1 }
  await transaction(deps.engine, (tx) => updatePoll(deps, tx, { ...poll, patch }))
}

/** The lines that `serve` prints when it has started, with the facts behind them. */
export interface Greeting {
  readonly url: string
  readonly demo: Demo | null
  readonly lines: readonly string[]
}

/** Creates the demo if it is wanted and the database is empty. */
export async function greet(service: Service): Promise<Greeting> {
  const { url, deps } = service
  const { isDemo } = deps.config
  const demo = isDemo ? await seedDemo(service) : null
  const link = isDemo ? await describeOwnerLink(service) : []
  const lines = [`Tossup is running at ${url}`, ...(demo ? describeDemo(url, demo) : []), ...link]
  return { url, demo, lines }
}

export function printGreeting({ url, demo, lines }: Greeting, isJson: boolean): void {
  if (isJson) console.log(JSON.stringify({ url, ...(demo ? { demo } : {}) }))
  else console.log(lines.join('\n'))
}
