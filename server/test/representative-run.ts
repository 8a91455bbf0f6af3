import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dueWork } from '../src/app/due-work.ts'
import { startWorker } from '../src/app/worker.ts'
import { seedDemo } from '../src/cli/demo/seed.ts'
import { Voters } from '../src/db/sqlite/voters.ts'
import type { Tx } from '../src/db/store.ts'
import { transaction } from '../src/db/transaction.ts'
import { EVENT_TYPES } from '../src/events/event-catalogue.ts'
import { IntegrityWatch } from '../src/features/analytics/integrity/integrity-watch.ts'
import { ViewCounts } from '../src/features/analytics/sources/view-counts.ts'
import { brandsCalled, contentsOf } from '../src/features/brands/brands.ts'
import { purgeGuests } from '../src/features/campaigns/respondents/purge-guests.ts'
import { allCodeLists, findAnyCodeList, findCampaignWithList, findPollWithList } from '../src/features/codes/queries.ts'
import { extendLogs } from '../src/features/log/extend-logs.ts'
import { restartLogs } from '../src/features/log/restart-logs.ts'
import { deleteBrand } from '../src/features/operator/delete-brand.ts'
import { createApp, findApp, listApps, revokeApp } from '../src/features/people/apps/apps.ts'
import { Mailer } from '../src/features/people/mail/mailer.ts'
import { brandOfNewcomers } from '../src/features/people/oidc/oidc-sign-in.ts'
import {
  countedCategories,
  createCategory,
  deleteCategory,
  renameCategory,
} from '../src/features/polls/change-category.ts'
import { Popularity } from '../src/features/polls/popularity.ts'
import { TallyAuditor } from '../src/features/votes/tally-auditor.ts'
import { openListener, removeSilentListeners } from '../src/features/webhooks/sending/listener.ts'
import { DeliveryBacklog } from '../src/features/webhooks/sending/queue.ts'
import { DELIVERY_POLICY } from '../src/features/webhooks/sending/record-outcomes.ts'
import { newDevice, pollKeyOf } from './ballot-box.ts'
import { type CampaignData, createCampaign, deleteCampaign, patchCampaign } from './campaigns.ts'
import { createCodeList, issueCodes, voteByCode } from './codes.ts'
import type { EngineName } from './engines.ts'
import { MailBox } from './mail-box.ts'
import { newNetwork } from './network.ts'
import { CLIENT, LyingProvider } from './oidc-providers.ts'
import { addMember } from './people.ts'
import { paint } from './pictures.ts'
import { deletePoll, everyPage, fromNow, HOUR, patchPoll } from './polls.ts'
import { Scene } from './scene.ts'
import { type PollData, startTestService } from './service.ts'
import { StreamClient } from './stream-client.ts'
import { newTicket, upload } from './uploads.ts'
import { castMany } from './voters.ts'
import { createWebhook, patchWebhook, sendTest } from './webhooks.ts'

const DAY = 24 * HOUR

interface Made {
  readonly polls: readonly [PollData, PollData, PollData]
  readonly campaign: CampaignData
  readonly devices: readonly string[]
}

/** Uses every feature of the service at least once, on one database. The service continues to run. */
export async function runEverything(engine: EngineName): Promise<Scene> {
  const settings = { DATA_DIR: await mkdtemp(join(tmpdir(), 'tossup-test-')) }
  const demo = await startTestService(engine, { settings, keepsData: true })
  await seedDemo(demo.service)
  await demo.stop()
  const provider = new LyingProvider()
  const oidc = { OIDC_ISSUER: provider.url, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret }
  const box = new MailBox()
  await box.open()
  const scene = await Scene.open(engine, { settings: { ...settings, ...oidc, SMTP_URL: box.url } })
  if (engine === 'sqlite') await voteInBlocks(scene)
  for (const route of scene.routes) await scene.send(route, await scene.valid(route))
  await listenToEverything(scene)
  const made = await make(scene)
  await voteBesideOthers(scene)
  await voteOnManyPolls(scene)
  await voteByCodes(scene)
  await read(scene, made)
  await keepLogs(scene, made)
  await change(scene, made)
  await deleteAnother(scene)
  await runJobs(scene)
  await signInWithProvider(scene, provider)
  await box.close()
  return scene
}

