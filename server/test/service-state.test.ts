import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { version } from '../src/config/config.ts'
import { migrationNames } from '../src/db/migrate.ts'
import { transaction } from '../src/db/transaction.ts'
import { deleteBrand } from '../src/features/operator/delete-brand.ts'
import { emailKey } from '../src/features/people/email.ts'
import { setOperator } from '../src/features/people/links.ts'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { addMember, type TestMember } from './people.ts'
import { everyPage } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { createWebhook } from './webhooks.ts'

setDefaultTimeout(60_000)

interface State {
  readonly ready: boolean
  readonly findings: { code: string; level: string }[]
  readonly [name: string]: unknown
}

interface Served {
  readonly slug: string
  readonly name: string
  readonly polls: number
  readonly votes: number
  readonly votesOfDay: number
}

describe.each([...engines])('%s: the state of the service', (engine) => {
  let service: TestService
  let brand: TestBrand
  let operator: TestMember
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
    operator = await addMember(service, brand, 'analyst')
  })
  afterAll(() => service.stop())

  const appoint = ({ email }: TestMember, isOperator = true) =>
    transaction(service.deps.engine, (tx) => setOperator(tx, emailKey(email), isOperator))
  const ask = <Data>(path: string, member = operator) => service.get<Data>(path, { headers: member.page })
  const read = async () => (await ask<State>('service')).body.data
  const codes = async () => (await read()).findings.map(({ code }) => code)

  test('is for operators alone: the role begins and ends with the next request', async () => {
    for (const path of ['service', 'service/brands']) {
      const { status, body } = await ask(path)
      expect([status, body.error]).toMatchObject([403, { code: 'ROLE_REQUIRED', details: { role: 'operator' } }])
      expect((await service.get(path, { token: operator.token })).status).toBe(401)
    }
    const isOperator = async () => (await ask<{ operator: boolean }>('auth/session')).body.data.operator
    expect(await isOperator()).toBe(false)
    expect(await appoint(operator)).toBe(true)
    expect([await isOperator(), (await ask('service')).status]).toEqual([true, 200])
    // No access to a brand comes with it.
    const { status } = await service.write('PATCH', 'brands/me', { token: operator.token, json: { description: 'x' } })
    expect(status).toBe(403)
    await appoint(operator, false)
    expect([await isOperator(), (await ask('service')).status]).toEqual([false, 403])
    await appoint(operator)
    expect(await appoint({ ...operator, email: 'nobody@people.test' })).toBe(false)
  })

  test('takes the sessions from an account whose address nobody has proven', async () => {
    const invited = await addMember(service, brand, 'owner', { isProven: false })
    await appoint(invited)
    expect((await ask('service', invited)).status).toBe(401)
  })

  test('says what runs, and what the parts of the server have counted', async () => {
    await service.runDue()
    const { findings, startedAt, ...state } = await read()
    expect(Date.parse(String(startedAt))).toBeLessThanOrEqual(Date.now())
    expect(state).toEqual({
      ready: true,
      versions: {
        tossup: version,
        bun: Bun.version,
        engine,
        database: expect.stringMatching(/^\d+\.\d+/),
        schema: migrationNames().at(-1)?.replace('.sql', ''),
      },
      queues: {
        ...{ votes: 0, mostVotes: 20_000, events: 0, deliveries: 0, lagSeconds: 0 },
        ...{ failingWebhooks: 0, failingJobs: [] },
      },
      audit: { endedAt: expect.stringMatching(/Z$/), differing: 0 },
      backups: { enabled: false, lastAt: null, nextAt: null, failure: null },
      disk: { freeBytes: expect.any(Number), totalBytes: expect.any(Number), databaseBytes: expect.any(Number) },
      openFiles: { open: expect.any(Number), limit: expect.anything() },
      untrustedProxy: null,
      integrityAlerts: 0,
    })
    const { freeBytes, totalBytes, databaseBytes } = state['disk'] as Record<string, number>
    expect(Math.min(freeBytes ?? 0, totalBytes ?? 0, databaseBytes ?? 0)).toBeGreaterThan(0)
    // How full the disk of this machine is does not matter here.
    expect(findings.filter(({ code }) => !code.startsWith('disk_'))).toEqual([
      { code: 'backups_off', level: 'warning' },
    ])
  })

  test('names a tally that drifts, a proxy, conspicuous polls and webhooks that fail', async () => {
    const { id, slug } = await service.createPoll(brand)
    await service.vote(slug, 'A')
    const webhook = await createWebhook(service, brand, { events: ['webhook.test'] })
    const now = service.clock.now()
    const pollKey = await pollKeyOf(service, { id })
    await service.db.updateTable('webhooks').set({ failing_since: now }).where('id', '=', webhook.id).execute()
    await service.db.insertInto('integrity_alerts').values({ poll_key: pollKey, at: now }).execute()
    await service.db.updateTable('tallies').set({ option_a: 7 }).where('poll_key', '=', pollKey).execute()
    service.deps.proxyWatch.note('10.0.0.7', '203.0.113.1')
    service.deps.proxyWatch.note('10.0.0.7', '203.0.113.2')
    for (let round = 0; round < 2; round++) {
      service.clock.advance(5_000)
      await service.runDue()
    }
    const wanted = ['tally_drift', 'untrusted_proxy', 'integrity_alerts', 'webhooks_failing', 'backups_off']
    expect((await codes()).filter((code) => !code.startsWith('disk_'))).toEqual(wanted)
    const { untrustedProxy, integrityAlerts, audit, queues } = await read()
    expect([untrustedProxy, integrityAlerts]).toEqual(['TRUSTED_PROXIES=10.0.0.7', 1])
    expect([audit, queues]).toMatchObject([{ differing: 1 }, { failingWebhooks: 1 }])
    // After a day the votes of the poll are no news.
    await service.db
      .updateTable('integrity_alerts')
      .set({ at: now - 25 * 3_600_000 })
      .execute()
    await service.db.updateTable('tallies').set({ option_a: 1 }).where('poll_key', '=', pollKey).execute()
    expect(await codes()).not.toContain('integrity_alerts')
  })

  test('lists brands newest first with their volumes, and nothing else of them', async () => {
    const made = [await service.createBrand(), await service.createBrand(), await service.createBrand()] as const
    const [first, second, gone] = made
    const poll = await service.createPoll(first)
    await service.createPoll(first, { isDraft: true })
    for (let vote = 0; vote < 3; vote++) await service.vote(poll.slug, 'A')
    await service.db.updateTable('brands').set({ name: 'Über_100% Café' }).where('key', '=', second.brandKey).execute()
    await transaction(service.deps.engine, (tx) => deleteBrand(service.deps, tx, gone.brandKey))
    service.clock.advance(5_000)
    await service.runDue()

    const listed = await everyPage<Served>(service, 'service/brands', { ask: { headers: operator.page }, limit: 1 })
    expect(listed.map(({ slug }) => slug)).toEqual([second.slug, first.slug, brand.slug])
    expect(listed[1]).toEqual({
      slug: first.slug,
      name: expect.any(String),
      createdAt: expect.stringMatching(/Z$/),
      ...{ polls: 2, votes: 3, votesOfDay: 3 },
    } as Served)
    const found = async (q: string) =>
      (await ask<Served[]>(`service/brands?q=${encodeURIComponent(q)}`)).body.data.map(({ slug }) => slug)
    expect(await found('_100% CAF')).toEqual([second.slug])
    expect(await found(first.slug.slice(2).toUpperCase())).toEqual([first.slug])
    expect([await found('%'), await found('no such brand'), await found('\\')]).toEqual([[second.slug], [], []])

    service.clock.advance(26 * 3_600_000)
    const later = (await ask<Served[]>(`service/brands?q=${first.slug}`)).body.data
    expect(later).toMatchObject([{ votes: 3, votesOfDay: 0 }])
  })
})
