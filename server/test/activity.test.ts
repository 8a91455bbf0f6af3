import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY } from '../src/base/clock.ts'
import { ACTION_NAMES } from '../src/events/activity.ts'
import type { ActivityEntry } from '../src/features/people/activity/routes.ts'
import { engines } from './engines.ts'
import { addMember } from './people.ts'
import { deletePoll, everyPage, patchPoll, problemsOf } from './polls.ts'
import { isBrandWrite, Scene } from './scene.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { recordsOf } from './voters.ts'
import { createWebhook } from './webhooks.ts'

const inDatabase = ({ db }: TestService, { brandKey }: TestBrand) =>
  db.selectFrom('activity').selectAll().where('brand_key', '=', brandKey).orderBy('key').execute()

const listed = (service: TestService, { token }: Pick<TestBrand, 'token'>, query = '') =>
  service.get<ActivityEntry[]>(`brands/me/activity${query}`, { token })

describe.each([...engines])('%s: every write of a brand', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
  })
  afterAll(() => scene.service.stop())

  const count = async () => (await inDatabase(scene.service, scene.brand)).length

  test('leaves one entry, a replay none, and a request that is refused none', async () => {
    // The mails of a member are nobody else's concern.
    const writes = scene.routes.filter((route) => isBrandWrite(route) && route.spec.name !== 'updateMailPreferences')
    expect(writes.length).toBeGreaterThan(15)
    for (const route of writes) {
      const { name } = route.spec
      const sample = await scene.valid(route)
      const before = await count()
      const reply = await scene.send(route, sample)
      expect([name, reply.status < 300, await count()]).toEqual([name, true, before + 1])
      const last = (await inDatabase(scene.service, scene.brand)).at(-1)
      const { action } = route.kind === 'once' ? route.spec : { action: null }
      expect([name, last?.action]).toEqual([name, action ?? 'a route without an action'])
      expect(last?.subject_title).not.toBe('')
      expect(last?.subject_id).toMatch(/^[0-9a-f-]{36}$/)
      const again = await scene.send(route, sample)
      expect([name, again.headers.get('idempotent-replayed'), await count()]).toEqual([name, 'true', before + 1])
      const { key: _, ...keyless } = sample.ask
      expect([name, (await scene.send(route, { ...sample, ask: keyless })).status]).toEqual([name, 400])
      const nonsense = { ...sample.ask, key: `nonsense-${name}`, json: { nonsense: true } }
      expect([name, (await scene.send(route, { ...sample, ask: nonsense })).status]).toEqual([name, 422])
      if (/\{/.test(route.spec.path)) {
        const missing = sample.path.replace(/(me\/[\w-]+\/)[^/]+/, '$10b9f7a52-6f0c-4c43-9d0e-3f1f0a8d7c11')
        const ask = { ...sample.ask, key: `missing-${name}` }
        expect([name, (await scene.send(route, { path: missing, ask })).status]).toEqual([name, 404])
      }
      expect([name, await count()]).toEqual([name, before + 1])
    }
  })

  test('names an action of the catalogue', () => {
    const actions = scene.routes.flatMap((route) => (route.kind === 'once' ? [route.spec.action] : []))
    expect(actions.filter((action) => !ACTION_NAMES.includes(action))).toEqual([])
  })

  test('of a stranger is in the list of the stranger alone', async () => {
    const before = await count()
    await scene.service.createPoll(scene.stranger)
    expect(await count()).toBe(before)
    expect((await listed(scene.service, scene.stranger)).body.data).toMatchObject([{ action: 'poll.created' }])
  })
})

