import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { removeExpired } from '../src/app/expiry.ts'
import { notFound } from '../src/base/errors.ts'
import type { Tx } from '../src/db/store.ts'
import { createCategory } from '../src/features/polls/change-category.ts'
import { runOnce } from '../src/http/idempotency.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import {
  type Ask,
  type PollData,
  type Reply,
  startTestService,
  type TestBrand,
  type TestService,
  WIDE_POOL,
} from './service.ts'
import { untilDone } from './until-done.ts'
import { createWebhook } from './webhooks.ts'

const body = { title: 'Tea or coffee?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' } }
const HOUR = 3_600_000

describe.each([...engines])('%s: a write of a brand', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    // No job moves events or extends logs between two dumps.
    service = await startTestService(engine, { jobs: 'by hand', settings: WIDE_POOL })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const create = (key: string, ask: Ask = {}) =>
    service.post<PollData>('brands/me/polls', { token: brand.token, key, json: body, ...ask })

  const keys = () => service.db.selectFrom('idempotency_keys').selectAll().execute()
  const pollCount = async () => (await service.db.selectFrom('polls').select('key').execute()).length

  /** The second answer repeats the first one, byte for byte. */
  function expectReplay(first: Reply, second: Reply): void {
    expect(second.status).toBe(first.status)
    expect(second.text).toBe(first.text)
    for (const name of ['location', 'content-type', 'cache-control', 'content-length']) {
      expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)])
    }
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    const ids = [first.headers.get('x-request-id'), second.headers.get('x-request-id')]
    expect(new Set(ids).size).toBe(2)
    expect([first, second].map(({ headers }) => headers.get('original-request-id'))).toEqual([null, ids[0] ?? null])
  }

  // spec: 4-7
  test('is replayed byte for byte, even after the poll has changed', async () => {
    const key = randomUUID()
    const first = await create(key)
    expect(first.status).toBe(201)
    expect(first.headers.get('location')).toBe(`/api/rest/v1/brands/me/polls/${first.body.data.slug}`)
    service.clock.advance(5_000)
    await service.write('PATCH', `brands/me/polls/${first.body.data.slug}`, {
      token: brand.token,
      json: { title: 'New' },
    })
    const before = await dumpTables(service.db)
    expectReplay(first, await create(key))
    expectReplay(
      first,
      await create(key, { raw: ` ${JSON.stringify(body)}\n`, headers: { 'Content-Type': 'application/json' } }),
    )
    const fresh = (await service.exchange(brand)).accessToken
    expectReplay(first, await create(key, { token: fresh, headers: { Origin: 'https://elsewhere.test' } }))
    expect(await dumpTables(service.db, { except: tokens })).toEqual(without(before, tokens))
  })

  // spec: 2.3-4
  test('of each kind is replayed: a PATCH does not write again, a DELETE answers 204 again', async () => {
    const poll = await service.createPoll(brand)
    const patch = { token: brand.token, key: randomUUID(), json: { title: 'Once' } }
    const remove = { token: brand.token, key: randomUUID() }
    const path = `brands/me/polls/${poll.slug}`
    const patched = await service.request('PATCH', path, patch)
    service.clock.advance(1_000)
    expectReplay(patched, await service.request('PATCH', path, patch))
    expect((await service.get<PollData>(path, { token: brand.token })).body.data.updatedAt).toBe(
      (patched.body.data as PollData).updatedAt,
    )
    const removed = await service.request('DELETE', path, remove)
    expect(removed.status).toBe(204)
    expectReplay(removed, await service.request('DELETE', path, remove))
    expectReplay(patched, await service.request('PATCH', path, patch))
  })

  // spec: 4-7
  test('with the key of another method, path or body is refused and changes nothing', async () => {
    const key = randomUUID()
    const { slug, shortId } = await service.createPoll(brand)
    const other = await service.createPoll(brand)
    const first = await service.request('PATCH', `brands/me/polls/${slug}`, {
      token: brand.token,
      key,
      json: { title: 'A' },
    })
    expect(first.status).toBe(200)
    const before = await dumpTables(service.db)
    const attempts: [string, string, unknown][] = [
      ['PATCH', `brands/me/polls/${slug}`, { title: 'B' }],
      ['PATCH', `brands/me/polls/${slug}`, { title: 'A', isPrivate: false }],
      ['PATCH', `brands/me/polls/${slug}`, {}],
      ['PATCH', `brands/me/polls/${other.slug}`, { title: 'A' }],
      ['PATCH', `brands/me/polls/${shortId}`, { title: 'A' }],
      ['DELETE', `brands/me/polls/${slug}`, undefined],
      ['POST', 'brands/me/polls', body],
    ]
    for (const [method, path, json] of attempts) {
      const reply = await service.request(method, path, { token: brand.token, key, ...(json ? { json } : {}) })
      expect([method, path, reply.status, reply.body.error.code]).toEqual([method, path, 422, 'IDEMPOTENCY_KEY_REUSED'])
      expect(reply.headers.get('idempotent-replayed')).toBeNull()
    }
    expect(await dumpTables(service.db)).toEqual(before)
  })

  test('without a body is the same request as with {}, and a different one from any other body', async () => {
    const { id } = await createWebhook(service, brand, { events: ['webhook.test'] })
    const path = `brands/me/webhooks/${id}/rotate-secret`
    const key = randomUUID()
    const type = { 'Content-Type': 'application/json' }
    const rotate = (raw?: string) =>
      service.post(path, { token: brand.token, key, ...(raw === undefined ? {} : { raw, headers: type }) })
    const first = await rotate()
    expect(first.status).toBe(200)
    expectReplay(first, await rotate('{}'))
    for (const [raw, status] of [
      ['{"force":true}', 422],
      ['[]', 422],
      ['{', 400],
    ] as const) {
      const other = await rotate(raw)
      expect([other.status, other.headers.has('idempotent-replayed')]).toEqual([status, false])
    }
    expectReplay(first, await rotate())
  })

  test('that was refused with 404 or 409 is refused again in the same words after the cause is gone', async () => {
    const slug = `wanted-${randomUUID()}`
    const patchKey = randomUUID()
    const patch = () =>
      service.request('PATCH', `brands/me/polls/${slug}`, { token: brand.token, key: patchKey, json: { title: 'A' } })
    const missing = await patch()
    expect([missing.status, missing.body.error.code]).toEqual([404, 'NOT_FOUND'])
    const poll = await service.createPoll(brand, { slug })
    expectReplay(missing, await patch())
    expect((await service.get<PollData>(`polls/${slug}`)).body.data.title).toBe(poll.title)

    const key = randomUUID()
    const taken = await create(key, { json: { ...body, slug } })
    expect([taken.status, taken.body.error.code]).toEqual([409, 'SLUG_TAKEN'])
    expectReplay(taken, await create(key, { json: { ...body, slug } }))
    expect(taken.headers.get('x-request-id')).toBe(taken.body.error.requestId)
  })

  test('that was refused with 400, 401, 403, 413, 415 or 422 leaves its key free', async () => {
    const key = randomUUID()
    const viewer = await service.exchange(await service.createApp(brand.brandKey, ['view']))
    const bare = await service.exchange(await service.createApp(null, ['view']))
    const type = { 'Content-Type': 'application/json' }
    for (const [ask, status] of [
      [{ token: 'nonsense' }, 401],
      [{ token: viewer.accessToken }, 403],
      [{ token: bare.accessToken }, 403],
      [{ raw: '{', headers: type }, 400],
      [{ raw: 'x'.repeat(70_000), headers: type }, 413],
      [{ raw: '{}', headers: { 'Content-Type': 'text/plain' } }, 415],
      [{ json: { ...body, title: '' } }, 422],
      [{ json: { ...body, categoryIds: [randomUUID()] } }, 422],
      [{ json: { ...body, optionA: { label: 'Tea', imageUrl: 'https://elsewhere.test/x.png' } } }, 422],
    ] as const) {
      const { json: _, ...raw } = { json: body, ...ask }
      expect((await create(key, 'raw' in ask ? { json: undefined, ...raw } : ask)).status).toBe(status)
    }
    expect((await keys()).map((row) => row.key)).not.toContain(key)
    const reply = await create(key)
    expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([201, null])
  })

  test('has a key within its brand: another brand may use the same key', async () => {
    const key = randomUUID()
    const stranger = await service.createBrand()
    const mine = await create(key)
    const theirs = await create(key, { token: stranger.token })
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.data.id).not.toBe(mine.body.data.id)
    expectReplay(mine, await create(key))
    expectReplay(theirs, await create(key, { token: stranger.token }))
  })

  test('has keys that are compared exactly, with their case', async () => {
    const before = await pollCount()
    const stem = 'Case.~_-'
    for (const key of [stem, stem.toLowerCase(), stem.toUpperCase(), `${stem}0`, `0${stem}`]) {
      expect((await create(key)).headers.get('idempotent-replayed')).toBeNull()
    }
    expect(await pollCount()).toBe(before + 5)
  })

  test('keeps its key for exactly 24 hours, whether or not expired keys have been removed', async () => {
    service.clock.freeze()
    for (const isSwept of [false, true]) {
      const key = randomUUID()
      const first = await create(key)
      service.clock.advance(24 * HOUR - 1)
      if (isSwept) await untilDone(() => removeExpired(service.deps.engine, service.clock.now()))
      const { accessToken } = await service.exchange(brand)
      expectReplay(first, await create(key, { token: accessToken }))
      service.clock.advance(1)
      if (isSwept) await untilDone(() => removeExpired(service.deps.engine, service.clock.now()))
      const again = await create(key, { token: accessToken })
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null])
      expect(again.body.data.id).not.toBe(first.body.data.id)
      expectReplay(again, await create(key, { token: accessToken }))
      service.clock.advance(-24 * HOUR)
      // Tokens expired when the clock was ahead: this sweep, or a job of the service that was due, has removed them.
      brand = { ...brand, token: (await service.exchange(brand)).accessToken }
    }
    service.clock.thaw()
  })

  test('sent 200 times at once has one effect, and every answer is the first one or says that it is in progress', async () => {
    const key = randomUUID()
    const before = await pollCount()
    const replies = await Promise.all(Array.from({ length: 200 }, () => create(key)))
    expect(await pollCount()).toBe(before + 1)
    const done = replies.filter(({ status }) => status === 201)
    const running = replies.filter(({ status }) => status !== 201)
    expect(done.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    const made = done.find(({ headers }) => !headers.has('idempotent-replayed'))
    const id = made?.headers.get('x-request-id') ?? ''
    for (const { headers } of done) {
      expect(headers.get('original-request-id') ?? headers.get('x-request-id')).toBe(id)
      expect(headers.get('location')).toBe(made?.headers.get('location') ?? '')
    }
    expect(new Set(replies.map(({ headers }) => headers.get('x-request-id'))).size).toBe(200)
    for (const {
      status,
      headers,
      body: { error },
    } of running) {
      expect([status, error.code, headers.get('retry-after')]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS', '1'])
      expect(headers.get('idempotent-replayed')).toBeNull()
    }
    expect((await create(key)).text).toBe(done[0]?.text ?? '')
  })

  test('sent at once with one key and different bodies has one effect, and the others are refused', async () => {
    const key = randomUUID()
    const before = await pollCount()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => create(key, { json: { ...body, title: `No. ${i % 5}` } })),
    )
    expect(await pollCount()).toBe(before + 1)
    const winner = replies.find(({ status, headers }) => status === 201 && !headers.has('idempotent-replayed'))
    for (const reply of replies) {
      if (reply.status === 201) expect(reply.text).toBe(winner?.text ?? '')
      else expect(['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS']).toContain(reply.body.error.code)
    }
  })

  test('that is refused after it has written keeps the refusal and undoes what it wrote', async () => {
    const request = {
      brandKey: brand.brandKey,
      key: randomUUID(),
      fingerprint: new Uint8Array(32),
      requestId: 'r',
      now: service.clock.now(),
    }
    const slug = `undone-${randomUUID()}`
    const work = async (tx: Tx): Promise<never> => {
      await createCategory(tx, service.deps, { slug, name: 'Undone' })
      throw notFound()
    }
    for (const isReplay of [false, true]) {
      expect(await runOnce(service.deps.engine, request, work)).toMatchObject({ status: 404, isReplay, requestId: 'r' })
    }
    const found = await service.db.selectFrom('categories').select('slug').where('slug', '=', slug).execute()
    expect(found).toEqual([])
  })

  test('that fails after its effect was written leaves neither the effect nor the key', async () => {
    const poll = await service.createPoll(brand)
    const before = await dumpTables(service.db)
    const key = randomUUID()
    const failed: string[] = []
    await breakKeys(service)
    try {
      for (const [method, path, json] of [
        ['POST', 'brands/me/polls', { ...body, slug: `half-${key}`, tags: ['x'] }],
        ['PATCH', `brands/me/polls/${poll.slug}`, { title: 'Half', tags: ['y'] }],
        ['DELETE', `brands/me/polls/${poll.slug}`, undefined],
      ] as const) {
        const reply = await service.request(method, path, { token: brand.token, key, ...(json ? { json } : {}) })
        expect([method, reply.status, reply.body.error.code]).toEqual([method, 500, 'INTERNAL'])
        expect(reply.text).not.toContain('refused by the test')
        failed.push(reply.body.error.requestId)
        expect(await dumpTables(service.db)).toEqual(before)
      }
    } finally {
      await mendKeys(service)
    }
    await eventually(() => loggedRequests(service).length >= failed.length)
    expect(loggedRequests(service)).toEqual(failed)
    service.logLines.splice(0)
    expect((await create(key)).status).toBe(201)
  })

  test('whose database goes away half-way is 503, and the same key works when it is back', async () => {
    const restore = await loseDatabase(service)
    let key = randomUUID()
    let before = await dumpTables(service.db)
    let reply = await create(key)
    // A full disk still has space for a few rows.
    for (let i = 0; i < 100 && reply.status === 201; i++) {
      key = randomUUID()
      before = await dumpTables(service.db)
      reply = await create(key)
    }
    await restore()
    expect([reply.status, reply.body.error?.code]).toEqual([503, 'UNAVAILABLE'])
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await dumpTables(service.db)).toEqual(before)
    service.logLines.splice(0)
    const again = await create(key)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null])
  })
})

