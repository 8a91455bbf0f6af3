import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { removeDeletedVotes } from '../src/features/campaigns/respondents/remove-deleted-votes.ts'
import { fullPath, type Route } from '../src/http/route.ts'
import { WORDS } from '../src/words/words.ts'
import { type Attack, Attacks, INVALID } from './attacks.ts'
import { fieldsOf } from './body-fields.ts'
import { sampleEngines } from './engines.ts'
import { guardKind, type Scene } from './scene.ts'
import { untilDone } from './until-done.ts'

/** Values that these query parameters do not accept. */
const CHOICES: Record<string, string[]> = {
  listOwnPolls: ['status=all', 'isDraft=1', 'archived=TRUE'],
  listPublicPolls: ['status=scheduled', 'order=random', 'order=Recent'],
  getTimeline: ['bucket=month', 'bucket=Hour', 'from=yesterday', 'to=2024-01-01'],
}

/** Path segments in place of an id, a slug or a name. */
const HOSTILE_SEGMENTS = [
  '%00',
  'a%00b',
  '%',
  '%zz',
  '%ff',
  '%ed%a0%80',
  'a%2fb',
  '%2e%2e%2f',
  'a'.repeat(129),
  'a'.repeat(7_000),
  "x'%20or%20'1'='1",
  '%3Cscript%3E',
  'ünï',
  'a b',
  '*',
  '%0d%0aSet-Cookie:x',
  '__proto__%00',
  '{slug}',
]

const isForPeople = ({ spec }: Route): boolean => spec.answers[404]?.contentType === 'text/html'

/** Replaces the value of this parameter. */
function withQuery(path: string, name: string, value: string): string {
  const [bare = '', query = ''] = path.split('?')
  const others = query.split('&').filter((part) => part !== '' && !part.startsWith(`${name}=`))
  return `${bare}?${[...others, `${name}=${value}`].join('&')}`
}

