import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { transaction } from '../src/db/transaction.ts'
import { endMembership, lockPerson } from '../src/features/people/members.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { type Account, CLIENT, LyingProvider, PUBLIC_URL, passThrough, RealProvider } from './oidc-providers.ts'
import { addMember, OWN_PAGE } from './people.ts'
import { type Reply, startTestService, type TestBrand, type TestService } from './service.ts'
import { waitersOf } from './waiting-locks.ts'

const real = new RealProvider()
const liar = new LyingProvider()
beforeAll(() => real.open())
afterAll(async () => {
  await real.close()
  await liar.close()
})

const settingsOf = (issuer: string) => ({
  PUBLIC_URL,
  TRUSTED_PROXIES: '127.0.0.1',
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
})

let network = 0
const from = () => ({ 'X-Forwarded-For': `10.2.0.${network++ & 255}` })

const cookieOf = ({ headers }: Reply, name: string): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .find((pair) => pair.startsWith(`${name}=`)) ?? ''

async function begin(service: TestService) {
  const reply = await service.get('auth/oidc', { headers: from() })
  return { reply, location: reply.headers.get('location') ?? '', cookie: cookieOf(reply, '__Host-tossup-oidc') }
}

const finish = (service: TestService, search: string, cookie: string) =>
  service.get(`auth/oidc/callback${search}`, { headers: { Cookie: cookie, ...from() } })

const countSessions = async ({ db }: TestService) => (await db.selectFrom('sessions').select('key').execute()).length

