import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { fullPath, type Route } from '../src/http/route.ts'
import { fieldsOf, withValue, wrongValues } from './body-fields.ts'
import { createCampaign } from './campaigns.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { guardKind, type Sample, Scene } from './scene.ts'
import type { Ask, Reply } from './service.ts'
import { createWebhook, sendTest } from './webhooks.ts'

interface Attack {
  readonly name: string
  readonly route: Route
  readonly sample: Sample
  /** Status and code, and where it matters the path of the field that is named. */
  readonly expected: string
}

const INVALID = '422 VALIDATION_ERROR'

/** What no query of that name takes. */
const CHOICES: Record<string, string[]> = {
  listOwnPolls: ['status=all', 'isDraft=1', 'archived=TRUE'],
  listPublicPolls: ['status=scheduled', 'order=random', 'order=Recent'],
  getTimeline: ['bucket=week', 'bucket=Hour', 'from=yesterday', 'to=2024-01-01'],
}

/** What stands in a path where an id, a slug or a name belongs. */
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

const isForPeople = ({ spec }: Route): boolean => spec.answers[200]?.contentType === 'text/html'

const EXPECTED_HEADERS = ['x-request-id', 'cache-control', 'x-content-type-options']
const KIB = 1024

const chunked = (text: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      const bytes = new TextEncoder().encode(text)
      for (let at = 0; at < bytes.length; at += 10_000) controller.enqueue(bytes.slice(at, at + 10_000))
      controller.close()
    },
  })