async function signInWithProvider({ service, owner }: Scene, provider: LyingProvider): Promise<void> {
  const { headers } = await service.get('auth/oidc')
  const { searchParams } = new URL(headers.get('location') ?? '')
  provider.nonce = searchParams.get('nonce') ?? ''
  provider.lie = { claims: { email: owner.email } }
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  const query = `?code=any&state=${searchParams.get('state')}`
  const { status } = await service.get(`auth/oidc/callback${query}`, { headers: { Cookie: cookie } })
  if (status !== 302) throw new Error(`the provider signed nobody in: ${status}`)
  await provider.close()
}

async function listenToEverything({ service, brand }: Scene): Promise<void> {
  await createWebhook(service, brand, { events: EVENT_TYPES })
  await openListener(service.deps, { brandKey: brand.brandKey, events: EVENT_TYPES })
}

async function make({ service, brand }: Scene): Promise<Made> {
  const { db, deps } = service
  const category = await createCategory(db, deps, { slug: 'hot-drinks', name: 'Hot drinks' })
  const picture = async (slot: 'optionA' | 'optionB') =>
    (await upload(service, brand, { slot, contentType: 'image/png', bytes: paint({ width: 800, height: 800 }) }))
      .publicUrl
  await newTicket(service, brand, { slot: 'optionB', contentType: 'image/png' })
  const common = { tags: ['tea', 'coffee'], categoryIds: category ? [category.id] : [] }
  const polls = [
    await service.createPoll(brand, {
      ...common,
      title: 'Tea or cocoa?',
      optionA: { label: 'Tea', imageUrl: await picture('optionA') },
      optionB: { label: 'Cocoa', imageUrl: await picture('optionB') },
    }),
    await service.createPoll(brand, { ...common, title: 'Milk?', closesAt: fromNow(HOUR) }),
    await service.createPoll(brand, { title: 'Later?', opensAt: fromNow(HOUR), closesAt: fromNow(2 * HOUR) }),
  ] as const
  const devices = Array.from({ length: 4 }, () => randomUUID())
  const vote = (poll: PollData) => Promise.all(devices.map((device) => service.vote(poll.slug, 'A', device)))
  await vote(polls[0])
  const campaign = await createCampaign(service, brand, [polls[0], polls[1]])
  await vote(polls[1])
  await castMany(service, await pollKeyOf(service, polls[0]), 20)
  const source = 'poster'
  await service.write('POST', 'brands/me/source-names', { token: brand.token, json: { name: source } })
  const json = { option: 'A', source, campaign: campaign.campaignId }
  await service.post(`polls/${polls[0].slug}/votes`, { device: randomUUID(), json })
  await service.post(`polls/${polls[0].slug}/views?source=${source}&campaign=${campaign.campaignId}`)
  await service.request('GET', `/p/${polls[0].shortId}?utm_source=${source}`)
  return { polls, campaign, devices }
}

/** Codes of two polls, one of which is deleted, and of a list that is. */
async function voteByCodes({ service, brand }: Scene): Promise<void> {
  const { codeListId } = await createCodeList(service, brand, 'Members')
  const codes = await issueCodes(service, brand, { codeListId, count: 3 })
  const polls = [await service.createPoll(brand, { codeListId }), await service.createPoll(brand)]
  const { campaignId } = await createCampaign(service, brand, polls.slice(0, 1))
  const { db } = service
  const list = await findAnyCodeList(db, codeListId)
  await findPollWithList(db, list?.key ?? 0, polls[0]?.slug ?? '')
  await findCampaignWithList(db, list?.key ?? 0, campaignId)
  await allCodeLists(db, brand.brandKey)
  for (const { slug } of polls) await patchPoll(service, brand, slug, { codeListId, isDraft: false })
  for (const poll of polls)
    for (const code of codes) await voteByCode(service, poll, { code, device: randomUUID(), headers: newNetwork() })
  await deletePoll(service, brand, polls[1]?.slug ?? '')
  const other = await createCodeList(service, brand, 'Guests')
  await issueCodes(service, brand, { codeListId: other.codeListId, count: 3 })
  await service.write('DELETE', `brands/me/code-lists/${other.codeListId}`, { token: brand.token })
}

