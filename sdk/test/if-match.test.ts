import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampleEngines } from '../../server/test/engines.ts'
import { startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { etagOf, isTossupError, type PatchOptions, Tossup } from '../src/index.ts'

describe.each([...sampleEngines])('on %s: ifMatch', (engine) => {
  let service: TestService
  let brand: TestBrand
  let tossup: Tossup
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
    const { apiKeyId, apiKeySecret } = brand
    tossup = new Tossup({
      url: service.service.url,
      auth: { apiKeyId, apiKeySecret, externalDeviceId: 'a-server' },
      retries: 0,
    })
  })
  afterAll(() => service.stop())

  const codeOf = async (call: Promise<unknown>): Promise<string> => {
    try {
      await call
      return 'fine'
    } catch (error) {
      return isTossupError(error) ? `${error.status} ${error.code}` : String(error)
    }
  }

  test('lets the first change of each kind of resource through, and not the second', async () => {
    const poll = await service.createPoll(brand)
    const { campaignId } = await tossup.createCampaign({ title: 'Breakfast', polstIds: [poll.id] })
    const { id } = await tossup.createWebhook({ url: 'https://hooks.example/', events: ['webhook.test'] })
    const kinds: [() => Promise<object>, (text: string, options: PatchOptions) => Promise<object>][] = [
      [() => tossup.getOwnPoll(poll.slug), (title, options) => tossup.updatePoll(poll.slug, { title }, options)],
      [
        () => tossup.getOwnCampaign(campaignId),
        (title, options) => tossup.updateCampaign(campaignId, { title }, options),
      ],
      [() => tossup.getWebhook(id), (description, options) => tossup.updateWebhook(id, { description }, options)],
      [() => tossup.getOwnBrand(), (description, options) => tossup.updateBrand({ description }, options)],
      [
        () => tossup.getOwnTheme(),
        (text, options) => tossup.updateTheme({ accent: text === 'one' ? '#000001' : '#000002' }, options),
      ],
    ]
    for (const [read, update] of kinds) {
      const ifMatch = etagOf(await read())
      const changed = await update('one', { ifMatch })
      expect(await codeOf(update('two', { ifMatch }))).toBe('412 PRECONDITION_FAILED')
      expect(await codeOf(update('two', { ifMatch: etagOf(changed) }))).toBe('fine')
      expect(await codeOf(update('one', {}))).toBe('fine')
    }
  })

  test('accepts the ETag of a resource that was just created, and votes do not make it fail', async () => {
    const made = await tossup.createPoll({ title: 'Tea?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' } })
    await service.vote(made.slug, 'A')
    expect(await codeOf(tossup.updatePoll(made.slug, { title: 'Tea!' }, { ifMatch: etagOf(made) }))).toBe('fine')
    expect(() => etagOf({ ...made })).toThrow('etagOf')
  })
})
