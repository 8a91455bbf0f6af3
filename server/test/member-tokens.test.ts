import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { ROLES, type Role, SCOPES_OF_ROLE } from '../src/base/roles.ts'
import { engines } from './engines.ts'
import { addMember } from './people.ts'
import { outcomeOf, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])("%s: a member's access token", (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const profile = (token: string) => service.get<{ slug: string; scopes: string[] }>('brands/me', { token })
  const members = (token: string) => service.get('brands/me/members', { token })

  test('acts for the brand with the scopes of the role', async () => {
    for (const role of ROLES) {
      const { token } = await addMember(service, brand, role)
      const { data } = (await profile(token)).body
      expect({ slug: data.slug, scopes: data.scopes }).toEqual({ slug: brand.slug, scopes: [...SCOPES_OF_ROLE[role]] })
    }
    const analyst = await addMember(service, brand, 'analyst')
    const refused = await service.get('brands/me/polls', { token: analyst.token })
    expect(outcomeOf(refused)).toBe('403 SCOPE_REQUIRED')
    expect(refused.body.error.details).toEqual({ scope: 'manage' })
  })

  test('follows a change of the role at once', async () => {
    const { token, personKey } = await addMember(service, brand, 'editor')
    const change = (role: Role) =>
      service.db.updateTable('members').set({ role }).where('person_key', '=', personKey).execute()
    await change('analyst')
    expect(outcomeOf(await service.get('brands/me/webhooks', { token }))).toBe('403 SCOPE_REQUIRED')
    await change('owner')
    expect(outcomeOf(await service.get('brands/me/webhooks', { token }))).toBe('200 fine')
    expect(outcomeOf(await service.get('brands/me/invitations', { token }))).toBe('200 fine')
  })

  test('ends at once with the membership, with the session, and when it is revoked', async () => {
    const ends = {
      async membership(personKey: number) {
        await service.db.deleteFrom('members').where('person_key', '=', personKey).execute()
      },
      async session(personKey: number) {
        await service.db.deleteFrom('sessions').where('person_key', '=', personKey).execute()
      },
      async revocation(_: number, token: string) {
        expect((await service.post('auth/token/revoke', { json: { token } })).body.data).toEqual({ revoked: true })
      },
    }
    for (const end of Object.values(ends)) {
      const { token, personKey } = await addMember(service, brand, 'owner')
      expect(outcomeOf(await profile(token))).toBe('200 fine')
      await end(personKey, token)
      expect(outcomeOf(await profile(token))).toBe('401 UNAUTHORIZED')
      expect(outcomeOf(await members(token))).toBe('401 UNAUTHORIZED')
    }
  })

  test('is of one brand: leaving another brand changes nothing', async () => {
    const other = await service.createBrand()
    const { token, personKey } = await addMember(service, brand, 'owner')
    await service.db
      .insertInto('members')
      .values({ brand_key: other.brandKey, person_key: personKey, role: 'analyst', created_at: 0 })
      .execute()
    expect((await profile(token)).body.data.slug).toBe(brand.slug)
    await service.db.deleteFrom('members').where('brand_key', '=', other.brandKey).execute()
    expect((await profile(token)).body.data.slug).toBe(brand.slug)
  })

  test('opens the routes for people, which refuse the token of an app, and those for owners by role', async () => {
    const owner = await addMember(service, brand, 'owner')
    const editor = await addMember(service, brand, 'editor')
    const app = await members((await service.exchange(brand)).accessToken)
    expect(outcomeOf(app)).toBe('403 MEMBER_REQUIRED')
    const brandless = await service.exchange(await service.createApp(null, ['view']))
    expect(outcomeOf(await members(brandless.accessToken))).toBe('403 MEMBER_REQUIRED')
    expect(outcomeOf(await members(editor.token))).toBe('200 fine')
    const refused = await service.get('brands/me/invitations', { token: editor.token })
    expect(outcomeOf(refused)).toBe('403 ROLE_REQUIRED')
    expect(refused.body.error.details).toEqual({ role: 'owner' })
    expect(outcomeOf(await service.get('brands/me/invitations', { token: owner.token }))).toBe('200 fine')
  })

  test('votes as one device of the member in every session', async () => {
    const poll = await service.createPoll(brand)
    const editor = await addMember(service, brand, 'editor')
    const vote = (token: string) => service.post(`polls/${poll.slug}/votes`, { token, json: { option: 'A' } })
    expect(outcomeOf(await vote(editor.token))).toBe('201 fine')
    expect(outcomeOf(await vote(editor.token))).toBe('409 VOTE_ALREADY_CAST')
    const app = await service.exchange(brand, `member:${editor.memberId}`)
    expect(outcomeOf(await vote(app.accessToken))).toBe('201 fine')
    const analyst = await addMember(service, brand, 'analyst')
    expect(outcomeOf(await vote(analyst.token))).toBe('403 SCOPE_REQUIRED')
  })

  test('writes for the brand, with its own limit and its own secret answers', async () => {
    const first = await addMember(service, brand, 'editor')
    const second = await addMember(service, brand, 'editor')
    const key = randomUUID()
    const json = { url: 'https://hooks.example/', events: ['webhook.test'] }
    const made = await service.write('POST', 'brands/me/webhooks', { token: first.token, key, json })
    const again = await service.write('POST', 'brands/me/webhooks', { token: first.token, key, json })
    expect([outcomeOf(made), again.text]).toEqual(['201 fine', made.text])
    for (const token of [second.token, brand.token]) {
      const foreign = await service.write('POST', 'brands/me/webhooks', { token, key, json })
      expect(outcomeOf(foreign)).toBe('422 IDEMPOTENCY_KEY_REUSED')
    }
  })

  // Last: it moves the clock past the end of the other tokens.
  test('expires', async () => {
    service.clock.freeze()
    const { token } = await addMember(service, brand, 'owner')
    service.clock.advance(899_999)
    expect(outcomeOf(await profile(token))).toBe('200 fine')
    service.clock.advance(1)
    expect(outcomeOf(await profile(token))).toBe('401 UNAUTHORIZED')
  })
})
