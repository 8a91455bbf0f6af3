import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EVENT_TYPES } from '../src/bus/event-catalogue.ts'
import { seedDemo } from '../src/cli/demo/seed.ts'
import { TallyAuditor } from '../src/features/audit/tally-auditor.ts'
import { openListener, removeSilentListeners } from '../src/features/deliveries/listener.ts'
import { purgeGuests } from '../src/features/guests/purge-guests.ts'
import { createCategory } from '../src/features/polls/create-category.ts'
import { Popularity } from '../src/features/polls/feed/popularity.ts'
import { StreamWatchdog } from '../src/features/polls/streams/stream-watchdog.ts'
import { createApp, listApps, revokeApp } from '../src/features/tokens/apps.ts'
import { startWorker } from '../src/worker.ts'
import { pollKeyOf } from './ballot-box.ts'
import { type CampaignData, createCampaign, deleteCampaign, patchCampaign } from './campaigns.ts'
import type { EngineName } from './engines.ts'
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

/** Uses every feature of the service at least once, on one database. The service goes on running. */
export async function runEverything(engine: EngineName): Promise<Scene> {
  const settings = { DATA_DIR: await mkdtemp(join(tmpdir(), 'tossup-test-')) }
  const demo = await startTestService(engine, { settings, keepsData: true })
  await seedDemo(demo.service)
  await demo.stop()
  const scene = await Scene.open(engine, settings)
  for (const route of scene.routes) await scene.send(route, await scene.valid(route))
  await listenToEverything(scene)
  const made = await make(scene)
  await read(scene, made)
  await change(scene, made)
  await runJobs(scene)
  return scene
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
  // So many that a part of their devices is written down.
  await castMany(service, await pollKeyOf(service, polls[0]), 3_000)
  return { polls, campaign, devices }
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
  ])
    await everyPage(service, path, { ask: mine, limit: 1 })
  for (const path of [`brands/me/campaigns/${campaign.campaignId}/responses`, `brands/me/polls/${poll.slug}/voters`])
    await service.get(path, { ...mine, headers: { Accept: 'text/csv' } })
  for (const bucket of ['minute', 'hour', 'day'])
    await service.get(`brands/me/polls/${poll.slug}/timeline?bucket=${bucket}`, mine)
  for (const device of devices) {
    await service.get(`campaigns/${campaign.campaignId}`, { device })
    await service.get(`polls/${poll.slug}/vote`, { device })
    await service.vote(poll.slug, 'B', device)
  }
  const stream = await StreamClient.open(`${service.service.url}/api/rest/v1/polls/${poll.slug}/stream`)
  await service.vote(poll.slug, 'A')
  stream.leave()
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
  const app = await createApp(service.db, service.deps, { brandKey: brand.brandKey, scopes: ['view'] })
  await listApps(service.db)
  await revokeApp(service.db, app.appId, service.clock.now())
}

/** Every job of the worker, at once and with work for each; then again when everything that expires has expired. */
async function runJobs({ service }: Scene): Promise<void> {
  const { deps, clock } = service
  for (const days of [0, 40]) {
    clock.advance(days * DAY)
    const worker = startWorker(deps, {
      popularity: new Popularity(deps.engine),
      auditor: new TallyAuditor(deps),
      watchdog: new StreamWatchdog(deps, service.service.streams),
      ledger: service.service.ledger,
      deliveryPolicy: undefined,
    })
    await worker.stop()
  }
  await removeSilentListeners(deps, clock.now())
  await purgeGuests(deps.engine, clock.now() + DAY)
}
