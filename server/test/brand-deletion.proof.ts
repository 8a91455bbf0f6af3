import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Tx } from '../src/db/store.ts'
import { transaction } from '../src/db/transaction.ts'
import { createBrand, updateBrand } from '../src/features/brands/brands.ts'
import { updateTheme } from '../src/features/brands/themes/update-theme.ts'
import { deleteBrand, removeFromBrand } from '../src/features/operator/delete-brand.ts'
import { refuseTooManyApps } from '../src/features/people/apps/apps.ts'
import { addPerson, invite, addMember as joinBrand } from '../src/features/people/links.ts'
import { createWebhook as addWebhook } from '../src/features/webhooks/webhooks.ts'
import { createCampaign } from './campaigns.ts'
import { newPlace, type Place, type Serving, serve, tossup, tossupCommand, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { addMember } from './people.ts'
import { paint } from './pictures.ts'
import { keyHeaders, startTestService, type TestBrand, type TestService } from './service.ts'
import { newTicket, pathOf, upload } from './uploads.ts'
import { createWebhook } from './webhooks.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000)

const MINUTES = 60_000

describe.each([...engines])('%s: a deleted brand', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  afterAll(() => service.stop())

  const begin = ({ brandKey }: TestBrand) =>
    transaction(service.deps.engine, (tx) => deleteBrand(service.deps, tx, brandKey))

  async function finish({ brandKey }: TestBrand): Promise<void> {
    while (await removeFromBrand(service.deps, brandKey));
  }

  async function furnished() {
    const brand = await service.createBrand()
    const polls = [await service.createPoll(brand), await service.createPoll(brand)]
    for (const { slug } of polls) await service.vote(slug, 'A')
    const { campaignId } = await createCampaign(service, brand, polls)
    const owner = await addMember(service, brand, 'owner')
    return { brand, polls, campaignId, owner, slug: polls[0]?.slug ?? '' }
  }

  // spec: 4.10-7
  test('is unknown at once to visitors, and its keys, tokens and sessions are refused', async () => {
    const { brand, campaignId, owner, slug } = await furnished()
    const kept = await furnished()
    const publicPaths = [
      `brands/${brand.slug}`,
      `brands/${brand.slug}/theme`,
      `brands/${brand.slug}/polls`,
      `brands/${brand.slug}/campaigns`,
      `polls/${slug}`,
      `polls/${slug}/tallies`,
      `campaigns/${campaignId}`,
      `campaigns/${campaignId}/tallies`,
    ]
    const statuses = (paths: readonly string[]) =>
      Promise.all(paths.map(async (path) => (await service.get(path)).status))
    expect(await statuses(publicPaths)).toEqual(publicPaths.map(() => 200))
    await begin(brand)
    expect(await statuses(publicPaths)).toEqual(publicPaths.map(() => 404))
    for (const page of [`b/${brand.slug}`, `p/${slug}`, `c/${campaignId}`])
      expect((await fetch(`${service.service.url}/${page}`)).status).toBe(404)
    expect((await service.get('brands/me', { token: brand.token })).status).toBe(401)
    expect((await service.get('brands/me', { token: owner.token })).status).toBe(401)
    const exchanged = await service.post('auth/token', { headers: keyHeaders(brand), json: { externalDeviceId: 'x' } })
    expect(exchanged.status).toBe(401)
    // The owner worked for no other brand, and is forgotten.
    expect((await service.get('auth/session', { headers: owner.page })).status).toBe(401)
    const people = service.db.selectFrom('people').select('id').where('id', '=', owner.memberId)
    expect(await people.execute()).toEqual([])
    await finish(brand)
    expect(await statuses(publicPaths)).toEqual(publicPaths.map(() => 404))
    expect((await service.vote(slug, 'A')).status).toBe(404)
    expect((await service.get(`brands/${kept.brand.slug}`)).status).toBe(200)
    expect((await service.get('brands/me', { token: kept.owner.token })).status).toBe(200)
  })

  test('keeps the member of another brand, who can still sign in there', async () => {
    const { brand, owner } = await furnished()
    const other = await service.createBrand()
    await service.db
      .insertInto('members')
      .values({ brand_key: other.brandKey, person_key: owner.personKey, role: 'editor', created_at: 1 })
      .execute()
    await begin(brand)
    const { body } = await service.get<{ brands: { slug: string }[] }>('auth/session', { headers: owner.page })
    expect(body.data.brands.map(({ slug }) => slug)).toEqual([other.slug])
    const exchange = (brandSlug: string) =>
      service.post('auth/session/token', { headers: owner.page, json: { brandSlug } })
    expect([(await exchange(brand.slug)).status, (await exchange(other.slug)).status]).toEqual([404, 200])
  })

  test('takes nothing from requests that were admitted before, and no key or page of it comes back', async () => {
    const { brand, campaignId } = await furnished()
    const { brandKey, slug } = brand
    const customCss = '.poll { padding: 4px }'
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { customCss } })
    const paths = ['/sitemap/campaigns-1.xml', '/sitemap/brands-1.xml', '/sitemap/polls-1.xml']
    const listed = async () => {
      service.clock.advance(MINUTES)
      return (await Promise.all(paths.map(async (path) => (await service.get(path)).text))).join('')
    }
    const before = await listed()
    expect([before.includes(campaignId), before.includes(`/b/${slug}<`)]).toEqual([true, true])
    const { refreshToken } = await service.exchange(brand)
    await begin(brand)
    const { deps } = service
    const webhook = { url: 'https://hooks.example/', events: ['poll.created' as const] }
    const email = `late-${randomUUID()}@people.test`
    const late: Record<string, (tx: Tx) => Promise<unknown>> = {
      profile: (tx) => updateBrand(deps, tx, { brandKey, patch: { description: 'Back' } }),
      ifMatch: (tx) => updateBrand(deps, tx, { brandKey, patch: { description: 'Back' }, ifMatch: () => undefined }),
      theme: (tx) => updateTheme(deps, tx, { brandKey, patch: { customCss }, printedCss: customCss }),
      app: (tx) => refuseTooManyApps(tx, brandKey),
      webhook: (tx) => addWebhook(deps, tx, brandKey, webhook),
      invitation: (tx) => invite(deps, tx, { brandKey, email, role: 'owner' }),
    }
    for (const [name, write] of Object.entries(late)) {
      expect([name, await transaction(deps.engine, write).catch(({ code }) => code)]).toEqual([name, 'UNAUTHORIZED'])
    }
    const join = transaction(deps.engine, async (tx) => {
      const personKey = await addPerson(tx, { email, emailKey: email, isProven: true, now: service.clock.now() })
      await joinBrand(tx, { brandKey, personKey: personKey ?? 0, role: 'owner', now: service.clock.now() })
    })
    expect(await join.catch(({ code }) => code)).toBe('INVALID_LINK')
    // Simulate an operator's command that created an app at the same time.
    await service.db.updateTable('apps').set({ revoked_at: null }).where('brand_key', '=', brandKey).execute()
    await service.db
      .insertInto('theme_styles')
      .values({ brand_key: brandKey, from_version: 1, source: '', css: 'p{}', created_at: 1 })
      .execute()
    expect((await service.get('brands/me', { token: brand.token })).status).toBe(401)
    const exchange = { headers: keyHeaders(brand), json: { externalDeviceId: 'x' } }
    expect((await service.post('auth/token', exchange)).status).toBe(401)
    expect((await service.post('auth/token/refresh', { json: { refreshToken } })).status).toBe(401)
    expect((await service.get(`/css/${slug}/v1.css`)).status).toBe(404)
    const after = await listed()
    expect([after.includes(campaignId), after.includes(`/b/${slug}<`)]).toEqual([false, false])
  })

  test('leaves nothing behind but tombstones, and its slug is never used again', async () => {
    const { brand, campaignId } = await furnished()
    await createWebhook(service, brand, { events: ['poll.voted'] })
    await newTicket(service, brand, { slot: 'optionA', contentType: 'image/png' })
    const picture = { slot: 'optionA', contentType: 'image/png', bytes: paint({ width: 400, height: 400 }) } as const
    const { publicUrl } = await upload(service, brand, picture)
    await service.createPoll(brand, { optionA: { label: 'A', imageUrl: publicUrl } })
    service.clock.advance(6_000)
    await service.runDue()
    await begin(brand)
    await finish(brand)
    // A request that was under way when the brand was deleted.
    await service.db
      .insertInto('invitations')
      .values({
        id: randomUUID(),
        brand_key: brand.brandKey,
        email: 'late@people.test',
        email_key: 'late@people.test',
        role: 'owner',
        link_hash: Buffer.from('late'),
        created_at: 1,
        expires_at: service.clock.now() + 60 * MINUTES,
      })
      .execute()
    const { brandKey } = brand
    const theme = JSON.stringify({ logoLight: publicUrl.split('/').at(-1) })
    await service.db.updateTable('brands').set({ name: 'Late', theme }).where('key', '=', brandKey).execute()
    await service.db
      .insertInto('theme_styles')
      .values({ brand_key: brandKey, from_version: 0, source: '', css: '', created_at: 1 })
      .execute()
    service.clock.advance(3 * MINUTES)
    await service.runDue()
    expect((await service.get(pathOf(publicUrl))).status).toBe(404)
    // The database has a clock of its own.
    const { deleted_at } = await service.db
      .selectFrom('brands')
      .select('deleted_at')
      .where('key', '=', brandKey)
      .executeTakeFirstOrThrow()
    const earlier = { deleted_at: (deleted_at ?? 0) - 3 * MINUTES }
    await service.db.updateTable('brands').set(earlier).where('key', '=', brandKey).execute()
    for (let runs = 0; runs < 4; runs++) {
      service.clock.advance(3 * MINUTES)
      await service.runDue()
    }
    const tables = [
      'activity',
      'brand_vote_counts',
      'campaigns',
      'files',
      'idempotency_keys',
      'invitations',
      'listeners',
      'members',
      'theme_styles',
      'upload_tickets',
      'webhooks',
    ] as const
    const left: Record<string, number> = {}
    for (const table of tables) {
      const rows = await service.db
        .selectFrom(table)
        .select('brand_key')
        .where('brand_key', '=', brand.brandKey)
        .execute()
      if (rows.length > 0) left[table] = rows.length
    }
    expect(left).toEqual({})
    const polls = await service.db.selectFrom('polls').selectAll().where('brand_key', '=', brand.brandKey).execute()
    expect(polls.map(({ title, is_emptied }) => [title, is_emptied])).toEqual(polls.map(() => ['', 1]))
    const keys = polls.map(({ key }) => key)
    expect(await service.db.selectFrom('votes').select('position').where('poll_key', 'in', keys).execute()).toEqual([])
    const apps = await service.db.selectFrom('apps').selectAll().where('brand_key', '=', brand.brandKey).execute()
    expect(apps.every(({ revoked_at, name }) => revoked_at !== null && name === null)).toBe(true)
    const row = await service.db
      .selectFrom('brands')
      .selectAll()
      .where('key', '=', brand.brandKey)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ name: '', theme: '{}', is_emptied: 1, slug: brand.slug })
    expect((await service.get(pathOf(publicUrl))).status).toBe(404)
    expect((await service.get(`campaigns/${campaignId}`)).status).toBe(404)
    expect(await createBrand(service.db, service.deps, { slug: brand.slug, name: 'Again' })).toBe('slug-taken')
  })
})

