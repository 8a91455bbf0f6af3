import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes, randomUUID } from 'node:crypto'
import { transaction } from '../src/db/transaction.ts'
import { emailKey } from '../src/features/people/email.ts'
import { addPerson, addMember as joinBrand, proveAddress } from '../src/features/people/links.ts'
import { endMembership, lockPerson } from '../src/features/people/members.ts'
import { lockBrand } from '../src/features/people/tokens/queries.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { addMember, newLinkToken, OWN_PAGE, pageAfter, type TestMember, tokenOf, useToken } from './people.ts'
import { outcomeOf, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'
import { waitersOf } from './waiting-locks.ts'

const DAY = 86_400_000

interface MemberData {
  memberId: string
  email: string
  name: string | null
  role: string
  createdAt: string
  lastSeenAt: string | null
  passkeys: number
}

interface InvitationData {
  invitationId: string
  email: string
  role: string
  url: string
  createdAt: string
  expiresAt: string
}

const newEmail = () => `Person-${randomUUID().slice(0, 8)}@People.test`

describe.each([...engines])('%s: the members of a brand', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { TRUSTED_PROXIES: '127.0.0.1' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const members = async (token: string) => (await service.get<MemberData[]>('brands/me/members', { token })).body.data
  const invite = (token: string, json: unknown) =>
    service.write<InvitationData>('POST', 'brands/me/invitations', { token, json })
  const setRole = (token: string, memberId: string, role: string) =>
    service.write<MemberData>('PATCH', `brands/me/members/${memberId}`, { token, json: { role } })
  const remove = (token: string, memberId: string) =>
    service.write('DELETE', `brands/me/members/${memberId}`, { token })

  test('are invited by address and role, and join with the link', async () => {
    const owner = await addMember(service, brand, 'owner')
    const email = newEmail()
    const invited = await invite(owner.token, { email, role: 'editor' })
    expect([invited.status, invited.body.data]).toEqual([
      201,
      {
        invitationId: expect.any(String),
        email,
        role: 'editor',
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:0\/console\/join#tsl_[\w-]{43}$/),
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ])
    const { createdAt, expiresAt, url } = invited.body.data
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(7 * DAY)
    const listed = await service.get('brands/me/invitations', { token: owner.token })
    expect(listed.text).toContain(email)
    expect(listed.text).not.toContain('tsl_')

    const joined = await useToken(service, tokenOf(url))
    expect([joined.status, joined.body.data.member.email]).toEqual([200, email])
    const person = (await members(owner.token)).find((member) => member.email === email)
    expect(person).toMatchObject({ role: 'editor', name: null, passkeys: 0, lastSeenAt: null })
    await service.post('auth/session/token', { headers: pageAfter(joined), json: { brandSlug: brand.slug } })
    expect((await members(owner.token)).find((member) => member.email === email)?.lastSeenAt).toBeString()
    expect((await service.get('brands/me/invitations', { token: owner.token })).text).not.toContain(email)
    expect(outcomeOf(await useToken(service, tokenOf(url)))).toBe('401 INVALID_LINK')
  })

  test('join once, also by two requests at the same time', async () => {
    const owner = await addMember(service, brand, 'owner')
    const { url, email } = (await invite(owner.token, { email: newEmail(), role: 'analyst' })).body.data
    const replies = await Promise.all(Array.from({ length: 5 }, () => useToken(service, tokenOf(url))))
    expect(replies.map(outcomeOf).sort()).toEqual(['200 fine', ...new Array<string>(4).fill('401 INVALID_LINK')])
    expect((await members(owner.token)).filter((member) => member.email === email)).toHaveLength(1)
  })

  test('are not invited twice when the case of the address differs', async () => {
    const owner = await addMember(service, brand, 'owner', { email: `Élise-${randomUUID()}@Bücher.test` })
    for (const email of [owner.email, owner.email.toLowerCase(), owner.email.replace('Bücher', 'XN--BCHER-KVA')]) {
      expect(outcomeOf(await invite(owner.token, { email, role: 'owner' }))).toBe('409 ALREADY_MEMBER')
    }
    const email = newEmail()
    const first = (await invite(owner.token, { email, role: 'editor' })).body.data
    const second = (await invite(owner.token, { email: email.toUpperCase(), role: 'analyst' })).body.data
    expect(outcomeOf(await useToken(service, tokenOf(first.url)))).toBe('401 INVALID_LINK')
    await useToken(service, tokenOf(second.url))
    expect((await members(owner.token)).find((member) => member.email === email.toUpperCase())?.role).toBe('analyst')
  })

  test('are invited by a sound address and role', async () => {
    const owner = await addMember(service, brand, 'owner')
    const bad = [
      { email: 'nobody', role: 'editor' },
      { email: 'a@example.com\r\nBcc: b@example.com', role: 'editor' },
      { email: `${'a'.repeat(250)}@example.com`, role: 'editor' },
      { email: newEmail(), role: 'admin' },
      { email: newEmail() },
      { email: newEmail(), role: 'editor', url: 'https://evil.example' },
    ]
    for (const json of bad) expect(outcomeOf(await invite(owner.token, json))).toBe('422 VALIDATION_ERROR')
  })

  test('join late, or after the invitation was withdrawn, not at all', async () => {
    const owner = await addMember(service, brand, 'owner')
    const withdrawn = (await invite(owner.token, { email: newEmail(), role: 'editor' })).body.data
    const path = `brands/me/invitations/${withdrawn.invitationId}`
    const stranger = await addMember(service, await service.createBrand(), 'owner')
    expect(outcomeOf(await service.write('DELETE', path, { token: stranger.token }))).toBe('404 NOT_FOUND')
    expect(outcomeOf(await service.write('DELETE', path, { token: owner.token }))).toBe('204 fine')
    expect(outcomeOf(await service.write('DELETE', path, { token: owner.token }))).toBe('404 NOT_FOUND')
    expect(outcomeOf(await useToken(service, tokenOf(withdrawn.url)))).toBe('401 INVALID_LINK')
  })

  test('with an account at another brand join only while signed in to it', async () => {
    const mallory = await addMember(service, await service.createBrand(), 'owner')
    const victim = await addMember(service, brand, 'owner')
    const { url } = (await invite(mallory.token, { email: victim.email, role: 'editor' })).body.data
    // The inviter opens the link that names somebody else's address.
    expect(outcomeOf(await useToken(service, tokenOf(url)))).toBe('401 INVALID_LINK')
    expect(outcomeOf(await useToken(service, tokenOf(url), mallory.page))).toBe('401 INVALID_LINK')
    // The person opens it in their own browser.
    const joined = await useToken(service, tokenOf(url), victim.page)
    expect([outcomeOf(joined), joined.body.data.member.memberId]).toEqual(['200 fine', victim.memberId])
    const { data } = (await service.get<{ brands: unknown[] }>('auth/session', { headers: pageAfter(joined) })).body
    expect(data.brands).toHaveLength(2)
  })

  test('end sessions and passkeys of an account that never proved its address, once its owner does', async () => {
    const squatter = await addMember(service, brand, 'analyst', { isProven: false })
    await newLinkToken(service, squatter)
    const token = await newLinkToken(service, squatter, { isMailed: true })
    const proven = await useToken(service, token)
    expect(outcomeOf(proven)).toBe('200 fine')
    expect(outcomeOf(await service.get('auth/session', { headers: squatter.page }))).toBe('401 UNAUTHORIZED')
    const links = service.db.selectFrom('sign_in_links').select('hash').where('person_key', '=', squatter.personKey)
    expect(await links.execute()).toEqual([])
    const again = await useToken(service, await newLinkToken(service, squatter, { isMailed: true }))
    expect(outcomeOf(again)).toBe('200 fine')
    expect(outcomeOf(await service.get('auth/session', { headers: pageAfter(proven) }))).toBe('200 fine')
  })

  test('change and remove members only as owners of their own brand', async () => {
    const owner = await addMember(service, brand, 'owner')
    const editor = await addMember(service, brand, 'editor')
    const stranger = await addMember(service, await service.createBrand(), 'owner')
    for (const write of [
      (token: string) => setRole(token, editor.memberId, 'analyst'),
      (token: string) => remove(token, editor.memberId),
    ]) {
      expect(outcomeOf(await write(stranger.token))).toBe('404 NOT_FOUND')
      expect(outcomeOf(await write(brand.token))).toBe('403 MEMBER_REQUIRED')
    }
    expect(outcomeOf(await setRole(editor.token, editor.memberId, 'owner'))).toBe('403 ROLE_REQUIRED')
    expect(outcomeOf(await remove(editor.token, owner.memberId))).toBe('403 ROLE_REQUIRED')
    expect(outcomeOf(await invite(editor.token, { email: newEmail(), role: 'owner' }))).toBe('403 ROLE_REQUIRED')
    const changed = await setRole(owner.token, editor.memberId, 'analyst')
    expect([changed.status, changed.body.data.role]).toEqual([200, 'analyst'])
    expect(outcomeOf(await service.get('brands/me/polls', { token: editor.token }))).toBe('403 SCOPE_REQUIRED')
    expect(outcomeOf(await remove(owner.token, editor.memberId))).toBe('204 fine')
    expect(outcomeOf(await service.get('brands/me', { token: editor.token }))).toBe('401 UNAUTHORIZED')
    expect(outcomeOf(await remove(owner.token, editor.memberId))).toBe('404 NOT_FOUND')
  })

  test('leave by themselves, and are forgotten after their last brand', async () => {
    const editor = await addMember(service, brand, 'editor')
    const other = await service.createBrand()
    await service.db
      .insertInto('members')
      .values({ brand_key: other.brandKey, person_key: editor.personKey, role: 'owner', created_at: 0 })
      .execute()
    expect(outcomeOf(await remove(editor.token, editor.memberId))).toBe('204 fine')
    const left = await service.get<{ brands: { slug: string }[] }>('auth/session', { headers: editor.page })
    expect(left.body.data.brands.map(({ slug }) => slug)).toEqual([other.slug])

    const analyst = await addMember(service, brand, 'analyst')
    expect(outcomeOf(await remove(analyst.token, analyst.memberId))).toBe('204 fine')
    expect(outcomeOf(await service.get('auth/session', { headers: analyst.page }))).toBe('401 UNAUTHORIZED')
    const people = await service.db.selectFrom('people').select('key').where('key', '=', analyst.personKey).execute()
    expect(people).toEqual([])
  })

  test('leave no open invitation to their address, when they join and when they are removed', async () => {
    const full = await service.createBrand()
    const owner = await addMember(service, full, 'owner')
    const open = async () =>
      (await service.get<unknown[]>('brands/me/invitations', { token: owner.token })).body.data.length
    const email = newEmail()
    expect(outcomeOf(await invite(owner.token, { email, role: 'owner' }))).toBe('201 fine')
    expect(await open()).toBe(1)
    const editor = await addMember(service, full, 'editor', { email })
    expect(await open()).toBe(0)

    const later = (await invite(owner.token, { email: newEmail(), role: 'owner' })).body.data
    await service.db
      .updateTable('invitations')
      .set({ email, email_key: emailKey(email) })
      .where('id', '=', later.invitationId)
      .execute()
    expect(await open()).toBe(1)
    expect(outcomeOf(await remove(owner.token, editor.memberId))).toBe('204 fine')
    expect(await open()).toBe(0)
  })

  test('leave no invitation that they made, when they are removed and when they are no owner any more', async () => {
    const full = await service.createBrand()
    const owner = await addMember(service, full, 'owner')
    const kept = (await invite(owner.token, { email: newEmail(), role: 'editor' })).body.data
    for (const end of [remove, (token: string, id: string) => setRole(token, id, 'editor')]) {
      const leaving = await addMember(service, full, 'owner')
      const { url } = (await invite(leaving.token, { email: newEmail(), role: 'owner' })).body.data
      expect((await end(owner.token, leaving.memberId)).status).toBeLessThan(300)
      const open = (await service.get<InvitationData[]>('brands/me/invitations', { token: owner.token })).body.data
      expect(open.map(({ invitationId }) => invitationId)).toEqual([kept.invitationId])
      // A network of its own, because wrong links are counted by network.
      const headers = { ...OWN_PAGE, 'X-Forwarded-For': '192.0.2.7' }
      expect(outcomeOf(await useToken(service, tokenOf(url), headers))).toBe('401 INVALID_LINK')
    }
  })

  test('are not invited by an owner who is just being removed', async () => {
    const full = await service.createBrand()
    await addMember(service, full, 'owner')
    const leaving = await addMember(service, full, 'owner')
    let answered: Promise<Reply> | undefined
    await transaction(service.deps.engine, async (tx) => {
      await lockBrand(tx, full.brandKey)
      const waiters = await waitersOf(tx, engine, service)
      answered ??= invite(leaving.token, { email: newEmail(), role: 'owner' })
      await eventually(async () => (await waiters()) > 0)
      await lockPerson(tx, leaving.personKey)
      await endMembership(tx, full.brandKey, leaving.personKey)
    })
    // SQLite has one connection, so there the request has not been admitted yet.
    const refusal = engine === 'sqlite' ? '401 UNAUTHORIZED' : '403 ROLE_REQUIRED'
    expect(outcomeOf(await (answered as Promise<Reply>))).toBe(refusal)
  })

  test('are not invited by a request that comes while they join', async () => {
    const owner = await addMember(service, brand, 'owner')
    const email = newEmail()
    let invited: ReturnType<typeof invite> | undefined
    await transaction(service.deps.engine, async (tx) => {
      const now = service.clock.now()
      const personKey = await addPerson(tx, { email, emailKey: emailKey(email), isProven: true, now })
      await joinBrand(tx, { brandKey: brand.brandKey, personKey: personKey ?? 0, role: 'editor', now })
      const waiters = await waitersOf(tx, engine, service)
      let isAnswered = false
      invited ??= invite(owner.token, { email, role: 'owner' }).finally(() => {
        isAnswered = true
      })
      await eventually(async () => isAnswered || (await waiters()) > 0)
    })
    expect(invited && outcomeOf(await invited)).toBe('409 ALREADY_MEMBER')
  })

  test('cannot sign in with a link that they use while they are removed', async () => {
    const member = await addMember(service, brand, 'editor')
    const token = await newLinkToken(service, member)
    let used: ReturnType<typeof useToken> | undefined
    await transaction(service.deps.engine, async (tx) => {
      await lockPerson(tx, member.personKey)
      const waiters = await waitersOf(tx, engine, service)
      used ??= useToken(service, token, { ...OWN_PAGE, 'X-Forwarded-For': '203.0.113.99' })
      await eventually(async () => (await waiters()) > 0)
      await endMembership(tx, brand.brandKey, member.personKey)
    })
    expect(used && outcomeOf(await used)).toBe('401 INVALID_LINK')
  })

  test('do not join with a session that has ended since the link was opened', async () => {
    const elsewhere = await service.createBrand()
    const member = await addMember(service, elsewhere, 'editor', { isProven: false })
    const owner = await addMember(service, brand, 'owner')
    const { url } = (await invite(owner.token, { email: member.email, role: 'editor' })).body.data
    const sent = { ...member.page, 'X-Forwarded-For': '203.0.113.98' }
    let used: ReturnType<typeof useToken> | undefined
    await transaction(service.deps.engine, async (tx) => {
      await lockPerson(tx, member.personKey)
      const waiters = await waitersOf(tx, engine, service)
      used ??= useToken(service, tokenOf(url), sent)
      await eventually(async () => (await waiters()) > 0)
      // Another reads the mail of the address, which ends the sessions of who does not.
      await proveAddress(tx, member.personKey)
    })
    expect(used && outcomeOf(await used)).toBe('401 INVALID_LINK')
  })

  test('are invited at most a hundred at a time', async () => {
    const full = await service.createBrand()
    const owner = await addMember(service, full, 'owner')
    const { email } = (await invite(owner.token, { email: newEmail(), role: 'editor' })).body.data
    const now = service.clock.now()
    const open = {
      brand_key: full.brandKey,
      role: 'editor' as const,
      mail_hash: null,
      created_at: now,
      expires_at: now + DAY,
    }
    for (let i = 1; i < 100; i++) {
      const address = `guest-${i}@people.test`
      await service.db
        .insertInto('invitations')
        .values({ ...open, id: randomUUID(), email: address, email_key: address, link_hash: randomBytes(32) })
        .execute()
    }
    const refused = await invite(owner.token, { email: newEmail(), role: 'editor' })
    expect([refused.status, refused.body.error?.details]).toMatchObject([
      422,
      { fields: [{ code: 'too_many_invitations' }] },
    ])
    expect(outcomeOf(await invite(owner.token, { email, role: 'analyst' }))).toBe('201 fine')
    const expired = service.db.updateTable('invitations').set({ expires_at: now })
    await expired.where('email', '=', 'guest-1@people.test').execute()
    expect(outcomeOf(await invite(owner.token, { email: newEmail(), role: 'editor' }))).toBe('201 fine')
  })

  test('do not act any more once they were removed, also with a request whose body is still arriving', async () => {
    const owner = await addMember(service, brand, 'owner')
    const late = await addMember(service, brand, 'owner')
    const json = JSON.stringify({ email: newEmail(), role: 'owner' })
    let sender: ReadableStreamDefaultController<Uint8Array> | undefined
    const raw = new ReadableStream<Uint8Array>({
      start(controller) {
        sender = controller
        controller.enqueue(Buffer.from(json.slice(0, 5)))
      },
    })
    const answer = service.write('POST', 'brands/me/invitations', {
      token: late.token,
      raw,
      // A network of its own, because wrong tokens are counted by network.
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.9' },
    })
    // Real time: an identity holds for half a second, which no test clock moves.
    await Bun.sleep(700)
    expect(outcomeOf(await remove(owner.token, late.memberId))).toBe('204 fine')
    sender?.enqueue(Buffer.from(json.slice(5)))
    sender?.close()
    expect(outcomeOf(await answer)).toBe('401 UNAUTHORIZED')
  })

  test('always have an owner, also when two owners act at the same time', async () => {
    const alone = await addMember(service, await service.createBrand(), 'owner')
    expect(outcomeOf(await setRole(alone.token, alone.memberId, 'editor'))).toBe('409 LAST_OWNER')
    expect(outcomeOf(await remove(alone.token, alone.memberId))).toBe('409 LAST_OWNER')
    expect(outcomeOf(await setRole(alone.token, alone.memberId, 'owner'))).toBe('200 fine')

    for (let round = 0; round < 5; round++) {
      const pair = await service.createBrand()
      const [ada, bea] = [await addMember(service, pair, 'owner'), await addMember(service, pair, 'owner')]
      const replies = await Promise.all([
        setRole(ada.token, bea.memberId, 'analyst'),
        round % 2 === 0 ? setRole(bea.token, ada.memberId, 'editor') : remove(bea.token, ada.memberId),
      ])
      const codes = replies.map(outcomeOf)
      expect(codes.filter((code) => code.startsWith('20'))).toHaveLength(1)
      expect(codes.filter((code) => /LAST_OWNER|ROLE_REQUIRED|UNAUTHORIZED/.test(code))).toHaveLength(1)
      const owners = await service.db
        .selectFrom('members')
        .select('person_key')
        .where('brand_key', '=', pair.brandKey)
        .where('role', '=', 'owner')
        .execute()
      expect(owners).toHaveLength(1)
    }
  })

  test('are listed in the order in which they joined, in pages', async () => {
    const full = await service.createBrand()
    const joined: TestMember[] = []
    for (const role of ['owner', 'editor', 'analyst'] as const) joined.push(await addMember(service, full, role))
    const token = joined[0]?.token ?? ''
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '?limit=1' : `?limit=1&cursor=${cursor}`
      const page: Reply<MemberData[]> = await service.get(`brands/me/members${query}`, { token })
      seen.push(...page.body.data.map(({ memberId }) => memberId))
      cursor = page.body.nextCursor
    }
    expect(seen).toEqual(joined.map(({ memberId }) => memberId))
  })

  // Last: it moves the clock past the end of the tokens.
  test('join within seven days', async () => {
    const owner = await addMember(service, brand, 'owner')
    const { url } = (await invite(owner.token, { email: newEmail(), role: 'editor' })).body.data
    service.clock.advance(7 * DAY)
    expect(outcomeOf(await useToken(service, tokenOf(url)))).toBe('401 INVALID_LINK')
    const again = await addMember(service, brand, 'owner')
    expect((await service.get<unknown[]>('brands/me/invitations', { token: again.token })).body.data).toEqual([])
  })
})
