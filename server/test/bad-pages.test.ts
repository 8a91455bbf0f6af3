import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { startSession } from '../src/features/people/sessions/sessions.ts'
import { createCampaign } from './campaigns.ts'
import { sampleEngines } from './engines.ts'
import { addMember } from './people.ts'
import { Scene } from './scene.ts'
import type { Ask, Reply } from './service.ts'
import { createWebhook, sendTest } from './webhooks.ts'

/** A second one of each, so that their lists have a second page. */
async function addPeopleAndKeys({ service, brand, owner }: Scene): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await service.createApp(brand.brandKey, ['view'])
    const json = { email: `guest-${i}@people.test`, role: 'editor' }
    await service.write('POST', 'brands/me/invitations', { token: owner.token, json })
  }
  await addMember(service, brand, 'analyst')
  const person = service.db.selectFrom('people').select('key').where('email', '=', owner.email)
  const { key: personKey } = await person.executeTakeFirstOrThrow()
  for (const name of ['Phone', 'Laptop']) {
    await startSession(service.deps, service.db, { personKey, userAgent: name })
    const key = { credential_id: name, public_key: Buffer.from(name), counter: 0, transports: '', last_used_at: null }
    const row = { id: randomUUID(), person_key: personKey, name, created_at: Date.now(), ...key }
    await service.db.insertInto('passkeys').values(row).execute()
  }
}

/** A page refuses with 400, and requests write nothing. */
describe.each([...sampleEngines])('%s: a page that cannot be', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
    for (let i = 0; i < 3; i++) await scene.service.createPoll(scene.brand)
    for (let i = 0; i < 3; i++) await createCampaign(scene.service, scene.brand, [scene.poll])
    for (let i = 0; i < 3; i++) await scene.service.vote(scene.poll.slug, 'A')
    await createWebhook(scene.service, scene.brand)
    await sendTest(scene.service, scene.brand, scene.webhook)
    for (const subject of [`polls/${scene.poll.slug}`, `campaigns/${scene.campaign.campaignId}`]) {
      const path = `brands/me/${subject}/results-links`
      for (let i = 0; i < 2; i++) await scene.service.write('POST', path, { token: scene.brand.token, json: {} })
    }
    for (let i = 0; i < 2; i++) await scene.codeList()
    await scene.addAgent()
    await addPeopleAndKeys(scene)
  })
  afterAll(() => scene.service.stop())

  const lists = () => scene.routes.filter(({ spec }) => spec.isPaged)

  function expectPagingRefused(label: string, reply: Reply, name: 'limit' | 'cursor'): void {
    expect(`${label} ${reply.status} ${reply.body.error?.code}`).toBe(`${label} 400 VALIDATION_ERROR`)
    expect(reply.body.error.details).toEqual({
      fields: [expect.objectContaining({ path: name, code: `invalid_${name}` })],
    })
  }

  const firstCursor = async (path: string, ask: Ask = {}): Promise<string> => {
    const page = await scene.service.get(`${path}${path.includes('?') ? '&' : '?'}limit=1`, ask)
    return page.body.nextCursor ?? ''
  }

  // spec: 4-4, 4-5, 4.7-2, 4.13-1, 7-9, 8-2
  test('limit accepts 1 to 100 in digits, once', async () => {
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

  // spec: 4-5
  test('a cursor with any byte changed is refused', async () => {
    for (const route of lists()) {
      const { path, ask } = await scene.valid(route)
      const cursor = await firstCursor(path, ask)
      expect([route.spec.name, cursor]).toEqual([route.spec.name, expect.stringMatching(/^[A-Za-z0-9_-]{40,}$/)])
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

  // spec: 4-5
  test('a cursor of another endpoint, owner or filter is refused', async () => {
    const { service, brand, stranger } = scene
    for (let i = 0; i < 2; i++) await service.createPoll(stranger)
    const own = await firstCursor('brands/me/polls', { token: brand.token })
    const feed = await firstCursor(`brands/${brand.slug}/polls`)
    const filtered = await firstCursor('brands/me/polls?isDraft=false', { token: brand.token })
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
