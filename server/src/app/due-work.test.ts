import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createCampaign, deleteCampaign } from '../../test/campaigns.ts'
import { engines } from '../../test/engines.ts'
import { paint } from '../../test/pictures.ts'
import { deletePoll, fromNow, HOUR } from '../../test/polls.ts'
import { startTestService, type TestBrand, type TestService } from '../../test/service.ts'
import { upload } from '../../test/uploads.ts'
import { createWebhook, deleteWebhook, sendTest } from '../../test/webhooks.ts'
import { dueWork } from './due-work.ts'

const DAY = 24 * HOUR

/** A new poll has an event for the feed of its brand, and a log to begin. */
const OF_A_NEW_POLL = ['deliveries', 'logs of polls']

describe.each([...engines])('%s: what is due', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeEach(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterEach(() => service.stop())

  /** The jobs that have work within this time, but for the end of tokens. */
  async function dueWithin(milliseconds = 0): Promise<string[]> {
    const until = service.clock.now() + milliseconds
    const found = await dueWork(service.db)
    return [...found].flatMap(([name, at]) => (at <= until && name !== 'expiry' ? [name] : [])).sort()
  }

  test('is nothing at first, and of each kind when there is work, until that is done', async () => {
    expect(await dueWithin()).toEqual([])
    expect(await dueWithin(2 * DAY)).toEqual([])

    await service.createPoll(brand, { opensAt: fromNow(HOUR) })
    expect(await dueWithin(HOUR - 60_000)).toEqual(OF_A_NEW_POLL)
    expect(await dueWithin(HOUR)).toEqual([...OF_A_NEW_POLL, 'opening and closing'])

    const webhook = await createWebhook(service, brand, { events: ['poll.created', 'poll.tallies_updated'] })
    const poll = await service.createPoll(brand)
    expect(await dueWithin()).toEqual(OF_A_NEW_POLL)
    await service.runDue()
    expect(await dueWithin()).toEqual([])
    // The first attempt has failed: its name does not resolve.
    expect(await dueWithin(60_000)).toEqual(['deliveries'])
    await sendTest(service, brand, webhook)
    expect(await dueWithin()).toEqual(['deliveries'])
    await service.vote(poll.slug, 'A')
    expect(await dueWithin()).toEqual(['changed counts', 'deliveries'])

    const campaign = await createCampaign(service, brand, [poll])
    expect(await dueWithin()).toContain('respondents')
    await deleteWebhook(service, brand, webhook.id)
    // Simulates a webhook with more deliveries than its deletion removes.
    await service.db.insertInto('deleted_webhooks').values({ key: 1_000_000 }).execute()
    expect(await dueWithin()).toContain('webhook orphans')
    await deleteCampaign(service, brand, campaign.campaignId)
    expect(await dueWithin()).toContain('deleted campaigns')
    await deletePoll(service, brand, poll.slug)
    expect(await dueWithin()).toContain('deleted votes')
    await service.runDue()
    service.clock.advance(10_000)
    await service.runDue()
    expect(await dueWithin()).toEqual([])
  })

  test('is a picture, a file that is removed, and the end of a token', async () => {
    await upload(service, brand, { slot: 'optionA', contentType: 'image/png', bytes: paint({ width: 2, height: 1 }) })
    // Simulates a server that died after it had stored the picture.
    await service.db.updateTable('files').set({ variants_due_at: 1 }).execute()
    expect(await dueWithin()).toEqual([...OF_A_NEW_POLL, 'pictures'])
    await service.runDue()
    expect(await dueWithin()).toEqual([])
    await service.db.updateTable('files').set({ removed_at: 1 }).execute()
    expect(await dueWithin()).toEqual(['files'])
    const first = await service.db.selectFrom('access_tokens').select('expires_at').executeTakeFirstOrThrow()
    expect((await dueWork(service.db)).get('expiry')).toBe(first.expires_at)
    service.clock.advance(2 * DAY)
    await service.runDue()
    expect((await dueWork(service.db)).get('expiry') ?? Number.POSITIVE_INFINITY).toBeGreaterThan(service.clock.now())
    expect(await dueWithin()).toEqual([])
  })
})
