import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac, randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ErrorCode } from '../src/base/errors.ts'
import { SCOPES, type Scope } from '../src/base/roles.ts'
import { derivedKey } from '../src/base/secrets.ts'
import { createBrand } from '../src/features/brands/brands.ts'
import { deviceOfUuid } from '../src/features/people/tokens/device.ts'
import type { Route } from '../src/http/route.ts'
import { refusalsOf } from '../tools/openapi/error-responses.ts'
import { engines } from './engines.ts'
import { Scene } from './scene.ts'
import type { PairData, PollData } from './service.ts'
import { voters } from './voters.ts'

type Failure = `${number} ${ErrorCode}`

const OF_A_BRAND: readonly Failure[] = ['401 UNAUTHORIZED', '403 SCOPE_REQUIRED', '403 BRAND_CONTEXT_REQUIRED']
const OF_A_WRITE: readonly Failure[] = [...OF_A_BRAND, '400 IDEMPOTENCY_KEY_REQUIRED', '422 VALIDATION_ERROR']
const OF_A_PAGE: readonly Failure[] = [...OF_A_BRAND, '400 VALIDATION_ERROR']
const MISSING: Failure = '404 NOT_FOUND'
const MALFORMED: Failure = '422 VALIDATION_ERROR'

interface Row {
  readonly method: string
  readonly path: string
  readonly needs: 'key' | 'nothing' | 'token in the body' | 'device or vote' | Scope
  readonly failures: readonly Failure[]
}

const row = (endpoint: string, needs: Row['needs'], failures: readonly Failure[]): Row => {
  const [method = '', path = ''] = endpoint.split(' ')
  return { method, path, needs, failures }
}

/** The table of endpoints of the specification (4.1), with the failures that 4.2 to 4.15 name. */
const ENDPOINTS: readonly Row[] = [
  row('POST /auth/token', 'key', [MALFORMED, '400 INVALID_SCOPE', '401 INVALID_API_KEY', '429 RATE_LIMITED']),
  row('POST /auth/token/refresh', 'token in the body', ['401 INVALID_REFRESH_TOKEN']),
  row('POST /auth/token/revoke', 'token in the body', []),
  row('POST /polls/{slug}/votes', 'device or vote', [
    ...['401 UNAUTHORIZED', '403 SCOPE_REQUIRED', MISSING, '409 POLST_CLOSED', '409 VOTE_ALREADY_CAST'],
    ...[MALFORMED, '429 RATE_LIMITED'],
  ] as Failure[]),
  row('GET /brands/{brandSlug}/polls', 'nothing', ['400 VALIDATION_ERROR', MISSING, MALFORMED]),
  row('PATCH /brands/me/polls/{slug}', 'manage', [...OF_A_WRITE, MISSING]),
  row('POST /brands/me/polls/{slug}/images/upload-url', 'manage', [...OF_A_WRITE, MISSING]),
  row('GET /brands/me/polls/{slug}/voters', 'analytics', [...OF_A_BRAND, MISSING]),
  row('POST /brands/me/campaigns', 'manage', [...OF_A_WRITE, '400 INVALID_POLST_OWNERSHIP', '409 CAMPAIGN_NAME_TAKEN']),
  row('GET /brands/me/campaigns/{campaignId}/responses', 'analytics', [...OF_A_PAGE, MISSING, MALFORMED]),
  row('PATCH /brands/me', 'manage', OF_A_WRITE),
  row('PATCH /brands/me/theme', 'manage', OF_A_WRITE),
  row('POST /brands/me/theme/assets/upload-url', 'manage', OF_A_WRITE),
  row('GET /brands/me/webhooks', 'manage', OF_A_PAGE),
  row('PATCH /brands/me/webhooks/{id}', 'manage', [...OF_A_WRITE, MISSING]),
  row('DELETE /brands/me/webhooks/{id}', 'manage', [...OF_A_WRITE, MISSING]),
]

const time = z.iso.datetime({ precision: 3 })
const counts = z.object({ optionA: z.int(), optionB: z.int(), total: z.int() })
const strings = z.array(z.string())

/** The fields that the specification requires (section 2). An answer may have more. */
const theme = z.object({
  radius: z.string(),
  density: z.string(),
  fontStack: z.string(),
  hideWatermark: z.boolean(),
  version: z.int(),
  titlePlacement: z.string(),
  labelPlacement: z.string(),
  labelAlign: z.string(),
  elevation: z.string(),
})
const brandSummary = z.object({ slug: z.string(), name: z.string(), theme })
const option = z.object({ imageUrl: z.url().nullable() })
const listItem = z.object({
  id: z.uuid(),
  slug: z.string(),
  title: z.string(),
  optionA: option,
  optionB: option,
  images: z.object(),
  imageVariants: z.array(z.object({ url: z.string(), width: z.int() })),
  tallies: counts,
  status: z.enum(['open', 'closed', 'scheduled']),
  brand: brandSummary.nullable(),
  createdAt: time,
})
const singlePoll = listItem.extend({
  isDraft: z.boolean(),
  isPrivate: z.boolean(),
  updatedAt: time,
  tags: strings,
  categories: z.array(z.object({ id: z.uuid(), slug: z.string(), name: z.string() })),
})
const campaign = z.object({
  campaignId: z.uuid(),
  title: z.string(),
  polsts: z.array(listItem).min(1),
  totalSteps: z.int(),
  brand: brandSummary,
  status: z.string(),
  state: z.string(),
  isPublic: z.boolean(),
  polstCount: z.int(),
  createdAt: time,
  updatedAt: time,
})
const profile = brandSummary.extend({ brandId: z.uuid(), scopes: strings })
const respondents = z
  .array(
    z.object({
      respondentId: z.string(),
      startedAt: time,
      totalVotes: z.int(),
      votes: z.array(z.object({ position: z.int(), slug: z.string(), option: z.string(), votedAt: time })).min(1),
    }),
  )
  .min(1)
