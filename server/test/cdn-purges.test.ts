import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { PurgeTimes } from '../src/bus/cdn-purges.ts'
import { GatheredChanges } from '../src/bus/gathered-changes.ts'
import { transaction } from '../src/db/transaction.ts'
import { deleteCategory, renameCategory } from '../src/features/polls/change-category.ts'
import { createCategory } from '../src/features/polls/create-category.ts'
import { deleteBrand } from '../src/features/removal/delete-brand.ts'
import { type CampaignData, createCampaign, deleteCampaign, patchCampaign } from './campaigns.ts'
import { Cdn } from './cdn.ts'
import { newPlace, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { metricsOf } from './metrics.ts'
import { createDatabase } from './own-database.ts'
import { deletePoll, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(60_000)

const TOKEN = 'the token of the CDN'
/** Longer than a test takes: what changes meanwhile is purged when the service stops. */
const NEVER_MS = 600_000

const settingsOf = (url: string) => ({
  CDN_PURGE_URL: url,
  CDN_PURGE_HEADERS: `Authorization=${encodeURIComponent(`Bearer ${TOKEN}`)}`,
  LOG_LEVEL: 'info',
})

interface Scene {
  readonly brand: TestBrand
  readonly poll: PollData
  readonly campaign: CampaignData
}

async function furnish(service: TestService): Promise<Scene> {
  const brand = await service.createBrand()
  const poll = await service.createPoll(brand)
  return { brand, poll, campaign: await createCampaign(service, brand, [poll]) }
}

/** The public answers that show something of a brand, by what they show. */
function pathsOf(service: TestService, { brand, poll, campaign }: Scene) {
  const { slug, shortId } = poll
  const oembed = (path: string) => `/oembed?url=${encodeURIComponent(`${service.deps.config.publicUrl}${path}`)}`
  return {
    poll: [
      ...[`polls/${slug}`, `polls/${slug}/tallies`, `/p/${slug}`, `/embed/poll/${slug}`],
      ...[`/p/${slug}/qr`, `/p/${slug}/qr.svg`, oembed(`/p/${shortId}`)],
    ],
    campaign: [
      ...[`campaigns/${campaign.campaignId}`, `campaigns/${campaign.campaignId}/tallies`],
      ...[`/c/${campaign.campaignId}`, `/embed/campaign/${campaign.campaignId}`],
    ],
    lists: [
      ...[`brands/${brand.slug}/polls`, `brands/${brand.slug}/polls?order=closing`, `brands/${brand.slug}/campaigns`],
      ...[`/b/${brand.slug}`, `/embed/brand/${brand.slug}`, `/b/${brand.slug}/qr.png`],
    ],
    brand: [`brands/${brand.slug}`, `brands/${brand.slug}/theme`],
  }
}

describe.each([...engines])('%s: a CDN that is purged', (engine) => {
  let cdn: Cdn
  let service: TestService
  beforeAll(async () => {
    cdn = new Cdn()
    service = await startTestService(engine, { settings: settingsOf(cdn.url), purgeTimes: { gatherMs: 0 } })
  })
  afterAll(async () => {
    await service.stop()
    await cdn.stop()
    expect(cdn.faults).toEqual([])
    expect(service.logLines.join('\n')).not.toContain(TOKEN)
  })

  /** The keys of the requests that follow a change, which are all that follow. */
  async function purgedBy(change: () => Promise<unknown>): Promise<readonly string[]> {
    const before = cdn.purges.length
    await change()
    await cdn.until(before + 1)
    return cdn.purges.slice(before).flatMap(({ keys }) => keys)
  }

  async function quietScene(): Promise<Scene> {
    const scene = await furnish(service)
    await eventually(() => cdn.keys.includes(`campaign-${scene.campaign.campaignId}`))
    return scene
  }

  test('finds every public answer by what it shows, from memory and as 304 too', async () => {
    const scene = await quietScene()
    const { brand, poll, campaign } = scene
    const wanted = {
      poll: `poll-${poll.id} brand-${brand.slug}`,
      campaign: `campaign-${campaign.campaignId} lists-${brand.slug} brand-${brand.slug}`,
      lists: `lists-${brand.slug} brand-${brand.slug}`,
      brand: `brand-${brand.slug}`,
    }
    for (const [kind, paths] of Object.entries(pathsOf(service, scene))) {
      for (const path of paths) {
        const first = await service.get(path)
        const again = await service.get(path)
        const known = await service.get(path, { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } })
        const found = [first, again, known].map(({ status, headers }) => [status, headers.get('surrogate-key')])
        const keys = wanted[kind as keyof typeof wanted]
        expect([path, ...found]).toEqual([path, [200, keys], [200, keys], [304, keys]])
      }
    }
  })

  test('finds no private answer, no missing page and no vote', async () => {
    const { brand, poll } = await quietScene()
    const own = await service.get(`brands/me/polls/${poll.slug}`, { token: brand.token })
    const replies = [own, await service.get('polls/nothing'), await service.get('/p/nothing')]
    for (const { headers } of [...replies, await service.vote(poll.slug, 'A')]) {
      expect(headers.get('surrogate-key')).toBeNull()
    }
  })

  test('is told of each change by exactly its keys, with the headers of the setting', async () => {
    const { brand, poll, campaign } = await quietScene()
    const { slug, token } = brand
    const ofPoll = [`poll-${poll.id}`, `lists-${slug}`]
    const ofCampaign = [`campaign-${campaign.campaignId}`, `lists-${slug}`]
    expect(await purgedBy(() => patchPoll(service, brand, poll.slug, { title: 'Tea or cocoa?' }))).toEqual(ofPoll)
    const { method, headers } = cdn.purges.at(-1) ?? {}
    expect([method, headers?.['authorization'], headers?.['content-type']]).toEqual([
      'POST',
      `Bearer ${TOKEN}`,
      'application/json',
    ])
    const write = (path: string, json: unknown) => () => service.write('PATCH', path, { token, json })
    expect(await purgedBy(write('brands/me/theme', { accent: '#123456' }))).toEqual([`brand-${slug}`])
    expect(await purgedBy(write('brands/me', { displayName: 'Another' }))).toEqual([`brand-${slug}`])
    const { campaignId } = campaign
    expect(await purgedBy(() => patchCampaign(service, brand, campaignId, { title: 'Lunch' }))).toEqual(ofCampaign)
    expect(await purgedBy(() => deleteCampaign(service, brand, campaignId))).toEqual(ofCampaign)
    expect(await purgedBy(() => deletePoll(service, brand, poll.slug))).toEqual(ofPoll)
    const end = () => transaction(service.deps.engine, (tx) => deleteBrand(service.deps, tx, brand.brandKey))
    expect(await purgedBy(end)).toEqual([`brand-${slug}`])
  })

  test('is told of the polls of a category that is renamed or deleted', async () => {
    const { brand, poll } = await quietScene()
    const { engine: database } = service.deps
    const category = await createCategory(database.db, service.deps, { slug: `drinks-${poll.slug}`, name: 'Drinks' })
    if (!category) throw new Error('no category')
    const keys = [`poll-${poll.id}`, `lists-${brand.slug}`]
    const join = () => patchPoll(service, brand, poll.slug, { categoryIds: [category.id] })
    expect(await purgedBy(join)).toEqual(keys)
    const { slug } = category
    const rename = () =>
      transaction(database, (tx) => renameCategory(tx, service.deps, { slug, newSlug: null, name: 'Hot drinks' }))
    expect(await purgedBy(rename)).toEqual(keys)
    const end = () => transaction(database, (tx) => deleteCategory(tx, service.deps, slug))
    expect(await purgedBy(end)).toEqual(keys)
  })

  test('is told nothing of votes and of refused writes', async () => {
    const { brand, poll } = await quietScene()
    const purged = await purgedBy(async () => {
      expect((await service.vote(poll.slug, 'A')).status).toBe(201)
      expect((await service.vote(poll.slug, 'B')).status).toBe(201)
      expect((await patchPoll(service, brand, poll.slug, { title: '' })).status).toBe(422)
      // After these, so that their keys would be here too.
      await service.write('PATCH', 'brands/me', { token: brand.token, json: { displayName: 'Another' } })
    })
    expect(purged).toEqual([`brand-${brand.slug}`])
  })

  test('is told of a brand as a whole when very many of its polls change', async () => {
    const { brand } = await quietScene()
    const changes = new GatheredChanges()
    for (let pollKey = 1; pollKey <= 1_001; pollKey++) {
      changes.add({ kind: 'poll', pollKey: -pollKey, brandKey: brand.brandKey })
    }
    expect(await changes.surrogateKeys(service.db)).toEqual([`brand-${brand.slug}`])
  })
})

describe.each([...engines])('%s: without a CDN to purge', (engine) => {
  test('no answer carries a key', async () => {
    const service = await startTestService(engine)
    const scene = await furnish(service)
    for (const path of Object.values(pathsOf(service, scene)).flat()) {
      const { status, headers } = await service.get(path)
      expect([path, status, headers.get('surrogate-key')]).toEqual([path, 200, null])
    }
    await service.stop()
  })
})

describe('purges of a CDN', () => {
  let cdn: Cdn
  beforeEach(() => {
    cdn = new Cdn()
  })
  afterEach(() => cdn.stop())

  const start = (purgeTimes: Partial<PurgeTimes>, url = cdn.url) =>
    startTestService('sqlite', { settings: { ...settingsOf(url), METRICS_PORT: String(freePort()) }, purgeTimes })

  const counted = async (service: TestService) => {
    const metrics = await metricsOf(service)
    const by = (outcome: string) => metrics.get(`tossup_cdn_purged_keys_total{outcome="${outcome}"}`)
    return { purged: by('purged'), failed: by('failed') }
  }

  const warnings = ({ logLines }: TestService) => logLines.filter((line) => line.includes('not purged from the CDN'))

  test('of changes that follow each other are one request, which a stop does not lose', async () => {
    const service = await start({ gatherMs: NEVER_MS, stopMs: NEVER_MS })
    const { brand, poll, campaign } = await furnish(service)
    for (const title of ['One?', 'Two?', 'Three?']) await patchPoll(service, brand, poll.slug, { title })
    expect(cdn.purges).toEqual([])
    await service.stop()
    expect(cdn.purges.map(({ keys }) => keys)).toEqual([
      [`poll-${poll.id}`, `campaign-${campaign.campaignId}`, `lists-${brand.slug}`],
    ])
  })

  test('are repeated, delay no write, and take along what changes meanwhile', async () => {
    const service = await start({ gatherMs: 0, backoffMs: 1 })
    const brand = await service.createBrand()
    const held = Promise.withResolvers<Response>()
    cdn.answer = (attempt) => (attempt === 1 ? held.promise : new Response(null, { status: attempt === 2 ? 503 : 200 }))
    const poll = await service.createPoll(brand)
    await cdn.until(1)
    for (const title of ['One?', 'Two?', 'Three?']) {
      expect((await patchPoll(service, brand, poll.slug, { title })).status).toBe(200)
    }
    expect(cdn.purges).toHaveLength(1)
    held.resolve(new Response(null, { status: 429 }))
    await cdn.until(4)
    const keys = [`poll-${poll.id}`, `lists-${brand.slug}`]
    expect(cdn.purges.map((purge) => purge.keys)).toEqual([keys, keys, keys, keys])
    await eventually(async () => (await counted(service)).purged === 4)
    expect(await counted(service)).toEqual({ purged: 4, failed: 0 })
    expect(warnings(service)).toEqual([])
    await service.stop()
  })

  test('that never succeed are counted and logged without a secret; a refusal is not repeated', async () => {
    const service = await start({ gatherMs: 0, backoffMs: 1 })
    const brand = await service.createBrand()
    cdn.answer = () => new Response(TOKEN, { status: 500 })
    const poll = await service.createPoll(brand)
    await eventually(async () => (await counted(service)).failed === 2)
    expect(cdn.purges).toHaveLength(4)
    cdn.answer = () => new Response(TOKEN, { status: 403 })
    await patchPoll(service, brand, poll.slug, { title: 'Another?' })
    await eventually(async () => (await counted(service)).failed === 4)
    expect(cdn.purges).toHaveLength(5)
    expect(warnings(service)).toEqual([
      expect.stringContaining('the CDN answered 500'),
      expect.stringContaining('the CDN answered 403'),
    ])
    await service.stop()
    for (const secret of [TOKEN, encodeURIComponent(TOKEN), cdn.url]) {
      expect(service.logLines.join('\n')).not.toContain(secret)
    }
  })

  test('end by themselves where the CDN is silent or away, also at a stop', async () => {
    const held = Promise.withResolvers<Response>()
    cdn.answer = () => held.promise
    for (const url of [cdn.url, `http://127.0.0.1:${freePort()}/purge`]) {
      const service = await start({ gatherMs: 0, backoffMs: 1, timeoutMs: 20, stopMs: 50 }, url)
      await service.createPoll(await service.createBrand())
      await eventually(async () => (await counted(service)).failed === 2)
      const [warning = ''] = warnings(service)
      expect(warning).not.toBe('')
      expect(warning).not.toContain(url)
      await service.createPoll(await service.createBrand())
      await service.stop()
    }
    held.resolve(new Response())
  })

  test('are made by commands too, before they end', async () => {
    const place = await newPlace('sqlite')
    const settings = { ...place.settings, ...settingsOf(cdn.url) }
    await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], settings)
    const before = cdn.purges.length
    await tossupJson(['brand', 'rename', 'acme', '--name', 'Acme & Sons'], settings)
    expect(cdn.purges.slice(before).map(({ keys }) => keys)).toEqual([['brand-acme']])
    await tossupJson(['brand', 'delete', 'acme', '--yes'], settings)
    expect(cdn.purges.slice(before).map(({ keys }) => keys)).toEqual([['brand-acme'], ['brand-acme']])
    cdn.answer = () => new Response(null, { status: 500 })
    await tossupJson(['brand', 'create', '--slug', 'other', '--name', 'Other'], settings)
    const { code, stderr } = await tossup(['brand', 'delete', 'other', '--yes'], settings)
    expect([code, stderr]).toEqual([0, expect.stringContaining('not purged from the CDN: the CDN answered 500')])
    expect(stderr).not.toContain(TOKEN)
    await place.clear()
  })
})