describe.each([...engines])('%s: the list of activity', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  afterAll(() => service.stop())

  const made = async () => {
    brand = await service.createBrand()
    return brand
  }

  test('names the actor and the subject as they were at that moment', async () => {
    const { token } = await made()
    const editor = await addMember(service, brand, 'editor')
    const poll = await service.createPoll(brand, { title: 'Tea?' })
    await service.write('PATCH', `brands/me/polls/${poll.slug}`, { token: editor.token, json: { title: 'Cocoa?' } })
    await service.db.updateTable('people').set({ name: 'Ada' }).where('id', '=', editor.memberId).execute()
    await service.db.updateTable('apps').set({ name: 'Website' }).where('id', '=', brand.appId).execute()
    await deletePoll(service, { ...brand, token: editor.token }, poll.slug)
    await service.write('PATCH', 'brands/me', { token, json: { name: 'Better tea' } })
    const { data } = (await listed(service, brand)).body
    const app = { kind: 'app', id: brand.appId }
    const member = { kind: 'member', id: editor.memberId }
    expect(data.map(({ actor, action, subject }) => ({ actor, action, title: subject.title }))).toEqual([
      { actor: { ...app, name: 'Website' }, action: 'brand.updated', title: 'Better tea' },
      { actor: { ...member, name: 'Ada' }, action: 'poll.deleted', title: 'Cocoa?' },
      { actor: { ...member, name: editor.email }, action: 'poll.updated', title: 'Cocoa?' },
      { actor: { ...app, name: null }, action: 'poll.created', title: 'Tea?' },
      { actor: { ...member, name: editor.email }, action: 'member.joined', title: editor.email },
    ] as never)
    expect(data.slice(1, 4).map(({ subject }) => subject.id)).toEqual([poll.id, poll.id, poll.id])
    const times = data.map(({ at }) => Date.parse(at))
    expect(times).toEqual(times.toSorted((left, right) => right - left))
  })

  test('says when a draft was published, once', async () => {
    await made()
    const draft = await service.createPoll(brand, { isDraft: true })
    await patchPoll(service, brand, draft.slug, { title: 'Cocoa or milk?' })
    await patchPoll(service, brand, draft.slug, { isDraft: false, title: 'Cocoa or tea?' })
    await patchPoll(service, brand, draft.slug, { isDraft: false, title: 'Cocoa or coffee?' })
    expect((await listed(service, brand)).body.data.map(({ action }) => action)).toEqual([
      'poll.updated',
      'poll.published',
      'poll.updated',
      'poll.created',
    ])
  })

  test('names a member who left, and is forgotten', async () => {
    const { token } = await made()
    const editor = await addMember(service, brand, 'editor')
    await service.write('DELETE', `brands/me/members/${editor.memberId}`, { token: editor.token })
    const [last] = (await listed(service, { token })).body.data
    expect(last).toMatchObject({ action: 'member.removed', actor: { id: editor.memberId, name: editor.email } })
  })

  test('holds no secret of a webhook', async () => {
    await made()
    await createWebhook(service, brand, {
      url: 'https://hooks.example/services/s3cret?key=s3cret',
      events: ['poll.voted'],
    })
    const { text, body } = await listed(service, brand)
    expect(body.data[0]?.subject.title).toBe('hooks.example')
    expect(text).not.toContain('s3cret')
  })

  test('filters by actor, action and subject, together and in any case', async () => {
    await made()
    const editor = await addMember(service, brand, 'editor')
    const poll = await service.createPoll(brand)
    await service.createPoll({ ...brand, token: editor.token })
    await service.write('PATCH', `brands/me/polls/${poll.slug}`, { token: editor.token, json: { tags: ['tea'] } })
    const found = async (query: string) => (await listed(service, brand, query)).body.data.map(({ action }) => action)
    expect(await found(`?actor=${editor.memberId}`)).toEqual(['poll.updated', 'poll.created', 'member.joined'])
    expect(await found(`?actor=${brand.appId.toUpperCase()}`)).toEqual(['poll.created'])
    expect(await found('?actor=operator')).toEqual([])
    expect(await found('?actor=app')).toEqual(['poll.created'])
    expect(await found('?subject=poll&actor=member')).toEqual(['poll.updated', 'poll.created'])
    expect(await found('?action=poll.updated')).toEqual(['poll.updated'])
    expect(await found(`?subject=${poll.id}`)).toEqual(['poll.updated', 'poll.created'])
    expect(await found(`?subject=${poll.id}&actor=${editor.memberId}&action=poll.created`)).toEqual([])
    const refused = await listed(service, brand, '?action=poll.eaten')
    expect([refused.status, problemsOf(refused)[0]]).toEqual([422, expect.stringContaining('action')])
    expect((await listed(service, brand, '?actors=me')).status).toBe(422)
    for (const filter of ['actor', 'subject']) {
      for (const value of ['', 'nobody', 'poll.created', '0b9f7a52']) {
        const malformed = await listed(service, brand, `?${filter}=${value}`)
        expect([malformed.status, problemsOf(malformed)]).toEqual([422, [`${filter} invalid_format`]])
      }
    }
  })

  test('has pages without gaps, and the whole of it is a file', async () => {
    await made()
    for (let i = 0; i < 5; i++) await service.createPoll(brand, { title: `=Poll ${i}` })
    const all = (await listed(service, brand)).body.data
    expect(all).toHaveLength(5)
    const ask = { token: brand.token }
    expect(await everyPage<ActivityEntry>(service, 'brands/me/activity', { ask, limit: 2 })).toEqual(all)
    const cursor = (await listed(service, brand, '?limit=2')).body.nextCursor
    expect((await listed(service, brand, `?limit=2&action=poll.created&cursor=${cursor}`)).status).toBe(400)
    const csv = await service.get('brands/me/activity', { ...ask, headers: { Accept: 'text/csv' } })
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="activity.csv"')
    const records: Record<string, string>[] = recordsOf(csv.text)
    expect(records.map((record) => record['id'])).toEqual(all.map(({ id }) => id))
    expect(records[0]).toMatchObject({ actorKind: 'app', action: 'poll.created', subjectTitle: "'=Poll 4" })
    const lines = await service.get('brands/me/activity?action=poll.created', {
      ...ask,
      headers: { Accept: 'application/x-ndjson' },
    })
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(all)
  })

  test('needs the scope manage', async () => {
    await made()
    const analyst = await addMember(service, brand, 'analyst')
    expect((await listed(service, analyst)).status).toBe(403)
  })

  // Last: it moves the clock.
  test('keeps entries for 400 days', async () => {
    await made()
    await service.createPoll(brand)
    service.clock.advance(200 * DAY)
    const { accessToken } = await service.exchange(brand)
    await service.createPoll({ token: accessToken }, { title: 'Later' })
    service.clock.advance(200 * DAY - 60_000)
    await service.runDue()
    expect(await inDatabase(service, brand)).toHaveLength(2)
    service.clock.advance(120_000)
    await service.runDue()
    expect((await inDatabase(service, brand)).map(({ subject_title }) => subject_title)).toEqual(['Later'])
  })
})