const webhook = z.object({
  id: z.uuid(),
  url: z.url(),
  events: strings,
  description: z.string().nullable(),
  status: z.enum(['ACTIVE', 'DISABLED']),
  secret: z.never().optional(),
})
const ticket = z.object({
  uploadUrl: z.url(),
  key: z.string(),
  publicUrl: z.url(),
  expiresIn: z.int().positive(),
  method: z.literal('PUT'),
  headers: z.record(z.string(), z.string()),
  cdnUrl: z.never().optional(),
})
const tokenPair = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresIn: z.int(),
  tokenType: z.string(),
  scopes: strings,
})

/** The shape of each route's answers, by the route's name. */
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  issueTokens: tokenPair,
  refreshTokens: tokenPair,
  castVote: z.object({ tallies: counts, votedAt: time }),
  listPublicPolls: z.array(listItem).min(1),
  getPoll: singlePoll,
  createPoll: singlePoll,
  updatePoll: singlePoll,
  getOwnPoll: singlePoll,
  createPollImageTicket: ticket,
  createThemeAssetTicket: ticket,
  createCampaign: campaign,
  getCampaign: campaign,
  updateCampaign: campaign,
  listResponses: respondents,
  getOwnBrand: profile,
  updateBrand: profile,
  getOwnTheme: theme,
  updateTheme: theme,
  listWebhooks: z.array(webhook).min(1),
  updateWebhook: webhook,
}

/** Lists that are answered whole, without pages. */
const SHORT_LISTS = new Set([
  'listCategories',
  'listSourceNames',
  'getPollSources',
  'getBrandSources',
  'getCampaignSources',
])

