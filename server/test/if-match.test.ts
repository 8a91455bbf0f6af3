import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { fullPath, isOwners, type Route, takesIfMatch } from '../src/http/route.ts'
import { createCampaign } from './campaigns.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { Scene } from './scene.ts'
import type { Ask, PollData } from './service.ts'
import { outcomeOf } from './service.ts'
import { createWebhook } from './webhooks.ts'

/** If the answer is compressed, the tag names its coding. */
const STRONG = /^"[\w-]{11}\.[\w-]{11}(-(br|gzip|zstd))?"$/
const FAILED = '412 PRECONDITION_FAILED'

/** A body that changes the resource each time. */
const change = (name: string, i: number): unknown => {
  if (name === 'updateTheme') return { accent: `#${i.toString(16).padStart(6, '0')}` }
  if (name === 'updatePoll' || name === 'updateCampaign') return { title: `Change ${i}` }
  if (name === 'updateCodeList') return { name: `Change ${i}` }
  return { description: `Change ${i}` }
}

describe.each([...engines])('%s: If-Match', (engine) => {
  let scene: Scene
  let patches: readonly Route[]
  beforeAll(async () => {
    // By hand, because jobs change answers without a change by the owner: a new campaign's votes are read in.
    scene = await Scene.open(engine, { jobs: 'by hand' })
    patches = scene.routes.filter(({ spec }) => spec.method === 'PATCH' && takesIfMatch(spec))
  })
  afterAll(() => scene.service.stop())

  /** The URL of a new resource for each call, if there can be several. */
  const target = async (route: Route): Promise<string> => (await scene.bare(route)).path

  const read = (path: string, ask: Ask = {}) => scene.service.get(path, { token: scene.brand.token, ...ask })

  const tagOf = async (path: string): Promise<string> => (await read(path)).headers.get('etag') ?? ''

  let changes = 0
  const patch = ({ spec }: Route, path: string, ifMatch: string | null, ask: Ask = {}) =>
    scene.service.write('PATCH', path, {
      token: scene.brand.token,
      json: change(spec.name, ++changes),
      headers: ifMatch === null ? {} : { 'If-Match': ifMatch },
      ...ask,
    })

  test('is supported by every change and deletion of polls, campaigns, code lists, webhooks, the profile and the theme', () => {
    const supporting = scene.routes.filter(({ spec }) => takesIfMatch(spec))
    expect(supporting.map(({ spec }) => spec.name).sort()).toEqual([
      'deleteCampaign',
      'deleteCodeList',
      'deletePoll',
      'deleteWebhook',
      'updateBrand',
      'updateCampaign',
      'updateCodeList',
      'updatePoll',
      'updateTheme',
      'updateWebhook',
    ])
  })

  test('allows one change for each version, and a refused change changes nothing', async () => {
    for (const route of patches) {
      const { name } = route.spec
      const path = await target(route)
      const first = await tagOf(path)
      expect(first).toMatch(STRONG)
      const changed = await patch(route, path, first)
      expect([name, outcomeOf(changed)]).toEqual([name, '200 fine'])
      const second = changed.headers.get('etag') ?? ''
      expect(second).toMatch(STRONG)
      expect(second.slice(0, 12)).not.toBe(first.slice(0, 12))
      expect(await tagOf(path)).toBe(second)

      const before = await dumpTables(scene.service.db)
      for (const stale of [first, `W/${second}`, '"other"', `"other", W/${second}`]) {
        const refused = await patch(route, path, stale)
        expect([name, stale, outcomeOf(refused)]).toEqual([name, stale, FAILED])
        expect(refused.headers.get('cache-control')).toBe('private, no-store')
      }
      for (const malformed of ['', 'x', '"x', '*, "x"', second.slice(1, -1)]) {
        const refused = await patch(route, path, malformed)
        expect([name, malformed, outcomeOf(refused)]).toEqual([name, malformed, '422 VALIDATION_ERROR'])
        expect(refused.body.error.details['fields']).toMatchObject([{ path: 'If-Match', code: 'invalid_format' }])
      }
      expect(await dumpTables(scene.service.db)).toEqual(before)

      let current = second
      for (const good of [(tag: string) => `"other", ${tag}`, () => '*', (tag: string) => tag.replace(/"$/, '-br"')]) {
        const reply = await patch(route, path, good(current))
        expect([name, outcomeOf(reply)]).toEqual([name, '200 fine'])
        current = reply.headers.get('etag') ?? ''
      }
      expect(outcomeOf(await patch(route, path, null))).toBe('200 fine')
    }
  })

  test('allows one of many changes at once, also within a millisecond', async () => {
    for (const route of patches) {
      const path = await target(route)
      scene.service.clock.freeze()
      try {
        for (let round = 0; round < 3; round++) {
          const tag = await tagOf(path)
          const replies = await Promise.all(Array.from({ length: 20 }, () => patch(route, path, tag)))
          const counts = Map.groupBy(replies, outcomeOf)
          expect([route.spec.name, counts.get('200 fine')?.length, counts.get(FAILED)?.length]).toEqual([
            route.spec.name,
            1,
            19,
          ])
          expect(await tagOf(path)).toBe(counts.get('200 fine')?.[0]?.headers.get('etag') ?? '')
        }
      } finally {
        scene.service.clock.thaw()
      }
    }
  })

  test('names the same version after a PATCH that changes nothing, which writes nothing but its key', async () => {
    const { service, brand } = scene
    const polls = [await service.createPoll(brand, { tags: ['a', 'b'] }), await service.createPoll(brand)]
    const campaign = await createCampaign(service, brand, polls)
    const webhook = await createWebhook(service, brand, {
      events: ['poll.updated', 'campaign.updated', 'brand.updated'],
    })
    for (const [path, fields] of [
      [`brands/me/polls/${polls[0]?.slug}`, 'title optionA optionB isDraft tags opensAt closesAt resultsVisibility'],
      [`brands/me/campaigns/${campaign.campaignId}`, 'title description isPublic state opensAt closesAt'],
      [`brands/me/code-lists/${(await scene.codeList()).codeListId}`, 'name'],
      [`brands/me/webhooks/${webhook.id}`, 'url events description status'],
      ['brands/me', 'name displayName description avatarUrl locationCity locationState'],
    ] as const) {
      const { body, headers } = await read(path)
      const data = body.data as Record<string, unknown>
      const polstIds = path.includes('campaigns') ? { polstIds: polls.map(({ id }) => id) } : {}
      const same = { ...Object.fromEntries(fields.split(' ').map((name) => [name, data[name]])), ...polstIds }
      const before = await dumpTables(service.db, { except: ['idempotency_keys'] })
      service.clock.advance(5)
      for (const json of [{}, same]) {
        const reply = await service.write('PATCH', path, { token: brand.token, json })
        expect([path, outcomeOf(reply), reply.headers.get('etag')]).toEqual([path, '200 fine', headers.get('etag')])
      }
      expect(await dumpTables(service.db, { except: ['idempotency_keys'] })).toEqual(before)
    }
  })

  test('lets a DELETE pass for the current version alone', async () => {
    const { service, brand } = scene
    for (const deletion of scene.routes.filter(({ spec }) => spec.method === 'DELETE' && takesIfMatch(spec))) {
      const path = await target(deletion)
      const route = patches.find(({ spec }) => spec.path === deletion.spec.path)
      if (!route) throw new Error(`no PATCH beside ${deletion.spec.name}`)
      const remove = (ifMatch: string) =>
        service.write('DELETE', path, { token: brand.token, headers: { 'If-Match': ifMatch } })
      const first = await tagOf(path)
      expect(outcomeOf(await patch(route, path, first))).toBe('200 fine')
      const before = await dumpTables(service.db)
      expect([path, outcomeOf(await remove(first))]).toEqual([path, FAILED])
      expect([path, outcomeOf(await remove('x'))]).toEqual([path, '422 VALIDATION_ERROR'])
      expect(await dumpTables(service.db)).toEqual(before)
      const removed = await remove(await tagOf(path))
      expect([path, removed.status, removed.headers.get('etag')]).toEqual([path, 204, null])
      expect(outcomeOf(await remove('*'))).toBe('404 NOT_FOUND')
    }
  })

  test('accepts the ETag of the answer that created the resource', async () => {
    for (const name of ['createPoll', 'createCampaign', 'createCodeList', 'createWebhook']) {
      const route = scene.routes.find(({ spec }) => spec.name === name)
      const update = patches.find(({ spec }) => spec.name === name.replace('create', 'update'))
      if (!route || !update) throw new Error(`no route ${name}`)
      const made = await scene.send(route, await scene.valid(route))
      const path = made.headers.get('location') ?? ''
      const tag = made.headers.get('etag') ?? ''
      expect([name, await tagOf(path)]).toEqual([name, tag])
      expect(outcomeOf(await patch(update, path, tag))).toBe('200 fine')
      expect(outcomeOf(await patch(update, path, tag))).toBe(FAILED)
    }
  })

  test('is checked after 404, and before other refusals by the state', async () => {
    const { service, brand, stranger } = scene
    const tag = '"AAAAAAAAAAA.AAAAAAAAAAA"'
    for (const route of patches.filter(({ spec }) => spec.params)) {
      for (const ifMatch of [tag, '*']) {
        const missing = fullPath(route.spec).replace(/\{\w+\}/, randomUUID())
        expect(outcomeOf(await patch(route, missing, ifMatch))).toBe('404 NOT_FOUND')
        const path = await target(route)
        expect(outcomeOf(await patch(route, path, ifMatch, { token: stranger.token }))).toBe('404 NOT_FOUND')
      }
    }
    const poll = await service.createPoll(brand)
    await service.vote(poll.slug, 'A')
    const path = `brands/me/polls/${poll.slug}`
    const ask = (json: unknown, ifMatch: string) =>
      service.write('PATCH', path, { token: brand.token, json, headers: { 'If-Match': ifMatch } })
    expect(outcomeOf(await ask({ isDraft: true }, '"old"'))).toBe(FAILED)
    expect(outcomeOf(await ask({ isDraft: true }, '*'))).toBe('409 POLST_HAS_VOTES')
    expect(outcomeOf(await ask({ title: '' }, '"old"'))).toBe('422 VALIDATION_ERROR')
    expect(outcomeOf(await service.request('PATCH', path, { token: brand.token, headers: { 'If-Match': 'x' } }))).toBe(
      '400 IDEMPOTENCY_KEY_REQUIRED',
    )
  })

  test('is not checked again for a replay: the answer and its ETag are the same', async () => {
    for (const route of patches) {
      const path = await target(route)
      const ifMatch = await tagOf(path)
      const ask = { key: `match-${randomUUID()}`, json: change(route.spec.name, ++changes) }
      const first = await patch(route, path, ifMatch, ask)
      expect(outcomeOf(await patch(route, path, null))).toBe('200 fine')
      const second = await patch(route, path, ifMatch, ask)
      expect([second.status, second.text, second.headers.get('etag')]).toEqual([
        200,
        first.text,
        first.headers.get('etag'),
      ])
      expect(second.headers.get('idempotent-replayed')).toBe('true')
    }
  })

  test('that failed leaves its idempotency key free', async () => {
    for (const route of patches) {
      const path = await target(route)
      const ask = { key: `again-${randomUUID()}`, json: change(route.spec.name, ++changes) }
      expect(outcomeOf(await patch(route, path, '"old"', ask))).toBe(FAILED)
      const again = await patch(route, path, await tagOf(path), ask)
      expect([outcomeOf(again), again.headers.has('idempotent-replayed')]).toEqual(['200 fine', false])
    }
  })

  test('still matches after votes, the clock, the brand or deliveries changed the ETag', async () => {
    const { service, brand } = scene
    const own = (name: string): Route => {
      const route = patches.find(({ spec }) => spec.name === name)
      if (!route) throw new Error(`no route ${name}`)
      return route
    }
    const opensAt = new Date(service.clock.now() + 60_000).toISOString()
    const poll = await service.createPoll(brand)
    const later = await service.createPoll(brand, { opensAt })
    const campaign = await createCampaign(service, brand, [poll])
    const webhook = await createWebhook(service, brand, { events: ['webhook.test'] })
    const happenings: [Route, string, () => Promise<unknown>][] = [
      [own('updatePoll'), `brands/me/polls/${poll.slug}`, () => service.vote(poll.slug, 'A')],
      [own('updateCampaign'), `brands/me/campaigns/${campaign.campaignId}`, () => service.vote(poll.slug, 'B')],
      [own('updatePoll'), `brands/me/polls/${poll.slug}`, () => patch(own('updateTheme'), 'brands/me/theme', null)],
      [own('updateBrand'), 'brands/me', () => patch(own('updateTheme'), 'brands/me/theme', null)],
      [own('updatePoll'), `brands/me/polls/${later.slug}`, async () => service.clock.advance(61_000)],
      [
        own('updateWebhook'),
        `brands/me/webhooks/${webhook.id}`,
        () =>
          service.db
            .updateTable('webhooks')
            .set({ last_delivery_at: 1, failing_since: 1 })
            .where('id', '=', webhook.id)
            .execute(),
      ],
    ]
    for (const [route, path, happen] of happenings) {
      const before = await tagOf(path)
      await happen()
      expect([route.spec.name, (await tagOf(path)) === before]).toEqual([route.spec.name, false])
      expect([route.spec.name, outcomeOf(await patch(route, path, before))]).toEqual([route.spec.name, '200 fine'])
    }
  })

  test('fails after a change by any other way than PATCH', async () => {
    const { service, brand } = scene
    const polls = [await service.createPoll(brand), await service.createPoll(brand)]
    const campaign = await createCampaign(service, brand, polls)
    const webhook = await createWebhook(service, brand, { events: ['webhook.test'] })
    const hook = `brands/me/webhooks/${webhook.id}`
    const happenings: [string, string, () => Promise<unknown>][] = [
      [
        'updateCampaign',
        `brands/me/campaigns/${campaign.campaignId}`,
        () => service.write('DELETE', `brands/me/polls/${polls[0]?.slug}`, { token: brand.token }),
      ],
      ['updateWebhook', hook, () => service.write('POST', `${hook}/rotate-secret`, { token: brand.token })],
      [
        'updateWebhook',
        hook,
        () => service.db.updateTable('webhooks').set({ status: 'DISABLED' }).where('id', '=', webhook.id).execute(),
      ],
    ]
    for (const [name, path, happen] of happenings) {
      const route = patches.find(({ spec }) => spec.name === name)
      if (!route) throw new Error(`no route ${name}`)
      const before = await tagOf(path)
      service.clock.advance(1)
      await happen()
      expect([name, outcomeOf(await patch(route, path, before))]).toEqual([name, FAILED])
    }
  })

  test('is refused on a write of a brand that has no ETag, and ignored outside of /brands/me', async () => {
    for (const route of scene.routes.filter(({ spec }) => spec.method !== 'GET' && !takesIfMatch(spec))) {
      const { path, ask } = await scene.valid(route)
      const headers = { ...ask.headers, 'If-Match': '*' }
      const reply = await scene.send(route, { path, ask: { ...ask, headers } })
      const isRefused = isOwners(route.spec)
      const expected = isRefused ? '422 VALIDATION_ERROR' : `${Object.keys(route.spec.answers)[0]} fine`
      expect(`${route.spec.name} ${outcomeOf(reply)}`).toBe(`${route.spec.name} ${expected}`)
      if (!isRefused) continue
      expect(reply.body.error.details['fields']).toMatchObject([{ path: 'If-Match', code: 'no_etag' }])
    }
  })
})

describe.each([...engines])('%s: what a brand reads of its own', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    // By hand, because jobs change answers without a change by the owner: a new campaign's votes are read in.
    scene = await Scene.open(engine, { jobs: 'by hand' })
  })
  afterAll(() => scene.service.stop())

  test('has an ETag, answers 304 to it, and is never used without asking', async () => {
    const reads = scene.routes.filter(({ spec }) => spec.method === 'GET' && isOwners(spec))
    expect(reads.length).toBeGreaterThan(10)
    for (const route of reads) {
      const { path, ask } = await scene.valid(route)
      // A timeline ends now, so its tag would change.
      scene.service.clock.freeze()
      const first = await scene.send(route, { path, ask })
      const etag = first.headers.get('etag') ?? ''
      expect([route.spec.name, etag]).toEqual([
        route.spec.name,
        expect.stringMatching(/^"[\w.-]{22,23}(-(br|gzip|zstd))?"$/),
      ])
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const headers = { ...ask.headers, 'If-None-Match': known }
        const second = await scene.send(route, { path, ask: { ...ask, headers } })
        expect([route.spec.name, second.status, second.text]).toEqual([route.spec.name, 304, ''])
        expect(second.headers.get('etag')).toBe(etag)
        expect(second.headers.get('cache-control')).toMatch(/^private, no-(cache|store)$/)
      }
      const other = await scene.send(route, {
        path,
        ask: { ...ask, headers: { ...ask.headers, 'If-None-Match': '"x"' } },
      })
      expect([other.status, other.text]).toEqual([200, first.text])
      scene.service.clock.thaw()
    }
  })

  test('is sent again after new votes', async () => {
    const { service, brand } = scene
    const poll = await service.createPoll(brand)
    const campaign = await createCampaign(service, brand, [poll])
    const paths = ['', '/voters', '/timeline'].map((rest) => `brands/me/polls/${poll.slug}${rest}`)
    for (const path of [...paths, 'brands/me/polls', `brands/me/campaigns/${campaign.campaignId}`]) {
      const first = await service.get<PollData>(path, { token: brand.token })
      await service.vote(poll.slug, 'A')
      const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
      const second = await service.get(path, { token: brand.token, headers })
      expect([path, second.status]).toEqual([path, 200])
    }
  })
})
