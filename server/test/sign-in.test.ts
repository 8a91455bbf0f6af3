import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { addMember, newLinkToken, OWN_PAGE, pageAfter, type TestMember, useToken } from './people.ts'
import { outcomeOf, startTestService, type TestBrand, type TestService } from './service.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

interface SessionData {
  member: { memberId: string; email: string; name: string | null }
  brands: { slug: string; name: string; role: string }[]
  operator: boolean
}

interface Listed {
  id: string
  createdAt: string
  lastSeenAt: string
  userAgent: string
  current: boolean
}

describe.each([...engines])('%s: signing in', (engine) => {
  let service: TestService
  let brand: TestBrand
  let ada: TestMember
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
    ada = await addMember(service, brand, 'owner')
  })
  afterAll(() => service.stop())

  const session = (headers: Record<string, string>) => service.get<SessionData>('auth/session', { headers })
  const sessions = (headers: Record<string, string>) => service.get<Listed[]>('auth/sessions', { headers })
  const tokenFor = (headers: Record<string, string>, brandSlug = brand.slug) =>
    service.post<Record<'accessToken' | 'expiresIn' | 'tokenType' | 'scopes' | 'role', unknown>>('auth/session/token', {
      headers,
      json: { brandSlug },
    })
  const countSessions = async () =>
    Number(
      (
        await service.db
          .selectFrom('sessions')
          .select(({ fn }) => fn.countAll().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    )

  test('with a link sets a cookie for this service alone, and names the person', async () => {
    const reply = await useToken(service, await newLinkToken(service, ada))
    expect([reply.status, reply.body.data]).toEqual([
      200,
      { member: { memberId: ada.memberId, email: ada.email, name: null } },
    ])
    expect(reply.headers.get('set-cookie')).toMatch(
      /^tossup=tss_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    )
    const { data } = (await session(pageAfter(reply))).body
    expect(data).toEqual({
      member: { memberId: ada.memberId, email: ada.email, name: null },
      brands: [{ slug: brand.slug, name: `Brand ${brand.slug}`, role: 'owner' }],
      operator: false,
    })
  })

  test('over https sets a cookie that no other host and no plain connection can set', async () => {
    const secure = await startTestService(engine, { settings: { PUBLIC_URL: 'https://polls.example' } })
    try {
      const member = await addMember(secure, await secure.createBrand(), 'editor')
      const reply = await useToken(secure, await newLinkToken(secure, member))
      expect(reply.headers.get('set-cookie')).toMatch(
        /^__Host-tossup=tss_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Strict$/,
      )
      const plainName = { ...OWN_PAGE, Cookie: (member.page['Cookie'] ?? '').replace('__Host-', '') }
      expect(outcomeOf(await secure.get('auth/session', { headers: plainName }))).toBe('401 UNAUTHORIZED')
      const twice = { ...OWN_PAGE, Cookie: `${member.page['Cookie']}; ${member.page['Cookie']}` }
      expect(outcomeOf(await secure.get('auth/session', { headers: twice }))).toBe('401 UNAUTHORIZED')
    } finally {
      await secure.stop()
    }
  })

  test('uses a link up: later, at once, and by two at the same time', async () => {
    const token = await newLinkToken(service, ada)
    const before = await countSessions()
    const replies = await Promise.all(Array.from({ length: 5 }, () => useToken(service, token)))
    expect(replies.map(outcomeOf).sort()).toEqual(['200 fine', ...new Array<string>(4).fill('401 INVALID_LINK')])
    expect(outcomeOf(await useToken(service, token))).toBe('401 INVALID_LINK')
    expect(await countSessions()).toBe(before + 1)
  })

  test('refuses a late link, an unknown one, and one of a person who works for no brand any more', async () => {
    const late = await newLinkToken(service, ada)
    service.clock.advance(15 * MINUTE)
    expect(outcomeOf(await useToken(service, late))).toBe('401 INVALID_LINK')
    expect(outcomeOf(await useToken(service, 'tsl_nothing'))).toBe('401 INVALID_LINK')
    const gone = await addMember(service, brand, 'editor')
    const link = await newLinkToken(service, gone)
    await service.db.deleteFrom('members').where('person_key', '=', gone.personKey).execute()
    const before = await countSessions()
    expect(outcomeOf(await useToken(service, link))).toBe('401 INVALID_LINK')
    expect(await countSessions()).toBe(before)
  })

  test('while signed in as another ends the other session', async () => {
    const eve = await addMember(service, brand, 'analyst')
    const reply = await useToken(service, await newLinkToken(service, ada), eve.page)
    expect(reply.body.data.member.email).toBe(ada.email)
    expect(outcomeOf(await session(eve.page))).toBe('401 UNAUTHORIZED')
    expect((await session(pageAfter(reply))).body.data.member.email).toBe(ada.email)
    // A link that does not work ends nothing.
    expect(outcomeOf(await useToken(service, 'tsl_nothing', ada.page))).toBe('401 INVALID_LINK')
    expect(outcomeOf(await session(ada.page))).toBe('200 fine')
  })

  test('is for pages of this service alone', async () => {
    const cookie = { Cookie: ada.page['Cookie'] ?? '' }
    const own = service.deps.config.publicUrl
    const { host } = new URL(service.service.url)
    const refused: Record<string, string>[] = [
      {},
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: own },
      { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
      { Origin: `http://${host}.evil.example` },
    ]
    for (const headers of refused) {
      const label = JSON.stringify(headers)
      expect(`${label} ${outcomeOf(await session({ ...cookie, ...headers }))}`).toBe(`${label} 403 CROSS_ORIGIN`)
      expect(outcomeOf(await tokenFor({ ...cookie, ...headers }))).toBe('403 CROSS_ORIGIN')
      const link = await newLinkToken(service, ada)
      expect(outcomeOf(await useToken(service, link, headers))).toBe('403 CROSS_ORIGIN')
      expect(outcomeOf(await useToken(service, link))).toBe('200 fine')
    }
    for (const headers of [
      { Origin: own },
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'same-origin', Origin: own },
      { 'Sec-Fetch-Site': 'same-origin', Origin: `http://${host}` },
    ]) {
      expect(outcomeOf(await session({ ...cookie, ...headers }))).toBe('200 fine')
    }
    expect(outcomeOf(await session(OWN_PAGE))).toBe('401 UNAUTHORIZED')
  })

  test('is exchanged for an access token of a brand, which ends with the session', async () => {
    const eve = await addMember(service, brand, 'analyst')
    const { status, body } = await tokenFor(eve.page)
    expect([status, body.data]).toEqual([
      200,
      {
        accessToken: expect.stringMatching(/^tsm_[\w-]{43}$/),
        expiresIn: 900,
        tokenType: 'Bearer',
        scopes: ['view', 'analytics'],
        role: 'analyst',
      },
    ])
    const accessToken = String(body.data.accessToken)
    expect(outcomeOf(await service.get('brands/me', { token: accessToken }))).toBe('200 fine')
    const other = await service.createBrand()
    for (const slug of [other.slug, 'never-there', '../x']) {
      expect(outcomeOf(await tokenFor(eve.page, slug))).toBe('404 NOT_FOUND')
    }
    const out = await service.request('DELETE', 'auth/session', { headers: eve.page })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      'tossup=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ])
    for (const token of [accessToken, eve.token]) {
      expect(outcomeOf(await service.get('brands/me', { token }))).toBe('401 UNAUTHORIZED')
    }
    expect(outcomeOf(await session(eve.page))).toBe('401 UNAUTHORIZED')
  })

  test('is exchanged sixty times a minute, which no console needs', async () => {
    const [eve, ann] = [await addMember(service, brand, 'editor'), await addMember(service, brand, 'editor')]
    const exchange = (page: Record<string, string>) =>
      service.post('auth/session/token', { headers: page, json: { brandSlug: brand.slug } })
    for (let i = 0; i < 60; i++) expect((await exchange(eve.page)).status).toBe(200)
    const refused = await exchange(eve.page)
    expect([outcomeOf(refused), refused.headers.get('ratelimit-policy')]).toEqual([
      '429 RATE_LIMITED',
      '"session-tokens";q=60;w=60',
    ])
    expect(outcomeOf(await exchange(ann.page))).toBe('200 fine')
  })

  test('lists the own sessions, which end one by one', async () => {
    const eve = await addMember(service, brand, 'editor')
    const phone = pageAfter(
      await useToken(service, await newLinkToken(service, eve), { ...OWN_PAGE, 'User-Agent': 'Phone' }),
    )
    const listed = (await sessions(eve.page)).body.data
    expect(listed.map(({ userAgent, current }) => [userAgent, current])).toEqual([
      ['Phone', false],
      ['a test', true],
    ])
    const first = await service.get<Listed[]>('auth/sessions?limit=1', { headers: eve.page })
    const second = await service.get<Listed[]>(`auth/sessions?limit=1&cursor=${first.body.nextCursor}`, {
      headers: eve.page,
    })
    expect([first.body.hasMore, second.body.hasMore, second.body.data[0]?.id]).toEqual([true, false, listed[1]?.id])
    const token = String((await tokenFor(phone)).body.data.accessToken)
    const end = (page: Record<string, string>, id: string | undefined) =>
      service.request('DELETE', `auth/sessions/${id}`, { headers: page })
    expect(outcomeOf(await end(ada.page, listed[0]?.id))).toBe('404 NOT_FOUND')
    expect(outcomeOf(await end(eve.page, randomUUID()))).toBe('404 NOT_FOUND')
    expect(outcomeOf(await end(eve.page, listed[0]?.id))).toBe('204 fine')
    expect(outcomeOf(await session(phone))).toBe('401 UNAUTHORIZED')
    expect(outcomeOf(await service.get('brands/me', { token }))).toBe('401 UNAUTHORIZED')
    expect((await sessions(eve.page)).body.data).toHaveLength(1)
  })

  test('gives no access token of a session that ends at the same time, and never fails', async () => {
    for (let round = 0; round < 5; round++) {
      const eve = await addMember(service, brand, 'editor')
      const [issued, out] = await Promise.all([
        service.post('auth/session/token', { headers: eve.page, json: { brandSlug: brand.slug } }),
        service.request('DELETE', 'auth/session', { headers: eve.page }),
      ])
      expect(outcomeOf(out)).toBe('204 fine')
      expect(['200 fine', '401 UNAUTHORIZED']).toContain(outcomeOf(issued))
    }
  })

  test('lasts 30 days from its last use, and so does its cookie', async () => {
    const eve = await addMember(service, brand, 'editor')
    expect((await session(eve.page)).headers.get('set-cookie')).toBeNull()
    const seen = service.db.selectFrom('sessions').select('last_seen_at').where('key', '=', eve.sessionKey)
    const before = await seen.execute()
    service.clock.advance(29 * DAY)
    const foreign = { ...eve.page, 'Sec-Fetch-Site': 'cross-site' }
    expect(outcomeOf(await session(foreign))).toBe('403 CROSS_ORIGIN')
    expect(await seen.execute()).toEqual(before)
    expect((await session(eve.page)).headers.get('set-cookie')).toStartWith(`${eve.page['Cookie']}; `)
    service.clock.advance(29 * DAY)
    // openapi.json names the cookie of an error, too.
    const refused = await service.post('auth/session/token', { headers: eve.page, json: {} })
    expect([outcomeOf(refused), refused.headers.get('set-cookie')?.startsWith(`${eve.page['Cookie']}; `)]).toEqual([
      '422 VALIDATION_ERROR',
      true,
    ])
    service.clock.advance(60_000)
    expect(outcomeOf(await session(eve.page))).toBe('200 fine')
    service.clock.advance(30 * DAY)
    expect(outcomeOf(await session(eve.page))).toBe('401 UNAUTHORIZED')
  })

  test('counts wrong links against their network, and never refuses a right one', async () => {
    const limited = await startTestService(engine, { settings: { TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const member = await addMember(limited, await limited.createBrand(), 'owner')
      const from = (address: string) => ({ ...OWN_PAGE, 'X-Forwarded-For': address })
      for (let i = 0; i < 10; i++) {
        expect(outcomeOf(await useToken(limited, `tsl_${i}`, from('192.0.2.1')))).toBe('401 INVALID_LINK')
      }
      const eleventh = await useToken(limited, 'tsl_11', from('192.0.2.1'))
      expect([outcomeOf(eleventh), eleventh.headers.get('ratelimit-policy')]).toEqual([
        '429 RATE_LIMITED',
        '"auth-failures";q=10;w=60',
      ])
      expect(outcomeOf(await useToken(limited, 'tsl_12', from('192.0.2.2')))).toBe('401 INVALID_LINK')
      const right = await useToken(limited, await newLinkToken(limited, member), from('192.0.2.1'))
      expect(outcomeOf(right)).toBe('200 fine')
    } finally {
      await limited.stop()
    }
  })
})