describe.each([...engines])('%s: the letter of the specification', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
    await scene.service.vote(scene.poll.slug, 'A')
  })
  afterAll(() => scene.service.stop())

  function routeOf({ method, path }: Row): Route {
    const found = scene.routes.find(({ spec }) => spec.method === method && spec.path === path)
    if (!found) throw new Error(`${method} ${path} is missing`)
    return found
  }

  const tokenWith = async (scopes: readonly Scope[]) =>
    (await scene.service.exchange(await scene.service.createApp(scene.brand.brandKey, scopes))).accessToken

  // spec: 0-2, 4.1-1, 4.3-4, 4.7-3, 5-5
  test.each(ENDPOINTS)('$method $path needs $needs', async (row) => {
    const { needs } = row
    const route = routeOf(row)
    const bare = await scene.bare(route)
    const send = async (credentials: { token?: string; device?: string }) => {
      const { status, body } = await scene.send(route, {
        path: bare.path,
        ask: { ...bare.ask, ...credentials, key: randomUUID() },
      })
      return status < 300 ? 'fine' : `${status} ${body.error.code} ${body.error.details['scope'] ?? ''}`.trim()
    }
    if (needs === 'nothing' || needs === 'token in the body') return expect(await send({})).toBe('fine')
    if (needs === 'key') {
      expect(await send({ token: scene.brand.token })).toBe('401 INVALID_API_KEY')
      return expect((await scene.send(route, await scene.valid(route))).status).toBe(200)
    }
    const scope = needs === 'device or vote' ? 'vote' : needs
    expect(await send({})).toBe('401 UNAUTHORIZED')
    expect(await send({ token: await tokenWith(SCOPES.filter((other) => other !== scope)) })).toBe(
      `403 SCOPE_REQUIRED ${scope}`,
    )
    expect(await send({ token: await tokenWith([scope]) })).toBe('fine')
    if (needs === 'device or vote') expect(await send({ device: randomUUID() })).toBe('fine')
  })

  // spec: 4.2-7, 4.3-8, 4.4-6, 4.5-4, 4.6-6, 4.7-5, 4.8-6, 4.9-3, 4.10-7, 4.11-6, 4.12-7, 4.13-4, 4.14-4, 4.15-3
  test.each(ENDPOINTS.filter(({ failures }) => failures.length > 0))(
    '$method $path has the failures named for it',
    (row) => {
      const declared = refusalsOf(routeOf(row)).map(({ status, code }) => `${status} ${code}`)
      expect(declared).toEqual(expect.arrayContaining([...row.failures]))
    },
  )

  // spec: 2.2-1, 2.2-2, 2.3-1, 2.3-2, 2.4-4, 2.5-1, 2.6-1, 2.6-2, 2.7-2, 2.8-1, 2.9-1, 4.5-3, 4.6-4, 4.8-5, 4.10-6, 4.11-5, 4.12-4, 4.12-5
  test('every resource has every required field, with its type', async () => {
    const routes = scene.routes.filter(({ spec }) => spec.name in SHAPES)
    expect(routes.map(({ spec }) => spec.name).sort()).toEqual(Object.keys(SHAPES).sort())
    for (const route of routes) {
      const { body } = await scene.send(route, await scene.valid(route))
      const { error } = SHAPES[route.spec.name]?.safeParse(body.data) ?? {}
      expect({ [route.spec.name]: error?.issues ?? [] }).toEqual({ [route.spec.name]: [] })
    }
  })

  // spec: 4-1
  test('every success body is an object with the key data: a list for pages, an object for a single resource', async () => {
    for (const route of scene.routes.filter(({ spec }) => !spec.isOutside)) {
      const { spec } = route
      const reply = await scene.send(route, await scene.valid(route))
      if (reply.headers.get('content-type') !== 'application/json') continue
      const { data } = reply.body
      const shape = Array.isArray(data) ? 'list' : typeof data
      const isList = spec.isPaged || SHORT_LISTS.has(spec.name)
      expect(`${spec.name} ${shape}`).toBe(`${spec.name} ${isList ? 'list' : 'object'}`)
      expect('nextCursor' in reply.body).toBe(spec.isPaged === true)
    }
  })

  // spec: 2.1-3, 8-5
  test('a brand slug is a DNS label of at most 63 characters', async () => {
    const { db, deps } = scene.service
    const long = `a${randomUUID()}`.padEnd(63, '-9')
    for (const slug of [long, `${randomUUID()}`, '7']) {
      expect(await createBrand(db, deps, { slug, name: 'Label' })).toMatchObject({ slug })
      expect((await scene.service.get(`brands/${slug}/polls`)).status).toBe(200)
    }
    for (const slug of [`${long}9`, '-a', 'a-', 'A', 'a_b', 'a.b', 'é', 'a b', '']) {
      expect(await createBrand(db, deps, { slug, name: 'No label' })).toBe('slug-malformed')
      if (slug === '') continue
      expect((await scene.service.get(`brands/${encodeURIComponent(slug)}/polls`)).status).toBe(422)
    }
  })

  // spec: 4.2-6
  test('the tokens of two devices of one app are apart, also after a refresh and a revoke', async () => {
    const { service, brand } = scene
    const poll = await service.createPoll(brand)
    const [first, second] = [await service.exchange(brand, 'first'), await service.exchange(brand, 'second')]
    const json = { refreshToken: first.refreshToken }
    const next = (await service.post<PairData>('auth/token/refresh', { json })).body.data
    const cast = async ({ accessToken: token }: PairData, option: string) =>
      (await service.post(`polls/${poll.slug}/votes`, { token, json: { option } })).status
    expect(await cast(first, 'A')).toBe(201)
    expect(await cast(next, 'B')).toBe(409)
    await service.post('auth/token/revoke', { json: { token: next.refreshToken } })
    expect(await cast(next, 'B')).toBe(401)
    expect(await cast(second, 'B')).toBe(201)
  })

  // spec: 2.6-3
  test('a respondentId is the HMAC-SHA256 of the device under a secret key of the brand', async () => {
    const { service, brand } = scene
    const { keys } = service.deps
    const poll = await service.createPoll(brand)
    const device = randomUUID()
    await service.vote(poll.slug, 'A', device)
    const [voter] = await voters(service, brand, poll.slug)
    const secret = derivedKey(keys.respondent, `respondents of brand ${brand.brandKey}`)
    const hmac = createHmac('sha256', secret).update('device:').update(deviceOfUuid(keys.device, device))
    expect(voter?.respondentId).toBe(`r_${hmac.digest('base64url')}`)
  })

  // spec: 4.3-7
  test('a vote ignores an idempotency key', async () => {
    const { service } = scene
    const poll = await service.createPoll(scene.brand)
    const [first, second] = [randomUUID(), randomUUID()]
    const cast = (device: string) =>
      service.post(`polls/${poll.slug}/votes`, { device, key: 'the-same-key', json: { option: 'A' } })
    const [one, two, again] = [await cast(first), await cast(second), await cast(first)]
    expect([one.status, two.status, again.status]).toEqual([201, 201, 409])
    expect(again.headers.get('idempotent-replayed')).toBeNull()
  })

  // spec: 4.4-2
  test('the feed without parameters is the feed of status=all and order=recent', async () => {
    const { service } = scene
    const brand = await service.createBrand()
    await service.createPoll(brand, { title: 'Closed', closesAt: '2020-01-01T00:00:00Z' })
    await service.createPoll(brand, { title: 'Open' })
    const titles = async (query: string) =>
      (await service.get<PollData[]>(`brands/${brand.slug}/polls${query}`)).body.data.map(({ title }) => title)
    expect(await titles('')).toEqual(['Open', 'Closed'])
    expect(await titles('?status=all&order=recent')).toEqual(['Open', 'Closed'])
  })
})
