import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { deletePoll, fromNow, HOUR, identifiersOf, patchPoll, problemsOf } from './polls.ts'
import {
  type PollData,
  startTestService,
  type TestApp,
  type TestBrand,
  type TestService,
  type VoteData,
} from './service.ts'

describe.each([...engines])('%s: voting', (engine) => {
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  beforeEach(async () => {
    poll = await service.createPoll(brand)
  })
  afterAll(() => service.stop())

  const tokenFor = async (app: TestApp, externalDeviceId: string) =>
    (await service.exchange(app, externalDeviceId)).accessToken
  const cast = (ask: { token?: string; device?: string }, option = 'A') =>
    service.post<VoteData>(`polls/${poll.slug}/votes`, { ...ask, json: { option } })
  const mine = (ask: { token?: string; device?: string }) => service.get<VoteData>(`polls/${poll.slug}/votes/me`, ask)
  const rows = async () => {
    const { key } = await service.db
      .selectFrom('polls')
      .select('key')
      .where('id', '=', poll.id)
      .executeTakeFirstOrThrow()
    return service.db.selectFrom('votes').selectAll().where('poll_key', '=', key).orderBy('position').execute()
  }
  const existing = (reply: { body: { error: { details: Record<string, unknown> } } }) =>
    reply.body.error.details['existingVote']

  // spec: 2.6-1, 4.3-5
  test('answers the counted vote, and votes/me answers the same', async () => {
    const device = randomUUID()
    const before = Date.now()
    const vote = await cast({ device }, 'B')
    expect(vote.status).toBe(201)
    expect(vote.body).toEqual({
      data: { option: 'B', tallies: { optionA: 0, optionB: 1, total: 1 }, votedAt: expect.any(String) },
    } as never)
    expect(vote.headers.get('cache-control')).toBe('private, no-store')
    expect(Date.parse(vote.body.data.votedAt)).toBeWithin(before - 1, Date.now() + 1)
    const own = await mine({ device })
    expect(own.body).toEqual(vote.body)
    expect(own.headers.get('cache-control')).toBe('private, no-store')
    expect(own.headers.get('etag')).toBeNull()
    expect((await mine({ device: randomUUID() })).status).toBe(404)
  })

  // spec: 2.2-5, 4.3-3
  test.each([
    ['A', 'A'],
    ['B', 'B'],
    ['optionA', 'A'],
    ['optionB', 'B'],
  ])('the option %s is counted as %s', async (spelling, option) => {
    const { body, status } = await cast({ device: randomUUID() }, spelling)
    expect(status).toBe(201)
    expect(body.data.option).toBe(option)
    expect(body.data.tallies).toEqual({ optionA: option === 'A' ? 1 : 0, optionB: option === 'B' ? 1 : 0, total: 1 })
  })

  // spec: 4.3-2
  test.each([
    [{ option: 'a' }, 'option invalid_value'],
    [{ option: 'C' }, 'option invalid_value'],
    [{ option: '' }, 'option invalid_value'],
    [{ option: ['A'] }, 'option invalid_value'],
    [{ option: null }, 'option invalid_value'],
    [{}, 'option required'],
    [{ option: 'A', device: 'x' }, 'device unknown_field'],
    ['A', ' invalid_type'],
  ])('the body %j is refused and counts nothing', async (json, problem) => {
    const reply = await service.post(`polls/${poll.slug}/votes`, { device: randomUUID(), json })
    expect(reply.status).toBe(422)
    expect(problemsOf(reply)).toEqual([problem])
    expect(await rows()).toEqual([])
  })

  // spec: 1-2, 2.1-4, 4.3-1, 4.3-9, 7-2
  test('a repeat is refused with the first vote, for either option and identifier of the poll', async () => {
    const device = randomUUID()
    const first = await cast({ device })
    const { option, votedAt } = first.body.data
    for (const [i, reference] of identifiersOf(poll).entries()) {
      const again = await service.vote(reference, i % 2 ? 'A' : 'B', device)
      expect(again.status).toBe(409)
      expect(again.body.error).toMatchObject({ code: 'VOTE_ALREADY_CAST' })
      expect(again.body.error.details).toEqual({ existingVote: { option, votedAt } })
    }
    expect(await rows()).toHaveLength(1)
  })

  test('a device id is the same in upper and lower case', async () => {
    const device = randomUUID()
    expect((await cast({ device: device.toUpperCase() })).status).toBe(201)
    expect((await cast({ device }, 'B')).body.error.code).toBe('VOTE_ALREADY_CAST')
    expect((await mine({ device })).body.data.option).toBe('A')
  })

  // spec: 5-2
  test.each([
    'x',
    'not-a-uuid',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    `{${randomUUID()}}`,
    randomUUID().replaceAll('-', ''),
    `${randomUUID()},${randomUUID()}`,
  ])('the device id %s is refused without a lookup', async (device) => {
    for (const reply of [await cast({ device }), await mine({ device })]) {
      expect(reply.status).toBe(422)
      expect(problemsOf(reply)).toEqual(['X-Device-Id invalid_format'])
    }
  })

  test('a request without a device is 401, also without a body and on an unknown poll', async () => {
    for (const path of [`polls/${poll.slug}/votes`, 'polls/missing/votes']) {
      const reply = await service.post(path)
      expect(reply.status).toBe(401)
      expect(reply.body.error.code).toBe('UNAUTHORIZED')
      expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="tossup"')
    }
    expect((await service.get(`polls/${poll.slug}/votes/me`)).status).toBe(401)
    expect((await cast({ token: 'unknown', device: randomUUID() })).status).toBe(401)
  })

  test('a token needs the scope vote, even with a device id beside it, but no scope to read its vote', async () => {
    const app = await service.createApp(brand.brandKey, ['view', 'manage', 'analytics'])
    const device = randomUUID()
    const token = await tokenFor(app, device)
    const refused = await cast({ token, device })
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { code: 'SCOPE_REQUIRED', details: { scope: 'vote' } } },
    })
    expect((await mine({ token })).status).toBe(404)
    await cast({ device })
    expect((await mine({ token })).body.data.option).toBe('A')
  })

  test('beside a bearer a device id is ignored, as openapi.json says, also where it is malformed', async () => {
    const { components } = JSON.parse((await service.get('/openapi.json')).text)
    expect(components.securitySchemes.deviceId.description).toContain('is\nignored, even if it is malformed')
    const headers = { 'X-Device-Id': 'not-a-uuid' }
    const token = await tokenFor(brand, randomUUID())
    const statuses = async (ask: { token?: string }) => {
      const vote = await service.post(`polls/${poll.slug}/votes`, { ...ask, headers, json: { option: 'B' } })
      const own = await service.get(`polls/${poll.slug}/votes/me`, { ...ask, headers })
      const forget = await service.request('DELETE', 'guests/me', { ...ask, headers })
      return [vote, own, forget].map(({ status }) => status)
    }
    expect(await statuses({ token })).toEqual([201, 200, 204])
    expect(await statuses({})).toEqual([422, 422, 422])
    expect(await statuses({ token: 'unknown' })).toEqual([401, 401, 401])
    const valid = { token: 'unknown', device: randomUUID() }
    expect((await service.post(`polls/${poll.slug}/votes`, { ...valid, json: { option: 'A' } })).status).toBe(401)
  })

  test('an app without a brand, or of another brand, may vote', async () => {
    const other = await service.createBrand()
    const nobody = await service.createApp(null, ['vote'])
    expect((await cast({ token: await tokenFor(nobody, 'somebody') })).status).toBe(201)
    expect((await cast({ token: other.token })).status).toBe(201)
  })

  test("a UUID of an app's own is the same device as the header's, in any case", async () => {
    const device = randomUUID()
    const token = await tokenFor(brand, device.toUpperCase())
    const first = await cast({ token }, 'B')
    expect(first.status).toBe(201)
    const { option, votedAt } = first.body.data
    expect(existing(await cast({ device }))).toEqual({ option, votedAt })
    expect((await mine({ device })).body).toEqual(first.body)
    const other = await service.createBrand()
    expect(existing(await cast({ token: await tokenFor(other, device) }))).toEqual({ option, votedAt })
  })

  test('any other externalDeviceId is a device of that app alone', async () => {
    const second = await service.createApp(brand.brandKey, ['vote'])
    for (const id of ['user-1', 'USER-1', 'user-1 ', '1', randomUUID().replaceAll('-', '')])
      for (const app of [brand, second]) {
        expect((await cast({ token: await tokenFor(app, id) })).status).toBe(201)
        expect((await cast({ token: await tokenFor(app, id) })).status).toBe(409)
      }
    expect(await rows()).toHaveLength(10)
  })

  // spec: 4.3-4
  test('a token takes precedence over the header', async () => {
    const [held, sent] = [randomUUID(), randomUUID()]
    const token = await tokenFor(brand, held)
    expect((await cast({ token, device: sent })).status).toBe(201)
    expect((await mine({ device: sent })).status).toBe(404)
    expect((await mine({ device: held })).status).toBe(200)
    expect((await mine({ token, device: sent })).status).toBe(200)
    expect((await cast({ device: sent })).status).toBe(201)
  })

  // spec: 3-6, 7-1
  test.each([
    ['closed', { closesAt: fromNow(-HOUR) }, { status: 'closed' }],
    ['scheduled', { opensAt: fromNow(HOUR) }, { status: 'scheduled' }],
    ['archived', { archived: true }, { status: 'closed', archived: true }],
    ['archived and closed', { archived: true, closesAt: fromNow(-HOUR) }, { status: 'closed', archived: true }],
  ])(
    'a poll that is %s refuses votes, and answers with an earlier vote of the device',
    async (_name, json, details) => {
      const device = randomUUID()
      const first = await cast({ device })
      await patchPoll(service, brand, poll.slug, json)
      const stranger = await cast({ device: randomUUID() })
      expect(stranger).toMatchObject({ status: 409, body: { error: { code: 'POLST_CLOSED' } } })
      expect(stranger.body.error.details).toEqual(details)
      const { option, votedAt } = first.body.data
      const again = await cast({ device }, 'B')
      expect(again).toMatchObject({ status: 409, body: { error: { code: 'POLST_CLOSED' } } })
      expect(again.body.error.details).toEqual({ ...details, existingVote: { option, votedAt } })
      expect((await mine({ device })).body.data).toMatchObject({ option, votedAt })
      expect(await rows()).toHaveLength(1)
    },
  )

  test('an unknown, draft or deleted poll is 404', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    await deletePoll(service, brand, poll.slug)
    for (const reference of ['no-such-poll', 'AAAAAAAAAAAA', randomUUID(), draft.slug, poll.slug, poll.id])
      expect((await service.vote(reference, 'A')).body.error.code).toBe('NOT_FOUND')
  })

  test('positions run from 1 without a gap where votes were refused between', async () => {
    const devices = Array.from({ length: 30 }, () => randomUUID())
    await Promise.all(devices.flatMap((device, i) => [cast({ device }, i % 3 ? 'A' : 'B'), cast({ device })]))
    const votes = await rows()
    expect(votes.map(({ position }) => position)).toEqual(devices.map((_, i) => i + 1))
    const times = votes.map(({ voted_at }) => voted_at)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  // spec: 1-3
  test('a guest is created by the first vote and updated by the next, and a refusal creates none', async () => {
    const guests = () => service.db.selectFrom('guests').selectAll().execute()
    const before = (await guests()).length
    const device = randomUUID()
    await patchPoll(service, brand, poll.slug, { archived: true })
    await cast({ device })
    expect(await guests()).toHaveLength(before)
    await patchPoll(service, brand, poll.slug, { archived: false })
    const first = await cast({ device })
    // Real time: votes get the database's time.
    await Bun.sleep(2)
    poll = await service.createPoll(brand)
    const second = await cast({ device })
    const all = await guests()
    expect(all).toHaveLength(before + 1)
    const [vote] = await rows()
    const guest = all.find((row) => Buffer.compare(row.device, vote?.device ?? new Uint8Array()) === 0)
    expect(guest).toMatchObject({
      first_seen_at: Date.parse(first.body.data.votedAt),
      last_seen_at: Date.parse(second.body.data.votedAt),
    })
  })

  test('no device id is stored or logged', async () => {
    const [device, name] = [randomUUID(), `customer-${randomUUID()}`]
    await cast({ device })
    await cast({ token: await tokenFor(brand, name) })
    const tables = ['votes', 'guests', 'token_families', 'access_tokens', 'refresh_tokens'] as const
    const stored = (await Promise.all(tables.map((table) => service.db.selectFrom(table).selectAll().execute()))).flat()
    const bytes = stored.flatMap((row) =>
      Object.values(row).map((value) => Buffer.from(value instanceof Uint8Array ? value : String(value))),
    )
    const traces = [device, name].flatMap((id) => [id, id.toUpperCase(), id.replaceAll('-', '')])
    for (const trace of traces) {
      expect(bytes.filter((value) => value.includes(trace))).toEqual([])
      expect(service.logLines.filter((line) => line.includes(trace))).toEqual([])
    }
    const raw = Buffer.from(device.replaceAll('-', ''), 'hex')
    expect(bytes.filter((value) => value.includes(raw))).toEqual([])
    for (const row of await rows()) expect(row.device.byteLength).toBe(16)
  })

  test('the order of the checks is that of the contract', async () => {
    const path = 'polls/missing/votes'
    const device = randomUUID()
    const view = await tokenFor(await service.createApp(null, ['view']), 'x')
    const json = { option: 'C' }
    const status = async (ask: object) => (await service.post(path, ask)).status
    expect(await status({ json })).toBe(401)
    expect(await status({ token: view, device: 'x', json })).toBe(403)
    expect(await status({ device: 'x', raw: '{' })).toBe(422)
    expect(await status({ device, raw: '{' })).toBe(415)
    expect(await status({ device, raw: '{', headers: { 'Content-Type': 'application/json' } })).toBe(400)
    expect(await status({ device, json })).toBe(422)
    expect(await status({ device, json: { option: 'A' } })).toBe(404)
  })
})
