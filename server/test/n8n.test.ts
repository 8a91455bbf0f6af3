import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createRequire } from 'node:module'
import { Receiver } from './receiver.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

const PACKAGE = new URL('../../integrations/n8n/', import.meta.url).pathname
/** The package is CommonJS, as n8n loads it. */
const load = createRequire(import.meta.url)
const nodeOf = (name: string) => new (load(`${PACKAGE}nodes/Tossup/${name}.node.js`)[name])()
const { TossupApi } = load(`${PACKAGE}credentials/TossupApi.credentials.js`)

interface Request {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly qs?: Record<string, string>
  readonly body?: object
}

/** The requests of n8n, with an error in the form of its HTTP client. */
async function httpRequest({ method, url, headers, qs = {}, body }: Request): Promise<unknown> {
  const reply = await fetch(`${url}?${new URLSearchParams(qs)}`, {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const data = reply.status === 204 ? '' : await reply.json()
  if (!reply.ok) throw Object.assign(new Error(`status ${reply.status}`), { response: { status: reply.status, data } })
  return data
}

/** The part of n8n's interfaces that the nodes use, as n8n-workflow declares it: the `this` of a node. */
class Runner {
  readonly #credentials: Record<string, string>
  readonly #parameters: Record<string, unknown>
  readonly kept: Record<string, unknown> = {}
  webhookUrl = ''
  mode = 'trigger'
  failsOn = false
  readonly helpers

  constructor(credentials: Record<string, string>, parameters: Record<string, unknown>) {
    this.#credentials = credentials
    this.#parameters = parameters
    this.helpers = {
      httpRequestWithAuthentication: async (_name: string, request: Request) => {
        const api = new TossupApi()
        const { accessToken } = await api.preAuthentication.call({ helpers: { httpRequest } }, this.#credentials)
        const Authorization = api.authenticate.properties.headers.Authorization.slice(1).replace(
          '{{$credentials.accessToken}}',
          accessToken,
        )
        return httpRequest({ ...request, headers: { ...request.headers, Authorization } })
      },
    }
  }

  getCredentials = async () => this.#credentials
  getInputData = () => [{ json: {} }]
  getNodeParameter = (name: string, _item?: number, otherwise?: unknown) => this.#parameters[name] ?? otherwise
  continueOnFail = () => this.failsOn
  getWorkflowStaticData = () => this.kept
  getNodeWebhookUrl = () => this.webhookUrl
  getMode = () => this.mode
}

type Items = { json: Record<string, unknown> }[][]

describe('the nodes of n8n', () => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService('sqlite', { jobs: 'by hand', settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const runner = (parameters: Record<string, unknown>) =>
    new Runner({ url: `${service.service.url}/`, keyId: brand.apiKeyId, keySecret: brand.apiKeySecret }, parameters)

  async function run(parameters: Record<string, unknown>): Promise<Record<string, unknown>[]> {
    const [items = []]: Items = await nodeOf('Tossup').execute.call(runner(parameters))
    return items.map(({ json }) => json)
  }

  test('are the ones that the package names', async () => {
    const { n8n } = await Bun.file(`${PACKAGE}package.json`).json()
    for (const path of [...n8n.nodes, ...n8n.credentials]) {
      const [name = ''] = path.split('/').at(-1).split('.')
      expect(Object.keys(load(PACKAGE + path))).toEqual([name])
    }
  })

  test('create, publish, read and close a poll, and make its newsletter', async () => {
    const more = { tags: 'tea, coffee', closesAt: '' }
    const [made] = await run({ operation: 'create', title: 'Tea?', optionA: 'Yes', optionB: 'No', isDraft: true, more })
    expect(made).toMatchObject({ title: 'Tea?', isDraft: true, tags: ['tea', 'coffee'] })
    const poll = made?.['slug'] as string
    expect((await run({ operation: 'publish', poll }))[0]).toMatchObject({ isDraft: false, status: 'open' })
    await service.vote(poll, 'A')
    expect((await run({ operation: 'results', poll }))[0]).toMatchObject({ votes: 1, shareA: 1 })
    expect((await run({ operation: 'email', poll, source: 'news' }))[0]?.['text']).toContain('source=news&choose=B')
    expect((await run({ operation: 'close', poll }))[0]).toMatchObject({ status: 'closed' })
    expect((await run({ operation: 'get', poll }))[0]).toMatchObject({ slug: poll })
    for (let i = 0; i < 4; i++) await service.createPoll(brand)
    expect(await run({ operation: 'getAll', limit: 3 })).toHaveLength(3)
    expect(await run({ operation: 'getAll', status: 'closed', limit: 50 })).toHaveLength(1)
  })

  test('say why the service refuses, or go on with the error', async () => {
    const parameters = { operation: 'create', title: '', optionA: 'Yes', optionB: 'No' }
    await expect(run(parameters)).rejects.toThrow('title: ')
    const lenient = runner(parameters)
    lenient.failsOn = true
    const [[item]] = await nodeOf('Tossup').execute.call(lenient)
    expect(item.json.error).toContain('title: ')
  })

  test('the feed trigger starts with what happens after its first run, each event once', async () => {
    const feed = runner({ events: ['poll.created'] })
    const poll = async (): Promise<Items | null> => {
      await service.runDue()
      return nodeOf('TossupFeedTrigger').poll.call(feed)
    }
    expect(await poll()).toBeNull()
    const { id } = await service.createPoll(brand)
    expect((await poll())?.[0]?.map(({ json }) => json)).toMatchObject([
      { type: 'poll.created', data: { poll: { id } } },
    ])
    expect(await poll()).toBeNull()
    // Too old: everything that is left is new.
    await service.createPoll(brand)
    await service.runDue()
    service.clock.advance(40 * 86_400_000)
    await service.createPoll(await renewed())
    expect((await poll())?.[0]).toHaveLength(1)
    feed.mode = 'manual'
    expect((await poll())?.[0]).toHaveLength(1)
  })

  async function renewed(): Promise<TestBrand> {
    brand = { ...brand, token: (await service.exchange(brand)).accessToken }
    return brand
  }

  test('the webhook trigger makes its webhook, takes what is signed, and deletes it', async () => {
    const receiver = new Receiver()
    const trigger = runner({ events: ['poll.deleted'] })
    trigger.webhookUrl = receiver.url
    const { checkExists, create, delete: remove } = nodeOf('TossupTrigger').webhookMethods.default
    expect(await checkExists.call(trigger)).toBe(false)
    await create.call(trigger)
    expect(await checkExists.call(trigger)).toBe(true)
    const { slug } = await service.createPoll(await renewed())
    await service.write('DELETE', `brands/me/polls/${slug}`, { token: brand.token })
    await service.runDue()
    const { headers, body, id } = receiver.received[0] ?? { headers: {}, body: '', id: '' }

    const statuses: number[] = []
    const status = (code: number) => {
      statuses.push(code)
      return answer
    }
    const answer = { status, send: () => answer, end: () => answer }
    const hear = (rawBody: string) =>
      nodeOf('TossupTrigger').webhook.call({
        getRequestObject: () => ({ rawBody: Buffer.from(rawBody) }),
        getHeaderData: () => headers,
        getBodyData: () => JSON.parse(rawBody),
        getWorkflowStaticData: () => trigger.kept,
        getResponseObject: () => answer,
      })
    // The service of this test has its own clock.
    const real = Date.now
    const at = service.clock.now()
    Date.now = () => at
    expect(await hear(body)).toEqual({ workflowData: [[{ json: { id, ...JSON.parse(body) } }]] })
    expect(await hear(body.replace(slug, 'forged'))).toEqual({ noWebhookResponse: true })
    Date.now = real
    expect(await hear(body)).toEqual({ noWebhookResponse: true })
    expect(statuses).toEqual([401, 401])
    expect(await remove.call(trigger)).toBe(true)
    expect(await checkExists.call(trigger)).toBe(false)
    expect(await remove.call(trigger)).toBe(true)
    await receiver.stop()
  })
})
