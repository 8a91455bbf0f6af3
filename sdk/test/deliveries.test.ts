import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampleEngines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { startTestService, type TestService } from '../../server/test/service.ts'
import { Tossup, verifyWebhook, type WebhookEvent } from '../src/index.ts'

type DataOf<Type> = Extract<WebhookEvent, { type: Type }>['data']

describe.each([...sampleEngines])('what the service delivers, on %s', (engine) => {
  let service: TestService
  const events: WebhookEvent[] = []
  let secrets: string[] = []
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      // Each of the secrets must suffice alone.
      const body = await request.text()
      for (const secret of secrets) {
        const { id, event } = await verifyWebhook({ body, headers: request.headers, secret })
        if (id === request.headers.get('webhook-id') && secret === secrets[0]) events.push(event)
      }
      return new Response()
    },
  })

  beforeAll(async () => {
    service = await startTestService(engine, { settings: { WEBHOOK_ALLOW_PRIVATE: 'true' }, delivery: { pollMs: 20 } })
  })

  afterAll(async () => {
    await service.stop()
    await receiver.stop(true)
  })

  async function next<Type extends WebhookEvent['type']>(type: Type): Promise<DataOf<Type>> {
    const seen = () => events.map((event) => event.type)
    const found = await eventually(() => events.find((event) => event.type === type), { seen })
    return found.data as DataOf<Type>
  }

  test('is verified by either secret of a rotation, and has the data of its type', async () => {
    const { apiKeyId, apiKeySecret } = await service.createBrand()
    const auth = { apiKeyId, apiKeySecret, externalDeviceId: 'me' }
    const tossup = new Tossup({ url: service.service.url, auth })
    const { id, secret } = await tossup.createWebhook({
      url: `http://127.0.0.1:${receiver.port}/`,
      events: ['poll.voted', 'poll.created', 'poll.deleted', 'campaign.completed'],
    })
    secrets = [secret, (await tossup.rotateWebhookSecret(id)).secret]
    const options = { optionA: { label: 'x' }, optionB: { label: 'y' } }
    const poll = await tossup.createPoll({ title: 'Tea?', ...options })
    const campaign = await tossup.createCampaign({ title: 'One', polstIds: [poll.id] })
    const vote = await tossup.castVote(poll.slug, 'B')
    expect((await next('poll.created')).poll).toEqual(poll)
    const { votedAt, tallies } = vote
    const name = { id: poll.id, slug: poll.slug }
    expect(await next('poll.voted')).toMatchObject({ poll: name, option: 'B', votedAt, tallies })
    expect(await next('campaign.completed')).toMatchObject({
      campaign: { campaignId: campaign.campaignId, title: 'One' },
      completedSteps: 1,
      totalSteps: 1,
    })
    await tossup.deletePoll(poll.slug)
    expect((await next('poll.deleted')).poll).toEqual(name)
  })
})