async function expectNobody(service: TestService, reply: Reply): Promise<void> {
  expect([reply.status, reply.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
  expect(reply.headers.get('set-cookie')).toBeNull()
  expect(await countSessions(service)).toBe(0)
}

describe.each([...engines])('%s: signing in with a provider', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: settingsOf(real.url) })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function signIn(account: Account): Promise<Reply> {
    real.account = account
    const { location, cookie } = await begin(service)
    const back = await passThrough(location)
    return finish(service, new URL(back).search, cookie)
  }

  const sessionAfter = (reply: Reply) =>
    service.get<{ member: { memberId: string; email: string; name: string } }>('auth/session', {
      headers: { ...OWN_PAGE, Cookie: cookieOf(reply, '__Host-tossup') },
    })

  test('asks with PKCE, state and nonce, and keeps their secrets from everybody but the browser', async () => {
    const { reply, location, cookie } = await begin(service)
    const { searchParams, origin } = new URL(location)
    expect([reply.status, origin]).toEqual([302, real.url])
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.id,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      state: expect.any(String),
      nonce: expect.any(String),
      code_challenge: expect.any(String),
    })
    expect(reply.headers.get('set-cookie')).toMatch(/; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/)
    expect(Buffer.from(cookie.split('=')[1] ?? '', 'base64url').toString('latin1')).not.toContain(
      searchParams.get('state') ?? '',
    )
  })

  test('signs in the member with the verified address, in upper or lower case', async () => {
    const ada = await addMember(service, brand, 'owner')
    await service.db.deleteFrom('sessions').execute()
    const reply = await signIn({ email: ada.email.toUpperCase(), isVerified: true, name: 'Ada' })
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/console'])
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-tossup=tss_[\w-]{43}; .*SameSite=Strict$/),
      expect.stringMatching(/^__Host-tossup-oidc=; .*Max-Age=0/),
    ])
    expect((await sessionAfter(reply)).body.data.member).toEqual({
      memberId: ada.memberId,
      email: ada.email,
      name: 'Ada',
    })
    await service.db.deleteFrom('sessions').execute()
  })

  test('refuses an unverified address, and somebody who works for no brand', async () => {
    const ada = await addMember(service, brand, 'owner')
    await service.db.deleteFrom('sessions').execute()
    await expectNobody(service, await signIn({ email: ada.email, isVerified: false }))
    const stranger = `stranger-${randomUUID()}@people.test`
    await expectNobody(service, await signIn({ email: stranger, isVerified: true }))
    const people = await service.db.selectFrom('people').select('key').where('email', '=', stranger).execute()
    expect(people).toEqual([])
    expect(service.logLines.join('')).not.toContain('@people.test')
  })

  test('takes a name by the rules of our own, and signs in without one that breaks them', async () => {
    const names = { 'Ada\u0000 Lovelace': null, 'Ada\u200b': null, ['x'.repeat(81)]: null, '  Ada ': 'Ada' }
    for (const [name, stored] of Object.entries(names)) {
      const { email } = await addMember(service, brand, 'owner')
      await service.db.deleteFrom('sessions').execute()
      const reply = await signIn({ email, isVerified: true, name })
      expect([name, reply.status]).toEqual([name, 302])
      expect<string | null>((await sessionAfter(reply)).body.data.member.name).toBe(stored)
    }
    await service.db.deleteFrom('sessions').execute()
  })

  test('refuses somebody who is just being removed', async () => {
    const ada = await addMember(service, brand, 'editor')
    await service.db.deleteFrom('sessions').execute()
    let answered: Promise<Reply> | undefined
    await transaction(service.deps.engine, async (tx) => {
      await lockPerson(tx, ada.personKey)
      const waiters = await waitersOf(tx, engine, service)
      answered ??= signIn({ email: ada.email, isVerified: true })
      await eventually(async () => (await waiters()) > 0)
      await endMembership(tx, brand.brandKey, ada.personKey)
    })
    await expectNobody(service, await (answered ?? Promise.reject(new Error('nobody signed in'))))
    expect(service.logLines).toEqual([])
  })

  test('refuses an answer for another browser, of another request, a second time, or late', async () => {
    const ada = await addMember(service, brand, 'owner')
    await service.db.deleteFrom('sessions').execute()
    real.account = { email: ada.email, isVerified: true }
    const first = await begin(service)
    const second = await begin(service)
    const { search } = new URL(await passThrough(first.location))
    for (const cookie of ['', second.cookie, `${first.cookie}x`, '__Host-tossup-oidc=nonsense']) {
      await expectNobody(service, await finish(service, search, cookie))
    }
    for (const wrong of ['', '?code=x', '?error=access_denied', search.replace(/state=[^&]+/, 'state=x')]) {
      await expectNobody(service, await finish(service, wrong, first.cookie))
    }
    const { search: late } = new URL(await passThrough(second.location))
    expect((await finish(service, search, first.cookie)).status).toBe(302)
    await service.db.deleteFrom('sessions').execute()
    await expectNobody(service, await finish(service, search, first.cookie))
    service.clock.advance(10 * 60_000)
    await expectNobody(service, await finish(service, late, second.cookie))
  })

  test('makes a member of the only brand where the operator says so, and of none where there are two', async () => {
    const open = await startTestService(engine, {
      settings: { ...settingsOf(real.url), OIDC_DEFAULT_ROLE: 'analyst' },
    })
    try {
      const only = await open.createBrand()
      const email = `newcomer-${randomUUID()}@people.test`
      const enter = async (address: string) => {
        real.account = { email: address, isVerified: true, name: 'Bea' }
        const { location, cookie } = await begin(open)
        return finish(open, new URL(await passThrough(location)).search, cookie)
      }
      expect((await enter(email)).status).toBe(302)
      const squatted = `squatted-${randomUUID()}@people.test`
      const squatter = await addMember(open, only, 'analyst', { email: squatted, isProven: false })
      await open.db.deleteFrom('members').where('person_key', '=', squatter.personKey).execute()
      expect((await enter(squatted)).status).toBe(302)
      expect((await open.get('auth/session', { headers: squatter.page })).status).toBe(401)
      await open.db.deleteFrom('members').where('person_key', '=', squatter.personKey).execute()
      expect((await enter(email.toUpperCase())).status).toBe(302)
      const members = await open.db.selectFrom('members').select(['brand_key', 'role']).execute()
      expect(members).toEqual([{ brand_key: only.brandKey, role: 'analyst' }])
      await open.createBrand()
      await open.db.deleteFrom('sessions').execute()
      await expectNobody(open, await enter(`other-${email}`))
    } finally {
      await open.stop()
    }
  })
})