/** Votes that another process knows of, and blocks of prints that a vote completes. */
async function voteInBlocks({ service }: Scene): Promise<void> {
  const { id } = (await service.get<PollData>('polls/tea-or-coffee')).body.data
  const pollKey = await pollKeyOf(service, { id })
  await castMany(service, pollKey, 20)
  const file = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'), { strict: true })
  const voters = new Voters(file, { block: 8 })
  voters.transaction(() => voters.of(pollKey).find(newDevice()))
  new Voters(file, { block: 8 }).find(pollKey, newDevice())
  voters.hasAllBlocks(pollKey)
  file.close()
  const device = randomUUID()
  await service.vote('tea-or-coffee', 'A', device)
  await service.get('polls/tea-or-coffee/votes/me', { device })
}

/** In one group. */
async function voteOnManyPolls({ service, brand }: Scene): Promise<void> {
  const polls = await Promise.all(Array.from({ length: 12 }, () => service.createPoll(brand)))
  const keys = await Promise.all(polls.map((poll) => pollKeyOf(service, poll)))
  const device = newDevice()
  await Promise.all(keys.map((pollKey) => service.service.ledger.cast({ pollKey, device, option: 'A' })))
  for (const { slug } of polls) await service.get(`polls/${slug}/votes/me`)
}

/** A vote of another process, a tally that is far too high, and its repair. */
async function voteBesideOthers({ service, brand }: Scene): Promise<void> {
  const poll = await service.createPoll(brand)
  const pollKey = await pollKeyOf(service, poll)
  await castMany(service, pollKey, 1)
  const add = 'insert into votes (poll_key, device, option, voted_at, position) values (?, zeroblob(16), ?, ?, 2)'
  if (service.deps.engine.name === 'sqlite') {
    await service.db.selectFrom('votes').select('position').where('poll_key', '=', pollKey).execute()
    const file = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'), { strict: true })
    file.run(add, [pollKey, 'A', Date.now()])
    file.close()
  } else {
    const vote = {
      poll_key: pollKey,
      device: new Uint8Array(16),
      option: 'A',
      voted_at: Date.now(),
      position: 2,
    } as const
    await transaction(service.deps.engine, (tx) => tx.insertInto('votes').values(vote).execute())
  }
  for (const votes of [2, 900_000_000_000, 3]) {
    await transaction(service.deps.engine, (tx) =>
      tx.updateTable('tallies').set({ option_a: votes }).where('poll_key', '=', pollKey).execute(),
    )
    const device = randomUUID()
    for (const option of ['A', 'B'] as const) await service.vote(poll.slug, option, device)
  }
  await deletePoll(service, brand, poll.slug)
}