/** Failures of one cause within a second share a line, which is written when the second ends. */
const loggedRequests = ({ logLines }: TestService): string[] =>
  logLines.map((line) => JSON.parse(line)).flatMap(({ requestId, requestIds }) => requestIds ?? [requestId])

const tokens = ['token_families', 'access_tokens', 'refresh_tokens']
const without = (dump: Record<string, string[]>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(dump).filter(([name]) => !names.includes(name)))

/** From now on the database refuses to store a key, which is the last statement of a write. */
async function breakKeys({ db, deps: { engine } }: TestService): Promise<void> {
  if (engine.name === 'sqlite') {
    await sql`create trigger no_keys before insert on idempotency_keys
      begin select raise(abort, 'refused by the test'); end`.execute(db)
    return
  }
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused by the test'; end $$`.execute(db)
  await sql`create trigger no_keys before insert on idempotency_keys for each row execute function refuse()`.execute(db)
}

async function mendKeys({ db, deps: { engine } }: TestService): Promise<void> {
  await (engine.name === 'sqlite'
    ? sql`drop trigger no_keys`.execute(db)
    : sql`drop function refuse() cascade`.execute(db))
}

/** SQLite's disk is full; PostgreSQL closes the connection that stores a key. */
async function loseDatabase({ db, deps: { engine } }: TestService): Promise<() => Promise<unknown>> {
  if (engine.name === 'sqlite') {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
    await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count ?? 0)}`.execute(db)
    return () => sql`pragma max_page_count = 1000000`.execute(db)
  }
  await sql`create function leave() returns trigger language plpgsql as
    $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`.execute(db)
  await sql`create trigger gone before insert on idempotency_keys for each row execute function leave()`.execute(db)
  return () => sql`drop function leave() cascade`.execute(db)
}