describe('an id token that no provider should have sent signs nobody in', () => {
  let service: TestService
  let email: string
  beforeAll(async () => {
    service = await startTestService('sqlite', { settings: settingsOf(liar.url) })
    email = (await addMember(service, await service.createBrand(), 'owner')).email
    await service.db.deleteFrom('sessions').execute()
  })
  afterAll(() => service.stop())

  const past = Math.floor(Date.now() / 1_000) - 3_600
  const lies: Record<string, LyingProvider['lie']> = {
    'of another audience': { claims: { aud: 'another client' } },
    expired: { claims: { iat: past - 60, exp: past } },
    'of another issuer': { claims: { iss: 'https://evil.example' } },
    'with another nonce': { claims: { nonce: 'another' } },
    'with another signature': { hasForeignKey: true },
    'with an unverified address': { claims: { email_verified: false } },
    'that says "true" of the address': { claims: { email_verified: 'true' } },
    'with no address that mail could reach': { claims: { email: 'nobody' } },
  }

  async function signIn(lie: LyingProvider['lie']): Promise<Reply> {
    const { location, cookie } = await begin(service)
    const { searchParams } = new URL(location)
    liar.nonce = searchParams.get('nonce') ?? ''
    liar.lie = { ...lie, claims: { email, ...lie.claims } }
    return finish(service, `?code=any&state=${searchParams.get('state')}`, cookie)
  }

  test.each(Object.keys(lies))('%s', async (name) => {
    await expectNobody(service, await signIn(lies[name] ?? {}))
  })

  test('and one that is right signs in', async () => {
    expect((await signIn({})).status).toBe(302)
  })
})

describe.each([...engines])('%s: a provider that hangs', (engine) => {
  const slow = new LyingProvider()
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { settings: settingsOf(slow.url) })
  })
  afterAll(async () => {
    await service.stop()
    await slow.close()
  })

  const searchFor = (location: string) => `?code=any&state=${new URL(location).searchParams.get('state')}`

  test('is asked eight things at once, and one for each cookie, and each return is counted before', async () => {
    const started = await Promise.all(Array.from({ length: 30 }, () => begin(service)))
    const { promise, resolve } = Promise.withResolvers<void>()
    slow.held = promise
    const repeated = started[0] ?? (await begin(service))
    const returns = [...started, ...Array.from({ length: 10 }, () => repeated)]
    const answers = returns.map(({ location, cookie }) => finish(service, searchFor(location), cookie))
    await eventually(() => slow.open === 8)
    let refused = 0
    for (const answer of answers) void answer.then(() => refused++)
    await eventually(() => refused === answers.length - 8)
    resolve()
    for (const { status } of await Promise.all(answers)) expect(status).toBe(403)
    expect(slow.mostOpen).toBe(8)
    const { location, cookie } = await begin(service)
    const headers = { Cookie: cookie, 'X-Forwarded-For': '10.3.0.1' }
    const ask = () => service.get(`auth/oidc/callback${searchFor(location)}`, { headers })
    let asked = 0
    while ((await ask()).status !== 429) asked++
    expect(asked).toBeLessThanOrEqual(60)
  })
})

test('a discovery document of 60 MB is not read to its end', async () => {
  const swollen = new LyingProvider()
  swollen.padding = 'x'.repeat(60_000_000)
  const service = await startTestService('sqlite', { settings: settingsOf(swollen.url) })
  try {
    await expectNobody(service, (await begin(service)).reply)
    swollen.padding = ''
    expect((await begin(service)).reply.status).toBe(302)
  } finally {
    await service.stop()
    await swollen.close()
  }
})

test('without a provider the page says that it did not work', async () => {
  const service = await startTestService('sqlite')
  try {
    await expectNobody(service, (await begin(service)).reply)
  } finally {
    await service.stop()
  }
})