describe.if(engines.includes('postgres'))('two servers on one PostgreSQL', () => {
  test('purge only what their own transactions changed', async () => {
    const database = await createDatabase()
    const cdns = [new Cdn(), new Cdn()] as const
    const begin = (cdn: Cdn) =>
      startTestService('postgres', { database, settings: settingsOf(cdn.url), purgeTimes: { gatherMs: 0 } })
    const [one, other] = [await begin(cdns[0]), await begin(cdns[1])]
    const brand = await one.createBrand()
    const poll = await one.createPoll(brand)
    await other.get(`polls/${poll.slug}`)
    await patchPoll(one, brand, poll.slug, { title: 'Of the first?' })
    await eventually(async () => (await other.get<PollData>(`polls/${poll.slug}`)).body.data.title === 'Of the first?')
    await other.write('PATCH', 'brands/me', { token: brand.token, json: { displayName: 'Of the other' } })
    await cdns[1].until(1)
    await cdns[0].until(1)
    for (const service of [one, other]) await service.stop()
    expect(cdns[1].keys).toEqual([`brand-${brand.slug}`])
    expect(new Set(cdns[0].keys)).toEqual(new Set([`poll-${poll.id}`, `lists-${brand.slug}`]))
    for (const cdn of cdns) await cdn.stop()
    await database.drop()
  })
})