describe.each([...sampleEngines])('%s: a bad address or caller', (engine) => {
  let attacks: Attacks
  let scene: Scene
  let routes: readonly Route[]
  beforeAll(async () => {
    attacks = await Attacks.open(engine)
    scene = attacks.scene
    routes = scene.routes
  })
  afterAll(() => scene.service.stop())

  test('a malformed, hostile or overlong path is refused', async () => {
    const list = await attacks.on(
      // The page of a link is the same for every link, and the document of the console for every place in it: they refuse none.
      routes.filter((route) => route.spec.params && !isForPeople(route) && !/^get(Join|Console)/.test(route.spec.name)),
      ({ ask }, route) =>
        HOSTILE_SEGMENTS.map((value) => {
          const path = fullPath(route.spec).replace(/\{\w+\}/, value)
          return [
            value.slice(0, 40),
            { path, ask },
            /^\/(files|css|r|mail|log)\//.test(route.spec.path) ? '404 NOT_FOUND' : INVALID,
          ] as const
        }),
    )
    await attacks.expectRefused(list)
  })

  test('such a path to a page is answered with a page that a person can read', async () => {
    const pages = routes.filter(isForPeople)
    expect(pages.length).toBe(9)
    for (const { spec } of pages) {
      const what = (['poll', 'campaign'] as const).find((each) => spec.name.toLowerCase().includes(each)) ?? 'feed'
      for (const segment of HOSTILE_SEGMENTS) {
        const path = spec.path.replace(/\{\w+\}/, segment)
        const answer = await fetch(scene.service.service.url + path)
        const isInWords = (await answer.text()).includes(`<h1>${WORDS.en.errors.gone[what]}</h1>`)
        expect([path, answer.status, isInWords]).toEqual([path, 404, true])
      }
    }
  })

  test('".." in a path reaches no other resource', async () => {
    for (const path of [
      '/files/../api/rest/v1/../../livez/..',
      '/files/..%2f..%2ftossup.sqlite',
      '/files/....//secret.key',
      '/../../etc/passwd',
      '/files/%2e%2e/secret.key',
    ]) {
      expect([path, (await scene.service.get(path)).status]).toEqual([path, 404])
    }
  })

  test('a malformed query is refused before anything is looked up', async () => {
    const filtered = routes.filter(({ spec }) => spec.query)
    const list = await attacks.on(filtered, ({ path, ask }, { spec }) =>
      (spec.query ? fieldsOf(spec.query) : []).flatMap(({ path: [name = ''] }) =>
        ['%00', 'a%00', '', 'x'.repeat(300), `a&${name}=b`].map((value) => {
          return [
            `${name}=${value.slice(0, 20)}`,
            { path: withQuery(path, name, value), ask },
            `${INVALID} ${name}`,
          ] as const
        }),
      ),
    )
    const choices = await attacks.on(filtered, ({ path, ask }, { spec }) =>
      (CHOICES[spec.name] ?? []).map((query) => [query, { path: `${path}?${query}`, ask }, INVALID] as const),
    )
    await attacks.expectRefused([...list, ...choices])
  })

  test('a malformed device id is refused, and a missing one is 401', async () => {
    const list = await attacks.on(
      routes.filter((route) => guardKind(route) === 'voter'),
      ({ path, ask }) => {
        const { device: _, ...rest } = ask
        const ids = [
          'x',
          '123',
          randomUUID().slice(1),
          `${randomUUID()}0`,
          `{${randomUUID()}}`,
          randomUUID().replaceAll('-', ''),
          'ü'.repeat(36),
        ]
        const given = (id: string) => ({ path, ask: { ...rest, headers: { ...ask.headers, 'X-Device-Id': id } } })
        return [
          ...ids.map((id) => [id, given(id), `${INVALID} X-Device-Id`] as const),
          ['two ids', given(`${randomUUID()}, ${randomUUID()}`), `${INVALID} X-Device-Id`],
          ['an empty id', given(''), '401 UNAUTHORIZED'],
          ['no id', { path, ask: rest }, '401 UNAUTHORIZED'],
        ]
      },
    )
    await attacks.expectRefused(list)
  })

  test('expired and revoked tokens, and those of a revoked app, are 401 everywhere', async () => {
    const guarded = routes.filter((route) => ['brand', 'voter'].includes(guardKind(route)))
    const revoked = await scene.service.exchange(scene.brand)
    await scene.service.post('auth/token/revoke', { json: { token: revoked.refreshToken } })
    const app = await scene.service.createApp(scene.brand.brandKey, ['view', 'vote', 'manage', 'analytics'])
    const orphan = await scene.service.exchange(app)
    await scene.service.db.updateTable('apps').set({ revoked_at: 1 }).where('id', '=', app.appId).execute()
    const refresh = await scene.service.exchange(scene.brand)
    const list = await attacks.on(guarded, ({ path, ask }) =>
      [revoked.accessToken, orphan.accessToken, refresh.refreshToken].map(
        (token, i) =>
          [['revoked', 'orphan', 'refresh'][i] ?? '', { path, ask: { ...ask, token } }, '401 UNAUTHORIZED'] as const,
      ),
    )
    await attacks.expectRefused(list)
    const { service } = scene
    const short = await service.exchange(scene.brand)
    const late = await attacks.on(guarded, ({ path, ask }) => [
      ['expired', { path, ask: { ...ask, token: short.accessToken } }, '401 UNAUTHORIZED'],
    ])
    const before = service.clock.now()
    service.clock.advance(901_000)
    await attacks.expectRefused(late, ['access_tokens'])
    service.clock.advance(before - service.clock.now())
  })

  // spec: 7-8
  test("another brand's poll, a deleted poll and an unknown poll answer the same 404", async () => {
    const { service, brand, stranger } = scene
    const foreign = await service.createPoll(stranger, { isPrivate: true })
    const deleted = await service.createPoll(brand)
    await service.write('DELETE', `brands/me/polls/${deleted.slug}`, { token: brand.token })
    const references = [foreign, deleted].flatMap(({ slug, shortId, id }) => [slug, shortId, id, id.toUpperCase()])
    const owned = routes.filter(({ spec }) => spec.path.startsWith('/brands/me/') && spec.path.includes('{slug}'))
    const list: Attack[] = []
    for (const route of owned) {
      for (const reference of [...references, 'no-such-poll', randomUUID()]) {
        const { ask } = await scene.valid(route)
        const path = fullPath(route.spec).replace('{slug}', reference).replace('{linkId}', randomUUID())
        list.push({ name: reference, route, sample: { path, ask }, expected: '404 NOT_FOUND' })
      }
    }
    await attacks.expectRefused(list, ['idempotency_keys'])
    const read = async (path: string) => service.get(path, { token: brand.token })
    const texts = new Set<string>()
    for (const reference of [...references, 'no-such-poll']) {
      const { text, body, headers } = await read(`brands/me/polls/${reference}`)
      texts.add(text.replace(body.error.requestId, ''))
      expect([...headers.keys()]).not.toContain('etag')
    }
    expect(texts.size).toBe(1)
  })

  test('a deleted poll and a draft are 404 for the public too', async () => {
    const { service, brand } = scene
    const deleted = await service.createPoll(brand)
    await service.vote(deleted.slug, 'A')
    await service.write('DELETE', `brands/me/polls/${deleted.slug}`, { token: brand.token })
    // The embed's vote is sent within seconds, and each refusal is compared with the rows stored before.
    await untilDone(() => removeDeletedVotes(service.deps.engine))
    const draft = await service.createPoll(brand, { isDraft: true })
    const open = routes.filter(({ spec }) => spec.path.startsWith('/polls/{slug}'))
    const list: Attack[] = []
    for (const route of open) {
      for (const poll of [deleted, draft]) {
        for (const reference of [poll.slug, poll.shortId, poll.id]) {
          const { ask } = await scene.valid(route)
          const path = fullPath(route.spec).replace('{slug}', reference)
          list.push({ name: reference, route, sample: { path, ask }, expected: '404 NOT_FOUND' })
        }
      }
    }
    await attacks.expectRefused(list)
  })
})