describe.each([...engines])('%s: brand delete, beside a running server', (engine) => {
  let place: Place
  let server: Serving
  beforeAll(async () => {
    place = await newPlace(engine)
    server = await serve(place.settings)
  })
  afterAll(async () => {
    server.kill('SIGTERM')
    await server.ended
    await place.clear()
  })

  const run = (...words: string[]) => tossup(words, place.settings)
  const json = <Data = Record<string, unknown>>(...words: string[]) => tossupJson<Data>(words, place.settings)
  const statusOf = async (path: string) => (await fetch(`${server.url}/api/rest/v1/${path}`)).status

  async function newBrand(slug: string, name: string): Promise<void> {
    await json('brand', 'create', '--slug', slug, '--name', name)
    await json('poll', 'create', '--brand', slug, '--title', 'Tea?', '--a', 'A', '--b', 'B', '--slug', `${slug}-tea`)
  }

  test('asks, takes the slug or the name, and the server notices', async () => {
    await newBrand('acme', 'Acme')
    await newBrand('other', 'Other')
    expect([await statusOf('brands/acme/polls'), await statusOf('polls/acme-tea')]).toEqual([200, 200])
    const unasked = await run('brand', 'delete', 'acme')
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')])
    const unknown = await run('brand', 'delete', 'nobody', '--yes')
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no brand')])
    expect(await statusOf('brands/acme')).toBe(200)
    const deleted = await json('brand', 'delete', 'Acme', '--yes')
    expect(deleted).toMatchObject({ deleted: true, slug: 'acme', polls: 1, campaigns: 0 })
    const paths = ['brands/acme', 'brands/acme/polls', 'polls/acme-tea']
    await eventually(async () => (await Promise.all(paths.map(statusOf))).every((status) => status === 404))
    expect(await statusOf('polls/other-tea')).toBe(200)
    const { brands } = await json<{ brands: { slug: string }[] }>('brand', 'list')
    expect(brands.map(({ slug }) => slug)).toEqual(['other'])
    for (const words of [
      ['brand', 'rename', 'acme', '--name', 'Back'],
      ['brand', 'create', '--slug', 'acme', '--name', 'Back'],
      ['member', 'list', '--brand', 'acme'],
    ])
      expect((await run(...words)).code).toBe(1)
  })

  test('refuses a name that two brands have', async () => {
    await newBrand('one', 'Twins')
    await newBrand('two', 'Twins')
    const { code, stderr } = await run('brand', 'delete', 'Twins', '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('one, two')])
    expect([await statusOf('brands/one'), await statusOf('brands/two')]).toEqual([200, 200])
  })

  test('says that newcomers join the brand that is left', async () => {
    await newBrand('three', 'Three')
    const { brands } = await json<{ brands: { slug: string }[] }>('brand', 'list')
    const said: string[] = []
    for (const { slug } of brands.filter((brand) => brand.slug !== 'three')) {
      const settings = { ...place.settings, OIDC_DEFAULT_ROLE: 'editor' }
      said.push((await tossup(['brand', 'delete', slug, '--yes'], settings)).stdout)
    }
    expect(said.pop()).toContain('three is now the only brand')
    expect(said.join('')).not.toContain('only brand')
  })
})

/** The command in a terminal of its own, in which `answer` is typed when the command asks. */
async function inTerminal(words: readonly string[], settings: Record<string, string>, answer: string) {
  let shown = ''
  const child = Bun.spawn(tossupCommand(words), {
    env: { PATH: process.env['PATH'] ?? '', ...settings },
    terminal: {
      data(terminal, bytes) {
        const hadAsked = shown.includes('to do it: ')
        shown += new TextDecoder().decode(bytes)
        if (!hadAsked && shown.includes('to do it: ')) terminal.write(answer)
      },
    },
  })
  const code = await child.exited
  child.terminal?.close()
  return { code, shown: shown.replaceAll('\r', '') }
}

const END_OF_INPUT = '\x04'

test('`brand delete` asks on a terminal, and only the slug deletes the brand', async () => {
  const { clear, settings } = await newPlace('sqlite')
  try {
    await tossupJson(['brand', 'create', '--slug', 'cafe', '--name', 'Cafe'], settings)
    for (const answer of ['yes\n', '\n', 'cafe-2\n', END_OF_INPUT]) {
      const { code, shown } = await inTerminal(['brand', 'delete', 'cafe'], settings, answer)
      expect([answer, code, shown]).toEqual([answer, 1, expect.stringContaining('Nothing was changed.')])
    }
    expect(await tossupJson(['brand', 'list'], settings)).toMatchObject({ brands: [{ slug: 'cafe' }] })
    const { code, shown } = await inTerminal(['brand', 'delete', 'cafe'], settings, ' cafe \n')
    expect([code, shown]).toEqual([0, expect.stringContaining('Deleted the brand cafe')])
    expect(await tossupJson(['brand', 'list'], settings)).toEqual({ brands: [] })
  } finally {
    await clear()
  }
})
