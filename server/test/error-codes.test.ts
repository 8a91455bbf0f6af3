import { afterAll, afterEach, beforeAll, describe, expect, jest, setDefaultTimeout, spyOn, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createHttpApp } from '../src/app/app.ts'
import { type ErrorCode, rateLimited } from '../src/base/errors.ts'
import { transaction } from '../src/db/transaction.ts'
import { ConcurrencyLimit } from '../src/http/limits/concurrency-limit.ts'
import { fullPath, type Route } from '../src/http/route.ts'
import { type Refusal, refusalsOf } from '../tools/openapi/error-responses.ts'
import { createCampaign } from './campaigns.ts'
import { sampleEngines } from './engines.ts'
import { codeIn, codeOf } from './error-forms.ts'
import { newNetwork } from './network.ts'
import { LOCAL } from './peers.ts'
import { addMember } from './people.ts'
import { guardKind, type Sample, Scene } from './scene.ts'
import type { Ask } from './service.ts'

setDefaultTimeout(240_000)

/** Status and code of an answer. */
type Verdict = string

interface Provocation {
  readonly scene: Scene
  readonly route: Route
  readonly status: number
}

async function pollWithCodes({ service, brand, codeList }: Scene) {
  const { codeListId } = await codeList()
  return { codeListId, slug: (await service.createPoll(brand, { codeListId })).slug }
}