async function read({ service, brand }: Scene, { polls, campaign, devices }: Made): Promise<void> {
  const [poll] = polls
  const mine = { token: brand.token }
  for (const path of [
    ...['all', 'open', 'closed'].flatMap((status) =>
      ['recent', 'popular', 'closing'].map((order) => `brands/${brand.slug}/polls?status=${status}&order=${order}`),
    ),
    `brands/${brand.slug}/campaigns`,
  ])
    await everyPage(service, path, { limit: 1 })
  for (const path of [
    ...['', 'status=open', 'status=closed', 'status=scheduled', 'isDraft=true', 'isDraft=false', 'archived=true'].map(
      (filter) => `brands/me/polls?${filter}`,
    ),
    ...['archived=false', 'tag=tea', 'category=hot-drinks', 'q=tea', 'q=e&status=open&tag=tea&archived=false'].map(
      (filter) => `brands/me/polls?${filter}`,
    ),
    'brands/me/campaigns',
    `brands/me/campaigns/${campaign.campaignId}/responses`,
    `brands/me/polls/${poll.slug}/voters`,
    'brands/me/webhooks',
    ...['order=popular', 'order=title', 'order=closing', 'order=closing&status=open'].map(
      (query) => `brands/me/polls?${query}`,
    ),
    ...['', 'actor=operator', 'action=poll.created', `subject=${poll.id}`].map(
      (query) => `brands/me/activity?${query}`,
    ),
  ])
    await everyPage(service, path, { ask: mine, limit: 1 })
  for (const query of ['', '?types=poll.created', '?types=poll.created,poll.closed']) {
    const { body } = await service.get(`brands/me/events${query}`, mine)
    await service.get(`brands/me/events${query ? `${query}&` : '?'}cursor=${body.nextCursor}`, mine)
  }
  for (const path of [`brands/me/campaigns/${campaign.campaignId}/responses`, `brands/me/polls/${poll.slug}/voters`])
    await service.get(path, { ...mine, headers: { Accept: 'text/csv' } })
  for (const bucket of ['minute', 'hour', 'day', 'week'])
    for (const tz of ['UTC', 'Europe/Berlin', 'Asia/Kolkata'])
      await service.get(`brands/me/polls/${poll.slug}/timeline?bucket=${bucket}&tz=${tz}`, mine)
  await service.get('brands/me/summary?days=300&tz=Europe/Berlin', mine)
  await service.get('brands/me/summary', mine)
  await service.get(`brands/me/campaigns/${campaign.campaignId}/funnel`, mine)
  const [rows, columns] = campaign.polsts
  await service.get(
    `brands/me/campaigns/${campaign.campaignId}/crosstab?rows=${rows?.slug}&columns=${columns?.slug}`,
    mine,
  )
  await service.get(`brands/me/polls/${poll.slug}/insight`, mine)
  await service.get(`brands/me/polls/${poll.slug}/log`, mine)
  await service.get(`brands/me/polls/${poll.slug}/integrity`, mine)
  for (const path of [
    `polls/${poll.slug}/sources`,
    'sources',
    `campaigns/${campaign.campaignId}/sources`,
    'source-names',
  ])
    await service.get(`brands/me/${path}`, mine)
  for (const device of devices) {
    await service.get(`campaigns/${campaign.campaignId}`, { device })
    await service.get(`polls/${poll.slug}/vote`, { device })
    await service.vote(poll.slug, 'B', device)
  }
  const stream = await StreamClient.open(`${service.service.url}/api/rest/v1/polls/${poll.slug}/stream`)
  await service.vote(poll.slug, 'A')
  stream.leave()
}

/** A receipt before its poll has a log, a log with a tile that is stored, and its end. */
async function keepLogs({ service, brand }: Scene, { polls: [poll], devices: [device = ''] }: Made): Promise<void> {
  const { deps, db } = service
  const young = await service.createPoll(brand)
  await service.vote(young.slug, 'A', device)
  await service.get(`polls/${young.slug}/votes/me/receipt`, { device })
  await castMany(service, await pollKeyOf(service, poll), 300)
  await db.updateTable('polls').set({ vote_total: 300 }).where('id', '=', poll.id).execute()
  await extendLogs(deps)
  await service.get(`polls/${poll.slug}/votes/me/receipt`, { device })
  const { body } = await service.get<{ url: string }>(`polls/${poll.slug}/log`)
  await service.get(`${new URL(body.data.url).pathname}/tile/1/000.p/1`)
  await transaction(deps.engine, (tx) => restartLogs(tx, service.clock.now()))
}

