import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { transaction } from '../src/db/transaction.ts'
import { registerPasskey } from '../src/features/people/passkeys/passkeys.ts'
import { endSession, findSession } from '../src/features/people/sessions/sessions.ts'
import { engines } from './engines.ts'
import { assertion, challengeToRegister, challengeToSignIn, type PasskeyData, register } from './passkeys.ts'
import { addMember, newLinkToken, OWN_PAGE, pageAfter, type TestMember, useToken } from './people.ts'
import { outcomeOf, startTestService, type TestBrand, type TestService } from './service.ts'
import { SoftwarePasskey } from './software-passkey.ts'

const MINUTE = 60_000

describe.each([...engines])('%s: a passkey', (engine) => {
  let service: TestService
  let brand: TestBrand
  let ada: TestMember
  let origin: string
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { TRUSTED_PROXIES: '127.0.0.1' } })
    brand = await service.createBrand()
    ada = await addMember(service, brand, 'owner')
    origin = service.deps.config.publicUrl
  })
  afterAll(() => service.stop())

  let network = 0
  /** Each from another network, so that wrong ones do not use up one limit. */
  const from = () => ({ 'X-Forwarded-For': `10.1.${network >> 8}.${network++ & 255}` })
  const create = (page: Record<string, string>, credential: unknown) =>
    service.post<PasskeyData>('auth/passkeys', { headers: { ...page, ...from() }, json: { credential } })
  const signIn = (credential: unknown, page: Record<string, string> = OWN_PAGE) =>
    service.post<{ member: { memberId: string } }>('auth/passkeys/session', {
      headers: { ...page, ...from() },
      json: { credential },
    })
  const passkeys = async (page: Record<string, string>) =>
    (await service.get<PasskeyData[]>('auth/passkeys', { headers: page })).body.data
  const registered = async (member: TestMember) => {
    const passkey = new SoftwarePasskey()
    expect(outcomeOf(await register(service, member.page, passkey))).toBe('201 fine')
    return passkey
  }

  test('is registered, listed, renamed and removed by its owner alone', async () => {
    const eve = await addMember(service, brand, 'editor')
    const made = await register(service, eve.page, new SoftwarePasskey())
    expect([made.status, made.body.data]).toEqual([
      201,
      { id: expect.any(String), name: 'A test key', createdAt: expect.any(String) },
    ])
    const { id } = made.body.data
    const path = `auth/passkeys/${id}`
    const rename = (page: Record<string, string>, name: unknown) =>
      service.request<PasskeyData>('PATCH', path, { headers: page, json: { name } })
    expect(outcomeOf(await rename(ada.page, 'Mine'))).toBe('404 NOT_FOUND')
    expect(outcomeOf(await rename(eve.page, ' '))).toBe('422 VALIDATION_ERROR')
    expect((await rename(eve.page, 'My phone')).body.data.name).toBe('My phone')
    expect(await passkeys(eve.page)).toEqual([{ ...made.body.data, name: 'My phone', lastUsedAt: null }])
    const members = await service.get<{ memberId: string; passkeys: number }[]>('brands/me/members', {
      token: ada.token,
    })
    expect(members.body.data.find(({ memberId }) => memberId === eve.memberId)?.passkeys).toBe(1)
    const remove = (page: Record<string, string>) => service.request('DELETE', path, { headers: page })
    expect(outcomeOf(await remove(ada.page))).toBe('404 NOT_FOUND')
    expect(outcomeOf(await remove(eve.page))).toBe('204 fine')
    expect(await passkeys(eve.page)).toEqual([])
  })

  test('signs its owner in, and replaces the session of another', async () => {
    const passkey = await registered(ada)
    const eve = await addMember(service, brand, 'editor')
    const reply = await signIn(await assertion(service, passkey), eve.page)
    expect([outcomeOf(reply), reply.body.data.member.memberId]).toEqual(['200 fine', ada.memberId])
    const me = await service.get<{ member: { email: string } }>('auth/session', { headers: pageAfter(reply) })
    expect(me.body.data.member.email).toBe(ada.email)
    expect(outcomeOf(await service.get('auth/session', { headers: eve.page }))).toBe('401 UNAUTHORIZED')
    expect((await passkeys(ada.page))[0]?.lastUsedAt).toBeString()
  })

  test('answers a challenge once, also by two requests at the same time', async () => {
    const passkey = await registered(ada)
    const credential = await assertion(service, passkey)
    const replies = await Promise.all([1, 2, 3].map(() => signIn(credential)))
    expect(replies.map(outcomeOf).sort()).toEqual(['200 fine', '401 INVALID_PASSKEY', '401 INVALID_PASSKEY'])
    expect(outcomeOf(await signIn(credential))).toBe('401 INVALID_PASSKEY')
    const again = new SoftwarePasskey()
    const challenge = await challengeToRegister(service, ada.page)
    expect(outcomeOf(await create(ada.page, again.create({ challenge, origin })))).toBe('201 fine')
    const other = new SoftwarePasskey()
    expect(outcomeOf(await create(ada.page, other.create({ challenge, origin })))).toBe('401 INVALID_PASSKEY')
  })

  test('of another origin, of another site, without a finger or PIN, or with a foreign challenge is refused', async () => {
    const passkey = await registered(ada)
    const challenge = () => challengeToSignIn(service)
    const late = await challenge()
    const wrong: (() => Promise<Record<string, unknown>>)[] = [
      async () => passkey.get({ challenge: await challenge(), origin: 'https://evil.example' }),
      async () => passkey.get({ challenge: await challenge(), origin: `${origin}1` }),
      async () => passkey.get({ challenge: await challenge(), origin, rpId: 'evil.example' }),
      async () => passkey.get({ challenge: await challenge(), origin, isVerified: false }),
      async () => passkey.get({ challenge: await challengeToRegister(service, ada.page), origin }),
      async () => passkey.get({ challenge: Buffer.alloc(38).toString('base64url'), origin }),
      async () => passkey.get({ challenge: '', origin }),
      async () => ({ ...(await assertion(service, passkey)), id: new SoftwarePasskey().id }),
      async () => ({ ...(await assertion(service, passkey)), response: {} }),
      async () => (await assertion(service, new SoftwarePasskey())) ?? {},
      async () => ({ id: passkey.id }),
      async () => ({}),
      async () => {
        const { response, ...rest } = await assertion(service, passkey)
        return { ...rest, response: { ...(response as object), signature: 'AAAA' } }
      },
    ]
    const before = await service.db.selectFrom('sessions').select('key').execute()
    for (const [i, make] of wrong.entries()) {
      expect(`${i} ${outcomeOf(await signIn(await make()))}`).toBe(`${i} 401 INVALID_PASSKEY`)
    }
    service.clock.advance(5 * MINUTE)
    expect(outcomeOf(await signIn(passkey.get({ challenge: late, origin })))).toBe('401 INVALID_PASSKEY')
    expect(await service.db.selectFrom('sessions').select('key').execute()).toHaveLength(before.length)
    expect(outcomeOf(await signIn(await assertion(service, passkey)))).toBe('200 fine')
  })

  test('is registered only by an answer to the own challenge, from this origin, and once', async () => {
    const eve = await addMember(service, brand, 'editor')
    const taken = await registered(ada)
    const wrong: (() => Promise<Record<string, unknown>>)[] = [
      async () => new SoftwarePasskey().create({ challenge: await challengeToRegister(service, ada.page), origin }),
      async () => new SoftwarePasskey().create({ challenge: await challengeToSignIn(service), origin }),
      async () =>
        new SoftwarePasskey().create({
          challenge: await challengeToRegister(service, eve.page),
          origin: 'https://evil.example',
        }),
      async () =>
        new SoftwarePasskey().create({
          challenge: await challengeToRegister(service, eve.page),
          origin,
          rpId: 'evil.example',
        }),
      async () => taken.create({ challenge: await challengeToRegister(service, eve.page), origin }),
      async () => ({
        id: 'AAAA',
        rawId: 'AAAA',
        type: 'public-key',
        response: { clientDataJSON: '!', attestationObject: '' },
      }),
      async () => ({}),
    ]
    for (const [i, make] of wrong.entries()) {
      expect(`${i} ${outcomeOf(await create(eve.page, await make()))}`).toBe(`${i} 401 INVALID_PASSKEY`)
    }
    expect(await passkeys(eve.page)).toEqual([])
  })

  test('is not registered by a session that ended meanwhile, or for a person who was removed meanwhile', async () => {
    const owner = await addMember(service, brand, 'owner')
    const endings: ((member: TestMember) => Promise<unknown>)[] = [
      ({ sessionKey }) => transaction(service.deps.engine, (tx) => endSession(tx, sessionKey)),
      async (member) => useToken(service, await newLinkToken(service, member, { isMailed: true })),
      ({ memberId }) => service.write('DELETE', `brands/me/members/${memberId}`, { token: owner.token }),
    ]
    for (const end of endings) {
      const eve = await addMember(service, brand, 'editor', { isProven: false })
      const challenge = await challengeToRegister(service, eve.page)
      const session = await findSession(service.deps, eve.page['Cookie']?.split('=')[1] ?? '')
      if (!session) throw new Error('no session')
      const credential = new SoftwarePasskey().create({ challenge, origin })
      await end(eve)
      const party = { name: 'Tossup', id: 'localhost', origins: [origin] }
      const registering = registerPasskey(service.deps, { session, party, credential, name: 'Late' })
      expect(await registering.catch(({ code }) => code)).toBe('UNAUTHORIZED')
      const left = service.db.selectFrom('passkeys').select('key').where('person_key', '=', eve.personKey)
      expect(await left.execute()).toEqual([])
    }
  })

  test('whose counter went back is refused: it may be a copy', async () => {
    const passkey = await registered(ada)
    passkey.counter = 10
    expect(outcomeOf(await signIn(await assertion(service, passkey)))).toBe('200 fine')
    for (const counter of [10, 3, 0]) {
      passkey.counter = counter - 1
      expect(`${counter} ${outcomeOf(await signIn(await assertion(service, passkey)))}`).toBe(
        `${counter} 401 INVALID_PASSKEY`,
      )
    }
    passkey.counter = 11
    expect(outcomeOf(await signIn(await assertion(service, passkey)))).toBe('200 fine')
  })

  test('of a removed member signs in no more, and a proven address ends those from before', async () => {
    const eve = await addMember(service, brand, 'editor', { isProven: false })
    const passkey = await registered(eve)
    const mailed = await useToken(service, await newLinkToken(service, eve, { isMailed: true }))
    expect(outcomeOf(mailed)).toBe('200 fine')
    expect(outcomeOf(await signIn(await assertion(service, passkey)))).toBe('401 INVALID_PASSKEY')
    const bob = await addMember(service, brand, 'editor')
    const kept = await registered(bob)
    await service.write('DELETE', `brands/me/members/${bob.memberId}`, {
      token: (await addMember(service, brand, 'owner')).token,
    })
    expect(outcomeOf(await signIn(await assertion(service, kept)))).toBe('401 INVALID_PASSKEY')
  })

  test('is one of at most twenty', async () => {
    const eve = await addMember(service, brand, 'editor')
    for (let i = 0; i < 20; i++) await registered(eve)
    expect(outcomeOf(await register(service, eve.page, new SoftwarePasskey()))).toBe('422 VALIDATION_ERROR')
    expect(await passkeys(eve.page)).toHaveLength(20)
  })

  test('asks nobody who they are: the options are the same for everybody', async () => {
    const options = async () => {
      const { body } = await service.post<Record<string, unknown>>('auth/passkeys/challenge', { headers: OWN_PAGE })
      const { data } = body
      return { ...data, challenge: '' }
    }
    expect(await options()).toEqual(await options())
    expect(await options()).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(outcomeOf(await service.post('auth/passkeys/challenge'))).toBe('403 CROSS_ORIGIN')
    expect(
      outcomeOf(await signIn(await assertion(service, new SoftwarePasskey()), { Origin: 'https://evil.example' })),
    ).toBe('403 CROSS_ORIGIN')
    expect(outcomeOf(await service.get(`auth/passkeys/${randomUUID()}`, { headers: ada.page }))).toBe(
      '405 METHOD_NOT_ALLOWED',
    )
  })
})
