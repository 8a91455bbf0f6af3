// cli/demo: the brand, polls and pictures that `DEMO=true` starts with.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { SCOPES } from '../../base/scopes.ts'
import type { Db, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import type { Ballot } from '../../db/vote-store.ts'
import type { Deps } from '../../deps.ts'
import { createBrand } from '../../features/brands/create-brand.ts'
import { findBrand } from '../../features/brands/queries.ts'
import { createCampaign } from '../../features/campaigns/create-campaign.ts'
import { createCategory } from '../../features/polls/create-category.ts'
import { createPoll } from '../../features/polls/create-poll.ts'
import { findOwnedPoll } from '../../features/polls/queries.ts'
import { updatePoll } from '../../features/polls/update-poll.ts'
import { createApp } from '../../features/tokens/apps.ts'
import { keepFile, publicUrl } from '../../features/uploads/files.ts'
import type { Outcome } from '../../features/votes/decide.ts'
import type { Service } from '../../start.ts'
import { DEMO_BRAND, DEMO_CAMPAIGN, DEMO_POLLS, type DemoPoll } from './polls.ts'

const PICTURE_SIDE = 640

export interface Demo {
  readonly brand: string
  readonly campaignId: string
  readonly apiKeyId: string
  readonly apiKeySecret: string
}

/** Fills an empty database with a brand to play with; null when anything was made in it already. */
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

export const describeDemo = (url: string, { apiKeyId, apiKeySecret, ...demo }: Demo): string[] => [
  '',
  'A demo brand is ready. To see and vote in a browser: a poll, its campaign, and all of its polls:',
  ...pagesOf(url, demo),
  '',
  'As JSON, its feed with three open polls and a closed one, the newest of them, and one that opens in a week:',
  `  ${url}/api/rest/v1/brands/${demo.brand}/polls`,
  `  ${url}/api/rest/v1/polls/${NEWEST}`,
  `  ${url}/api/rest/v1/polls/${DEMO_POLLS[0]?.slug}`,
  'The three open ones are a campaign too:',
  `  ${url}/api/rest/v1/campaigns/${demo.campaignId}`,
  '',
  'Its API key, shown this once (everything else is in README.md):',
  `  X-API-Key-ID:     ${apiKeyId}`,
  `  X-API-Key-Secret: ${apiKeySecret}`,
]

const pagesOf = (url: string, { brand, campaignId }: Pick<Demo, 'brand' | 'campaignId'>): string[] => [
  `  ${url}/p/${NEWEST}`,
  `  ${url}/c/${campaignId}`,
  `  ${url}/b/${brand}`,
]

/** Where the pages of the demo are, at a later start; nothing where they are not there as they were made. */
export async function describeEarlierDemo(url: string, { engine }: Pick<Deps, 'engine'>): Promise<string[]> {
  const brand = await findBrand(engine.db, DEMO_BRAND.slug)
  const poll = brand && NEWEST ? await findOwnedPoll(engine.db, brand.key, NEWEST) : null
  const campaign = brand && (await findCampaignTitled(engine.db, brand.key, DEMO_CAMPAIGN.title))
  if (poll?.is_draft !== 0 || !campaign) return []
  const pages = pagesOf(url, { brand: DEMO_BRAND.slug, campaignId: campaign.id })
  return ['', 'The demo brand: a poll, its campaign, and all of its polls:', ...pages]
}

const findCampaignTitled = (db: Db, brandKey: number, title: string) =>
  db
    .selectFrom('campaigns')
    .select('id')
    .where('brand_key', '=', brandKey)
    .where('title', '=', title)
    .where('state', '=', 'published')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

async function addPoll(
  deps: Deps,
  tx: Tx,
  { poll, brandKey, categoryIds }: { poll: DemoPoll; brandKey: number; categoryIds: string[] },
): Promise<void> {
  const option = async (slot: 'optionA' | 'optionB') => {
    const { label, picture, alt } = poll[slot]
    const bytes = await readFile(new URL(`${picture}.webp`, import.meta.url))
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

/** Devices that nobody holds: random bytes in place of a hash. As many as the poll with the most votes has. */
const makeCrowd = (): Uint8Array[] =>
  Array.from({ length: Math.max(...DEMO_POLLS.map(({ votes: [a, b] }) => a + b)) }, () => randomBytes(16))

/** Each poll begins elsewhere in the crowd, so that most people answer several, and each to a taste of their own. */
function ballotsOf({ slug, votes: [a, b] }: DemoPoll, pollKey: number, crowd: readonly Uint8Array[]): Ballot[] {
  const start = (slug.length * 7) % crowd.length
  const voters = [...crowd.slice(start), ...crowd.slice(0, start)].slice(0, a + b)
  return voters.map((device, i) => ({ pollKey, device, option: i < a ? 'A' : 'B' }))
}

/** Just past its last vote, by the clock that gave the vote its time. */
async function closeAfter(
  deps: Deps,
  { outcomes, ...poll }: { brandKey: number; reference: string; outcomes: readonly Outcome[] },
): Promise<void> {
  const times = outcomes.map((outcome) => (outcome.kind === 'accepted' ? outcome.vote.votedAt : 0))
  const patch = { closesAt: Math.max(...times) + 1 }
  await transaction(deps.engine, (tx) => updatePoll(deps, tx, { ...poll, patch }))
}