async function change({ service, brand }: Scene, { polls, campaign, devices }: Made): Promise<void> {
  const [first, second, third] = polls
  const mine = { token: brand.token }
  const hook = await createWebhook(service, brand, { events: ['poll.updated'] })
  await sendTest(service, brand, hook)
  await patchWebhook(service, brand, hook.id, { status: 'DISABLED' })
  await service.write('POST', `brands/me/webhooks/${hook.id}/rotate-secret`, mine)
  await patchWebhook(service, brand, hook.id, { status: 'ACTIVE' })
  await patchPoll(service, brand, second.slug, { title: 'Sugar?', tags: ['sugar'] })
  await patchPoll(service, brand, third.slug, { opensAt: null, closesAt: fromNow(2 * HOUR) })
  await patchCampaign(service, brand, campaign.campaignId, { polstIds: [third.id, first.id], title: 'Evening' })
  await patchPoll(service, brand, second.slug, { archived: true })
  const other = await createCampaign(service, brand, [first])
  await deleteCampaign(service, brand, other.campaignId)
  await service.request('DELETE', 'guests/me', { device: devices[0] ?? '' })
  await deletePoll(service, brand, second.slug)
  await countedCategories(service.db)
  const inWrite = <T>(work: (tx: Tx) => Promise<T>) => transaction(service.deps.engine, work)
  await inWrite((tx) =>
    renameCategory(tx, service.deps, { slug: 'hot-drinks', newSlug: 'warm-drinks', name: 'Warm drinks' }),
  )
  await inWrite((tx) => deleteCategory(tx, service.deps, 'warm-drinks'))
  const app = await createApp(service.db, service.deps, { brandKey: brand.brandKey, scopes: ['view'] })
  await listApps(service.db)
  const made = await findApp(service.db, app.apiKeyId)
  if (made) await revokeApp(service.db, made.key, service.clock.now())
}

/** Deletes a brand. The worker removes its polls, campaigns and pictures later. */
async function deleteAnother({ service }: Scene): Promise<void> {
  const { deps, db } = service
  const other = await service.createBrand()
  const poll = await service.createPoll(other)
  await service.vote(poll.slug, 'A')
  await createCampaign(service, other, [poll])
  await upload(service, other, { slot: 'optionA', contentType: 'image/png', bytes: paint({ width: 800, height: 800 }) })
  await createWebhook(service, other, { events: ['poll.voted'] })
  await addMember(service, other, 'owner')
  const [brand] = await brandsCalled(db, other.slug)
  if (brand) await contentsOf(db, brand.key)
  await brandsCalled(db, 'no such brand')
  await transaction(deps.engine, (tx) => deleteBrand(deps, tx, other.brandKey))
  await brandOfNewcomers(deps.engine.db, { ...deps.config, oidcDefaultRole: 'analyst' })
}

/** Runs every job of the worker with work to do, then again when everything that can expire has expired. */
async function runJobs({ service, poll, owner }: Scene): Promise<void> {
  const { deps, clock } = service
  const watch = new IntegrityWatch(deps)
  const mailer = new Mailer(deps.config, deps.log)
  const json = { pollClosed: true, firstVote: true, roundNumbers: true, weeklyDigest: true }
  await service.write('PATCH', 'brands/me/mail-preferences', { token: owner.token, json })
  const pollKey = await pollKeyOf(service, poll)
  for (const days of [0, 40]) {
    clock.advance(days * DAY)
    const stuffed = { networks: ['192.0.2.1'], isSolved: false, hasOrigin: true } as const
    for (let votes = 0; votes < 120; votes++) watch.counted(pollKey, stuffed)
    const worker = startWorker(deps, {
      popularity: new Popularity(deps.engine),
      auditor: new TallyAuditor(deps),
      ledger: service.service.ledger,
      watch,
      views: new ViewCounts(deps),
      backlog: new DeliveryBacklog(deps.engine.db),
      mailer,
      // Names do not resolve here, and an attempt tells that only late.
      deliveryPolicy: { ...DELIVERY_POLICY, timeoutMs: 50 },
      mode: 'by hand',
      role: 'all',
    })
    await dueWork(deps.engine.db)
    await worker.runDue()
    await worker.stop()
  }
  await removeSilentListeners(deps, clock.now())
  await purgeGuests(deps.engine, clock.now() + DAY)
}