describe.each([...engines])('%s: bad input', (engine) => {
  let scene: Scene
  let routes: readonly Route[]
  beforeAll(async () => {
    scene = await Scene.open(engine)
    routes = scene.routes
  })
  afterAll(() => scene.service.stop())

  const withRaw = (
    { path, ask }: Sample,
    raw: NonNullable<Ask['raw']>,
    type: string | null = 'application/json',
  ): Sample => {
    const { json: _, ...rest } = ask
    return {
      path,
      ask: { ...rest, raw, headers: { ...ask.headers, ...(type === null ? {} : { 'Content-Type': type }) } },
    }
  }

  /** Sends them all, sees each refused as expected, and that nothing at all has changed. */
  async function expectRefused(attacks: readonly Attack[], except: readonly string[] = []): Promise<void> {
    expect(attacks).not.toBeEmpty()
    const before = await dumpTables(scene.service.db, { except })
    for (const { name, route, sample, expected } of attacks) {
      const reply = await scene.send(route, sample)
      const fields = reply.body.error?.details['fields'] as { path: string }[] | undefined
      const names = [...new Set(fields?.map(({ path }) => path))].join(',')
      const named = expected.split(' ').length > 2 ? ` ${names}` : ''
      const label = `${route.spec.name}, ${name}:`
      expect(`${label} ${reply.status} ${reply.body.error?.code}${named}`).toBe(`${label} ${expected}`)
      for (const header of EXPECTED_HEADERS) expect(reply.headers.get(header)).not.toBeNull()
      expect(reply.body.error.requestId).toBe(reply.headers.get('x-request-id') ?? '')
    }
    expect(await dumpTables(scene.service.db, { except })).toEqual(before)
    expect(scene.service.logLines).toEqual([])
  }

  async function attacksOn(
    chosen: readonly Route[],
    plan: (sample: Sample, route: Route) => readonly (readonly [name: string, sample: Sample, expected: string])[],
  ): Promise<Attack[]> {
    const attacks: Attack[] = []
    for (const route of chosen) {
      const planned = plan(await scene.valid(route), route)
      for (const [name, sample, expected] of planned) attacks.push({ name, route, sample, expected })
    }
    return attacks
  }

  const withBody = () => routes.filter(({ spec }) => spec.body)

  test('every field of every body is refused in any other type, and named', async () => {
    const attacks = await attacksOn(withBody(), ({ path, ask }, { spec }) =>
      (spec.body ? fieldsOf(spec.body) : []).flatMap((field) =>
        wrongValues(field).map((value) => {
          const where = field.path.join('.')
          const json = withValue(ask.json, field.path, value)
          return [
            `${where} = ${JSON.stringify(value)}`,
            { path, ask: { ...ask, json } },
            `${INVALID} ${where}`,
          ] as const
        }),
      ),
    )
    expect(attacks.length).toBeGreaterThan(150)
    await expectRefused(attacks)
  })

  test('an unknown field is refused wherever an object stands, and named', async () => {
    const attacks = await attacksOn(withBody(), ({ path, ask }, { spec }) => {
      const objects = [
        [],
        ...(spec.body ? fieldsOf(spec.body) : []).filter(({ types }) => types.has('object')).map((field) => field.path),
      ]
      return objects.flatMap((at) =>
        ['extra', 'constructor', 'toString', 'Title', 'brandId', 'version'].map((name) => {
          const inner = at.reduce((value: unknown, step) => (value as Record<string, unknown>)?.[step], ask.json) ?? {}
          const json = withValue(ask.json, at, { ...inner, [name]: null })
          return [
            `unknown ${[...at, name].join('.')}`,
            { path, ask: { ...ask, json } },
            `${INVALID} ${[...at, name].join('.')}`,
          ] as const
        }),
      )
    })
    const proto = await attacksOn(withBody(), (sample) => {
      const text = `{"__proto__":{"isAdmin":true},${JSON.stringify(sample.ask.json).slice(1)}`
      return [['__proto__', withRaw(sample, text), `${INVALID} __proto__`]]
    })
    await expectRefused([...attacks, ...proto])
  })

  test('what is no object, no JSON, not UTF-8, not of one meaning, or not of our type is refused', async () => {
    const attacks = await attacksOn(withBody(), (sample) => {
      const text = JSON.stringify(sample.ask.json)
      const [first = ''] = Object.keys(sample.ask.json as object)
      const twice = `{${JSON.stringify(first)}:1,${text.slice(1)}`
      const spelled = `{"\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}${first.slice(1)}":1,${text.slice(1)}`
      return [
        ...['[]', '"text"', '1', 'null', 'true', '[{}]'].map((raw) => [raw, withRaw(sample, raw), INVALID] as const),
        ...['{', `${text}x`, "{'a':1}", '{"a":NaN}', `\uFEFF${text}`, 'a=1', `${text}${text}`].map(
          (raw) => [raw, withRaw(sample, raw), '400 MALFORMED_JSON'] as const,
        ),
        ['no body', withRaw(sample, ''), '400 MALFORMED_JSON'],
        ['bytes that are no UTF-8', withRaw(sample, new Uint8Array([0x22, 0xff, 0x22])), '400 MALFORMED_JSON'],
        ['UTF-16', withRaw(sample, Buffer.from(`\uFEFF${text}`, 'utf16le')), '400 MALFORMED_JSON'],
        ['a key twice', withRaw(sample, twice), `${INVALID} ${first}`],
        ['a key twice, spelled apart', withRaw(sample, spelled), `${INVALID} ${first}`],
        ['40 deep', withRaw(sample, `{"x":${'['.repeat(40)}${']'.repeat(40)},${text.slice(1)}`), INVALID],
        ['60,000 deep', withRaw(sample, '['.repeat(30_000) + ']'.repeat(30_000)), INVALID],
        ...[
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/json; charset=latin1',
          'application/ld+json',
        ].map((type) => [type, withRaw(sample, text, type), '415 UNSUPPORTED_MEDIA_TYPE'] as const),
        ['no content type', withRaw(sample, new TextEncoder().encode(text), null), '415 UNSUPPORTED_MEDIA_TYPE'],
      ]
    })
    await expectRefused(attacks)
  })

  test('U+0000 and lone surrogates are refused in every string', async () => {
    const attacks = await attacksOn(withBody(), (sample, { spec }) =>
      (spec.body ? fieldsOf(spec.body) : [])
        .filter(({ types }) => types.has('string'))
        .flatMap(({ path }) =>
          ['\\u0000', 'a\\u0000b', '\\ud800', 'a\\udc00b', '\\ude42\\ud83d'].map((bad) => {
            const raw = JSON.stringify(withValue(sample.ask.json, path, 'PLACE')).replace('PLACE', bad)
            return [`${path.join('.')} = ${bad}`, withRaw(sample, raw), `${INVALID} ${path.join('.')}`] as const
          }),
        ),
    )
    await expectRefused(attacks)
  })

  const mostOf = ({ spec }: Route): number => spec.mostBodyBytes ?? 64 * KIB

  test('a body of a KiB too much is refused, with its length said and without', async () => {
    const attacks = await attacksOn(withBody(), (sample, route) => {
      const tooMany = mostOf(route) + KIB
      const large = JSON.stringify({ title: 'x'.repeat(tooMany) })
      const padded = `${JSON.stringify(sample.ask.json)}${' '.repeat(tooMany)}`
      return [
        ['content-length', withRaw(sample, large), '413 PAYLOAD_TOO_LARGE'],
        ['chunked', withRaw(sample, chunked(large)), '413 PAYLOAD_TOO_LARGE'],
        ['spaces', withRaw(sample, padded), '413 PAYLOAD_TOO_LARGE'],
        ['chunked spaces', withRaw(sample, chunked(padded)), '413 PAYLOAD_TOO_LARGE'],
        ['3 MiB', withRaw(sample, `"${'x'.repeat(3 * KIB * KIB)}"`), '413 PAYLOAD_TOO_LARGE'],
        ['3 MiB, chunked', withRaw(sample, chunked(`"${'x'.repeat(3 * KIB * KIB)}"`)), '413 PAYLOAD_TOO_LARGE'],
      ]
    })
    await expectRefused(attacks)
  })

  test('64 KiB are taken, and for a theme 160, with the length said and without', async () => {
    expect(Object.fromEntries(withBody().map((route) => [mostOf(route), route.spec.name]))).toEqual({
      [64 * KIB]: expect.any(String),
      [160 * KIB]: 'updateTheme',
    })
    for (const make of [(text: string) => text, chunked]) {
      for (const route of withBody()) {
        const sample = await scene.valid(route)
        const raw = make(JSON.stringify(sample.ask.json).padEnd(mostOf(route), ' '))
        expect([route.spec.name, (await scene.send(route, withRaw(sample, raw))).status]).toEqual([
          route.spec.name,
          Number(Object.keys(route.spec.answers)[0]),
        ])
      }
    }
  })

  test('a malformed, hostile or endless path is refused', async () => {
    const attacks = await attacksOn(
      routes.filter((route) => route.spec.params && !isForPeople(route)),
      ({ ask }, route) =>
        HOSTILE_SEGMENTS.map((value) => {
          const path = fullPath(route.spec).replace(/\{\w+\}/, value)
          return [
            value.slice(0, 40),
            { path, ask },
            /^\/(files|css)\//.test(route.spec.path) ? '404 NOT_FOUND' : INVALID,
          ] as const
        }),
    )
    await expectRefused(attacks)
  })

  test('such a path to a page is answered in words, for a person', async () => {
    const pages = routes.filter(isForPeople)
    expect(pages.length).toBe(6)
    for (const { spec } of pages) {
      for (const segment of HOSTILE_SEGMENTS) {
        const path = spec.path.replace(/\{\w+\}/, segment)
        const answer = await fetch(scene.service.service.url + path)
        const isInWords = (await answer.text()).includes('<h1 class="message">There is nothing here.</h1>')
        expect([path, answer.status, isInWords]).toEqual([path, 404, true])
      }
    }
  })

  test('dots in a path lead nowhere else', async () => {
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
    const attacks = await attacksOn(filtered, ({ path, ask }, { spec }) =>
      (spec.query ? fieldsOf(spec.query) : []).flatMap(({ path: [name = ''] }) =>
        ['%00', 'a%00', '', 'x'.repeat(300), `a&${name}=b`].map((value) => {
          return [
            `${name}=${value.slice(0, 20)}`,
            { path: `${path}?${name}=${value}`, ask },
            `${INVALID} ${name}`,
          ] as const
        }),
      ),
    )
    const choices = await attacksOn(filtered, ({ path, ask }, { spec }) =>
      (CHOICES[spec.name] ?? []).map((query) => [query, { path: `${path}?${query}`, ask }, INVALID] as const),
    )
    await expectRefused([...attacks, ...choices])
  })

  test('a malformed device id is refused, none at all is 401', async () => {
    const attacks = await attacksOn(
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
    await expectRefused(attacks)
  })

  test('expired and revoked tokens, and those of a revoked app, are 401 everywhere', async () => {
    const guarded = routes.filter((route) => ['brand', 'voter'].includes(guardKind(route)))
    const revoked = await scene.service.exchange(scene.brand)
    await scene.service.post('auth/token/revoke', { json: { token: revoked.refreshToken } })
    const app = await scene.service.createApp(scene.brand.brandKey, ['view', 'vote', 'manage', 'analytics'])
    const orphan = await scene.service.exchange(app)
    await scene.service.db.updateTable('apps').set({ revoked_at: 1 }).where('id', '=', app.appId).execute()
    const refresh = await scene.service.exchange(scene.brand)
    const attacks = await attacksOn(guarded, ({ path, ask }) =>
      [revoked.accessToken, orphan.accessToken, refresh.refreshToken].map(
        (token, i) =>
          [['revoked', 'orphan', 'refresh'][i] ?? '', { path, ask: { ...ask, token } }, '401 UNAUTHORIZED'] as const,
      ),
    )
    await expectRefused(attacks)
    const { service } = scene
    const short = await service.exchange(scene.brand)
    const late = await attacksOn(guarded, ({ path, ask }) => [
      ['expired', { path, ask: { ...ask, token: short.accessToken } }, '401 UNAUTHORIZED'],
    ])
    const before = service.clock.now()
    service.clock.advance(901_000)
    await expectRefused(late, ['access_tokens'])
    service.clock.advance(before - service.clock.now())
  })

  test("a stranger's poll, a deleted one and none at all are the same 404", async () => {
    const { service, brand, stranger } = scene
    const foreign = await service.createPoll(stranger, { isPrivate: true })
    const deleted = await service.createPoll(brand)
    await service.write('DELETE', `brands/me/polls/${deleted.slug}`, { token: brand.token })
    const references = [foreign, deleted].flatMap(({ slug, shortId, id }) => [slug, shortId, id, id.toUpperCase()])
    const owned = routes.filter(({ spec }) => spec.path.startsWith('/brands/me/') && spec.path.includes('{slug}'))
    const attacks: Attack[] = []
    for (const route of owned) {
      for (const reference of [...references, 'no-such-poll', randomUUID()]) {
        const { ask } = await scene.valid(route)
        const path = fullPath(route.spec).replace('{slug}', reference)
        attacks.push({ name: reference, route, sample: { path, ask }, expected: '404 NOT_FOUND' })
      }
    }
    await expectRefused(attacks, ['idempotency_keys'])
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
    const draft = await service.createPoll(brand, { isDraft: true })
    const open = routes.filter(({ spec }) => spec.path.startsWith('/polls/{slug}'))
    const attacks: Attack[] = []
    for (const route of open) {
      for (const poll of [deleted, draft]) {
        for (const reference of [poll.slug, poll.shortId, poll.id]) {
          const { ask } = await scene.valid(route)
          const path = fullPath(route.spec).replace('{slug}', reference)
          attacks.push({ name: reference, route, sample: { path, ask }, expected: '404 NOT_FOUND' })
        }
      }
    }
    await expectRefused(attacks)
  })
})

/** Kept apart: what a page refuses is 400, and nothing is written by asking. */
describe.each([...engines])('%s: a page that cannot be', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
    for (let i = 0; i < 3; i++) await scene.service.createPoll(scene.brand)
    for (let i = 0; i < 3; i++) await createCampaign(scene.service, scene.brand, [scene.poll])
    for (let i = 0; i < 3; i++) await scene.service.vote(scene.poll.slug, 'A')
    await createWebhook(scene.service, scene.brand)
    await sendTest(scene.service, scene.brand, scene.webhook)
  })
  afterAll(() => scene.service.stop())

  const lists = () => scene.routes.filter(({ spec }) => spec.isPaged)

  function expectPagingRefused(label: string, reply: Reply, name: 'limit' | 'cursor'): void {
    expect(`${label} ${reply.status} ${reply.body.error?.code}`).toBe(`${label} 400 VALIDATION_ERROR`)
    expect(reply.body.error.details).toEqual({
      fields: [expect.objectContaining({ path: name, code: `invalid_${name}` })],
    })
  }

  const firstCursor = async (path: string, token?: string): Promise<string> => {
    const page = await scene.service.get(`${path}${path.includes('?') ? '&' : '?'}limit=1`, token ? { token } : {})
    return page.body.nextCursor ?? ''
  }

  test('limits from 1 to 100 in digits, once', async () => {
    for (const route of lists()) {
      const { path, ask } = await scene.valid(route)
      const bad = [
        '0',
        '101',
        'abc',
        '-1',
        '1.5',
        '',
        '%205',
        '%2B5',
        '1e1',
        '0x10',
        '١',
        '99999999999',
        'NaN',
        '5&limit=5',
        '00000',
      ]
      for (const limit of bad) {
        const reply = await scene.service.get(`${path}?limit=${limit}`, ask)
        expectPagingRefused(`${route.spec.name} limit=${limit}`, reply, 'limit')
      }
      for (const limit of ['1', '100'])
        expect((await scene.service.get(`${path}?limit=${limit}`, ask)).status).toBe(200)
    }
  })

  test('no cursor that was not given, in any of its bytes', async () => {
    for (const route of lists()) {
      const { path, ask } = await scene.valid(route)
      const cursor = await firstCursor(path, ask.token)
      expect(cursor).toMatch(/^[A-Za-z0-9_-]{40,}$/)
      expect((await scene.service.get(`${path}?cursor=${cursor}`, ask)).status).toBe(200)
      const bytes = Buffer.from(cursor, 'base64url')
      const flipped = [...bytes.keys()].map((at) => {
        const copy = Buffer.from(bytes)
        copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8))
        return copy.toString('base64url')
      })
      const swapped = [...cursor].map(
        (character, at) => cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
      )
      const shapes = [
        '',
        'x',
        '%00',
        `${cursor}=`,
        `${cursor}A`,
        cursor.slice(1),
        cursor.slice(0, -1),
        `${cursor}%20`,
        cursor + cursor,
      ]
      const others = [
        'A'.repeat(60),
        'A'.repeat(5_000),
        '%3Cscript%3E',
        `${cursor}&cursor=${cursor}`,
        'null',
        'W10',
        Buffer.from('["x",1,2]').toString('base64url'),
      ]
      for (const bad of [...flipped, ...swapped, ...shapes, ...others]) {
        expectPagingRefused(
          `${route.spec.name} cursor=${bad}`,
          await scene.service.get(`${path}?cursor=${bad}`, ask),
          'cursor',
        )
      }
    }
  })

  test('no cursor of another endpoint, owner or filter', async () => {
    const { service, brand, stranger } = scene
    for (let i = 0; i < 2; i++) await service.createPoll(stranger)
    const own = await firstCursor('brands/me/polls', brand.token)
    const feed = await firstCursor(`brands/${brand.slug}/polls`)
    const filtered = await firstCursor('brands/me/polls?isDraft=false', brand.token)
    const popular = await firstCursor(`brands/${brand.slug}/polls?order=popular`)
    for (const [path, cursor, token] of [
      ['brands/me/polls', feed, brand.token],
      [`brands/${brand.slug}/polls`, own, undefined],
      ['brands/me/polls', own, stranger.token],
      [`brands/${stranger.slug}/polls`, feed, undefined],
      ['brands/me/polls', filtered, brand.token],
      ['brands/me/polls?isDraft=false', own, brand.token],
      ['brands/me/polls?isDraft=true', filtered, brand.token],
      ['brands/me/polls?archived=false', filtered, brand.token],
      [`brands/${brand.slug}/polls`, popular, undefined],
      [`brands/${brand.slug}/polls?order=closing`, popular, undefined],
      [`brands/${brand.slug}/polls?order=popular&status=open`, popular, undefined],
    ] as const) {
      const reply = await service.get(
        `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`,
        token ? { token } : {},
      )
      expectPagingRefused(path, reply, 'cursor')
    }
    const fresh = (await service.exchange(brand)).accessToken
    expect((await service.get(`brands/me/polls?cursor=${own}&limit=3`, { token: fresh })).status).toBe(200)
    const turned = `brands/${brand.slug}/polls?status=open&order=popular`
    const cursor = await firstCursor(turned)
    expect((await service.get(`brands/${brand.slug}/polls?order=popular&cursor=${cursor}&status=open`)).status).toBe(
      200,
    )
  })
})