/** Provokes each code on a route. An entry is required for each code, because no route may declare others. */
const PROVOKE: Readonly<Record<ErrorCode, (asked: Provocation) => Promise<Verdict>>> = {
  UNAUTHORIZED: (asked) => sendAsOther(asked, {}),
  INVALID_API_KEY: (asked) => sendValid(asked, { headers: { 'X-API-Key-ID': 'tai_none', 'X-API-Key-Secret': 'none' } }),
  SCOPE_REQUIRED: (asked) => sendAs(asked, asked.scene.brand.brandKey),
  BRAND_CONTEXT_REQUIRED: (asked) => sendAs(asked, null),
  INVALID_LINK: (asked) => sendValid(asked, { json: { token: 'nonsense' } }),
  INVALID_PASSKEY: (asked) => sendChanged(asked, { credential: {} }),
  CROSS_ORIGIN: (asked) => {
    // Agents are programs: only browsers send an Origin to them.
    const headers =
      guardKind(asked.route) === 'agent' ? { Origin: 'https://elsewhere.example' } : { 'Sec-Fetch-Site': 'cross-site' }
    return sendValid(asked, { headers })
  },
  async LAST_OWNER({ scene, route }) {
    const path = fullPath(route.spec).replace('{memberId}', scene.owner.memberId)
    const json = route.spec.body ? { role: 'editor' } : undefined
    return send(scene, route, { path, ask: { token: scene.owner.token, key: randomUUID(), json } })
  },
  ALREADY_MEMBER: (asked) => sendChanged(asked, { email: asked.scene.owner.email.toUpperCase() }),
  MEMBER_REQUIRED: (asked) => sendAs(asked, asked.scene.brand.brandKey),
  async ROLE_REQUIRED(asked) {
    const { scene, route } = asked
    const { token, page } = await kept(asked, 'editor', () => addMember(scene.service, scene.brand, 'editor'))
    return sendAsOther(asked, guardKind(route) === 'session' ? { headers: page } : { token })
  },
  INVALID_SCOPE: (asked) => sendValid(asked, { json: { externalDeviceId: 'anybody', scopes: ['nonsense'] } }),
  INVALID_REFRESH_TOKEN: (asked) => sendValid(asked, { json: { refreshToken: 'nonsense' } }),
  RATE_LIMITED: whileLimited,

  IDEMPOTENCY_KEY_REQUIRED: async ({ scene, route }) =>
    send(scene, route, await scene.bare(route), scene.credentials(route, {})),
  IDEMPOTENCY_KEY_INVALID: (asked) => sendValid(asked, { key: 'short' }),
  async IDEMPOTENCY_KEY_REUSED(asked) {
    const key = randomUUID()
    await asked.scene.service.write('DELETE', `brands/me/polls/${randomUUID()}`, {
      key,
      token: asked.scene.brand.token,
    })
    return sendValid(asked, { key })
  },
  IDEMPOTENCY_IN_PROGRESS(asked) {
    const { deps } = asked.scene.service
    const key = randomUUID()
    return transaction(deps.engine, async (tx) => {
      await deps.engine.tryLock(tx, `idempotency ${asked.scene.brand.brandKey} ${key}`)
      return sendValid(asked, { key })
    })
  },

  MALFORMED_JSON: (asked) => sendValid(asked, { raw: '{', headers: { 'Content-Type': 'application/json' } }),
  PAYLOAD_TOO_LARGE: (asked) =>
    sendValid(asked, { raw: new Uint8Array(asked.route.spec.takes ? 6 * 1024 * 1024 : 256 * 1024) }),
  UNSUPPORTED_MEDIA_TYPE: (asked) => sendValid(asked, { raw: '{}', headers: { 'Content-Encoding': 'gzip' } }),
  RANGE_NOT_SATISFIABLE: (asked) => sendValid(asked, { headers: { Range: 'bytes=1000000-' } }),
  FORMAT_NOT_SUPPORTED: (asked) => sendValid(asked, {}, (path) => `${path}&format=yaml`),
  PRECONDITION_FAILED: (asked) =>
    sendValid(asked, { headers: { 'If-Match': '"another"' } }, (path) =>
      path.replace(/webhooks\/[^/]+/, `webhooks/${asked.scene.webhook.id}`),
    ),
  VALIDATION_ERROR: (asked) => (asked.status === 400 ? sendValid(asked, {}, withQuery('limit=0')) : sendInvalid(asked)),
  NOT_FOUND: (asked) =>
    ['issueSessionToken', 'allowAgent'].includes(asked.route.spec.name)
      ? sendChanged(asked, { brandSlug: 'never-there' })
      : sendValid(asked, {}, () => pathWith(asked, missingOf(asked.route))),
  async METHOD_NOT_ALLOWED({ scene, route }) {
    const method = route.spec.method === 'PUT' ? 'PATCH' : 'PUT'
    const { status, text } = await scene.service.request(method, (await scene.bare(route)).path)
    return verdictOf(status, text)
  },

  SLUG_TAKEN: (asked) => sendChanged(asked, { slug: asked.scene.poll.slug }),
  CAMPAIGN_NAME_TAKEN: (asked) => sendChanged(asked, { title: asked.scene.campaign.title }),
  INVALID_POLST_OWNERSHIP: (asked) => sendChanged(asked, { polstIds: [randomUUID()] }),
  async POLST_HAS_VOTES({ scene, route }) {
    const poll = await scene.service.createPoll(scene.brand)
    await scene.service.vote(poll.slug, 'A')
    const ask = { ...scene.credentials(route, {}), key: randomUUID(), json: { isDraft: true } }
    return send(scene, route, { path: fullPath(route.spec).replace('{slug}', poll.slug), ask })
  },
  async WEBHOOK_DISABLED(asked) {
    const token = asked.scene.brand.token
    const set = (status: string) =>
      asked.scene.service.write('PATCH', `brands/me/webhooks/${asked.scene.webhook.id}`, { token, json: { status } })
    await set('DISABLED')
    const verdict = await sendValid(asked, {})
    await set('ACTIVE')
    return verdict
  },
  async APP_REVOKED(asked) {
    const { scene, route } = asked
    const { path, ask } = await scene.valid(route)
    const app = path.replace(/\/rotate-secret$/, '').replace(/^\/api\/rest\/v1\//, '')
    await scene.service.write('DELETE', app, { token: scene.owner.token })
    return send(scene, route, { path, ask })
  },
  async ORIGIN_NOT_ALLOWED(asked) {
    const token = asked.scene.brand.token
    const listed = (embedOrigins: string[]) =>
      asked.scene.service.write('PATCH', 'brands/me/theme', { token, json: { embedOrigins } })
    await listed(['https://host.example'])
    const verdict = await sendValid(asked, { headers: { Origin: 'https://elsewhere.example' } })
    await listed([])
    return verdict
  },
  async CHALLENGE_REQUIRED({ scene, route }) {
    const poll = await scene.service.createPoll(scene.brand, { challenge: 'always' })
    const ask = { device: randomUUID(), json: { option: 'A' } }
    return send(scene, route, { path: fullPath(route.spec).replace('{slug}', poll.slug), ask })
  },
  async CODE_REQUIRED({ scene, route }) {
    const poll = await pollWithCodes(scene)
    const ask = { device: randomUUID(), json: { option: 'A' } }
    return send(scene, route, { path: fullPath(route.spec).replace('{slug}', poll.slug), ask })
  },
  async INVALID_CODE({ scene, route }) {
    const poll = await pollWithCodes(scene)
    const ask = { device: randomUUID(), headers: { 'X-Vote-Code': 'K7QM-2F8X-9RTA' }, json: { option: 'A' } }
    return send(scene, route, { path: fullPath(route.spec).replace('{slug}', poll.slug), ask })
  },
  NAME_TAKEN: async (asked) => sendChanged(asked, { name: (await asked.scene.codeList()).name }),
  async CODE_LIST_IN_USE({ scene, route }) {
    const { codeListId } = await pollWithCodes(scene)
    const ask = { ...scene.credentials(route, {}), key: randomUUID() }
    return send(scene, route, { path: fullPath(route.spec).replace('{codeListId}', codeListId), ask })
  },
  async POLST_CLOSED({ scene, route }) {
    const poll = await scene.service.createPoll(scene.brand, { closesAt: '2020-01-01T00:00:00Z' })
    const ask = { device: randomUUID(), json: { option: 'A' } }
    return send(scene, route, { path: fullPath(route.spec).replace('{slug}', poll.slug), ask })
  },
  async VOTE_ALREADY_CAST({ scene, route }) {
    const sample = await scene.valid(route)
    await scene.send(route, sample)
    return send(scene, route, sample)
  },

  /** Any step may fail; here the first one does. */
  async INTERNAL({ scene, route }) {
    const { path, ask } = await scene.valid(route)
    spyOn(route.spec.guard, 'admit').mockImplementation(() => {
      throw new Error('thrown by a test')
    })
    return send(scene, route, { path: withQuery('past=memory')(path), ask })
  },
  async UNAVAILABLE({ scene, route }) {
    const app = createHttpApp(scene.service.deps, [route])
    await app.drain()
    const { path } = await scene.bare(route)
    const request = new Request(`http://127.0.0.1${path}`, { method: route.spec.method })
    const response = await app.fetch(request, LOCAL)
    return verdictOf(response.status, await response.text())
  },
}

let shared: { readonly route: Route; readonly scene: Scene; readonly sample: Sample } | null = null

/** A refused request uses up at most its key, so the refusals of a route share one. From a new network each, as in `Scene`. */
async function unusedSample({ scene, route }: Provocation): Promise<Sample> {
  if (shared?.route !== route || shared.scene !== scene) shared = { route, scene, sample: await scene.valid(route) }
  const { path, ask } = shared.sample
  return { path, ask: { ...ask, ...withKey(route), headers: { ...ask.headers, ...newNetwork() } } }
}

const verdictOf = (status: number, text: string): Verdict => {
  const isError = status >= 400 && text.startsWith('{')
  return `${status} ${isError ? codeOf(JSON.parse(text)) : 'fine'}`
}

async function send(scene: Scene, route: Route, { path, ask }: Sample, more: Ask = {}): Promise<Verdict> {
  const headers = { ...ask.headers, ...more.headers }
  const { status, text } = await scene.send(route, { path, ask: { ...ask, ...more, headers } })
  return verdictOf(status, text)
}

const withKey = ({ kind }: Route): Ask => (kind === 'once' ? { key: randomUUID() } : {})

/** A request that would succeed without `more`. */
async function sendValid(asked: Provocation, more: Ask, readdressed = (path: string) => path) {
  const { scene, route } = asked
  const { path, ask } = await unusedSample(asked)
  const { json: _, ...withoutBody } = ask
  return send(scene, route, { path: readdressed(path), ask: more.raw === undefined ? ask : withoutBody }, more)
}

async function sendChanged(asked: Provocation, fields: object): Promise<Verdict> {
  const { scene, route } = asked
  if (route.spec.name === 'updateCampaign') {
    const own = await createCampaign(scene.service, scene.brand, [scene.poll])
    const path = fullPath(route.spec).replace('{campaignId}', own.campaignId)
    return send(scene, route, { path, ask: { token: scene.brand.token, key: randomUUID(), json: fields } })
  }
  const { path, ask } = await unusedSample(asked)
  return send(scene, route, { path, ask: { ...ask, json: { ...(ask.json as object), ...fields } } })
}

/** With a token that lacks every scope that a route can need. */
async function sendAs(asked: Provocation, brandKey: number | null): Promise<Verdict> {
  const { service } = asked.scene
  const token = await kept(asked, `app ${brandKey}`, async () => {
    return (await service.exchange(await service.createApp(brandKey, ['view']))).accessToken
  })
  return sendAsOther(asked, { token })
}

/** A refused request uses up neither its sample nor its credentials. */
async function sendAsOther(asked: Provocation, credentials: Ask): Promise<Verdict> {
  const { scene, route } = asked
  const { path, ask } = await kept(asked, `bare ${route.spec.name}`, () => scene.bare(route))
  const headers = { ...ask.headers, ...newNetwork() }
  return send(scene, route, { path, ask: { ...ask, headers } }, { ...withKey(route), ...credentials })
}

const keptOf = new WeakMap<Scene, Map<string, Promise<unknown>>>()

/** Made once for each scene. */
function kept<T>({ scene }: Provocation, name: string, make: () => Promise<T>): Promise<T> {
  const ofScene = keptOf.get(scene) ?? new Map<string, Promise<unknown>>()
  keptOf.set(scene, ofScene)
  const made = (ofScene.get(name) as Promise<T> | undefined) ?? make()
  ofScene.set(name, made)
  return made
}

/** Every rate limit is used up, and no more exports and streams may be opened. */
async function whileLimited(asked: Provocation): Promise<Verdict> {
  const { scene, route } = asked
  const sample = await unusedSample(asked)
  const full = { isAllowed: false, remaining: 0, resetSeconds: 7, receipt: 0 }
  for (const method of ['take', 'peek'] as const) {
    spyOn(scene.service.deps.limiter, method).mockImplementation((claims) => claims.map(() => full))
  }
  spyOn(ConcurrencyLimit.prototype, 'acquire').mockImplementation(() => {
    throw rateLimited({ RateLimit: '"files";r=0;t=5', 'RateLimit-Policy': '"files";q=4', 'Retry-After': '5' })
  })
  // These count only failures.
  const isOf = (code: ErrorCode) => route.spec.errors?.includes(code)
  const wrongPasskey = isOf('INVALID_PASSKEY') ? { json: { credential: {} } } : {}
  const wrong = isOf('INVALID_LINK') ? { json: { token: 'nonsense' } } : wrongPasskey
  return send(scene, route, sample, { ...wrong, headers: { Accept: 'text/csv' } })
}

const withQuery = (parameter: string) => (path: string) => `${path}${path.includes('?') ? '&' : '?'}${parameter}`

const MISSING: Readonly<Record<string, string>> = {
  slug: 'never-there',
  brandSlug: 'never-there',
  campaignId: randomUUID(),
  id: randomUUID(),
  deliveryId: randomUUID(),
  pollId: randomUUID(),
  generation: '000000',
  tilePath: '0/000',
  memberId: randomUUID(),
  invitationId: randomUUID(),
  key: `${'A'.repeat(32)}.png`,
  file: 'v999.css',
  lang: 'xx',
  page: 'never-there',
  asset: 'docs.js',
  picture: 'never-there.webp',
}

const missingOf = ({ spec }: Route) => (spec.name === 'getSitemap' ? { file: 'polls-49999.xml' } : MISSING)

function pathWith({ scene, route: { spec } }: Provocation, values: Readonly<Record<string, string>>): string {
  const path = fullPath(spec).replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  if (spec.name === 'getOEmbed') return `${path}?url=${scene.service.deps.config.publicUrl}/p/never-there`
  if (spec.name === 'streamManyTallies') return `${path}?polls=never-there`
  if (spec.name === 'getCrosstab') return `${path}?rows=tea-or-coffee&columns=jam-or-honey`
  return spec.name === 'uploadFile' ? `${path}?signature=${'A'.repeat(43)}` : path
}

/** An unknown parameter on routes that refuse those, otherwise a path or query that no schema accepts. */
async function sendInvalid(asked: Provocation): Promise<Verdict> {
  const names = Object.keys(asked.route.spec.query?.shape ?? {})
  const anyQuery = names.map((name) => withQuery(`${name}=${'~'.repeat(5_000)}`))
  const badPath = () => pathWith(asked, Object.fromEntries(Object.keys(MISSING).map((name) => [name, '~'])))
  const changes = [withQuery('nonsense=1'), ...anyQuery, badPath]
  let said = ''
  for (const change of changes) {
    said = await sendValid(asked, {}, change)
    if (said === '422 VALIDATION_ERROR') break
  }
  return said
}

describe.each([...sampleEngines])('%s: the errors that the reference declares for a route', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
  })
  afterEach(() => void jest.restoreAllMocks())
  afterAll(() => scene.service.stop())

  /** SQLite has one writer: a second request with the same key waits for the first. */
  const isPossible = ({ code }: Refusal): boolean => engine === 'postgres' || code !== 'IDEMPOTENCY_IN_PROGRESS'

  // spec: 4.2-7, 4.3-8, 4.5-4, 4.6-6, 4.8-6, 4.9-3, 4.12-7, 4.13-4, 4.14-4, 4.15-3, 7-12
  test('are exactly those that it can be brought to answer', async () => {
    const wrong: string[] = []
    for (const route of scene.routes) {
      for (const refusal of refusalsOf(route).filter(isPossible)) {
        const { status, code } = refusal
        const said = await PROVOKE[code]({ scene, route, status })
        jest.restoreAllMocks()
        const wanted = `${status} ${codeIn(route, refusal)}`
        if (said !== wanted) wrong.push(`${route.spec.name}: ${status} ${code} as ${wanted}, but answered ${said}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('leave out 503 for the one route that answers also while the server stops', async () => {
    const up = scene.routes.filter(({ spec }) => spec.isAlwaysUp)
    expect(up.map(({ spec }) => spec.path)).toEqual(['/livez'])
    for (const route of up) expect(await PROVOKE.UNAVAILABLE({ scene, route, status: 503 })).toBe('200 fine')
  })
})
