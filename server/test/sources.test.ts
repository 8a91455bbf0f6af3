import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { checkDatabase, databaseFaults } from '../src/backup/check-database.ts'
import { ViewCounts } from '../src/features/analytics/sources/view-counts.ts'
import { pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { newNetwork } from './network.ts'
import { createDatabase } from './own-database.ts'
import { deletePoll, HOUR, patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

interface SourceData {
  readonly source: string
  readonly views: number
  readonly votes: number
  readonly optionA: number
  readonly optionB: number
  readonly shareA: number | null
  readonly low: number | null
  readonly high: number | null
}

describe.each([...engines])('%s: sources and views', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    const settings = { VOTES_PER_MINUTE: '1000', NETWORK_VOTES_PER_MINUTE: '0', TRUSTED_PROXIES: '127.0.0.1' }
    service = await startTestService(engine, { settings, jobs: 'by hand' })
    // Views are counted by hours, which must not end between a view and the question for it.
    service.clock.advance(1.5 * HOUR - (service.clock.now() % HOUR))
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const declare = (name: unknown, token = brand.token) =>
    service.write('POST', 'brands/me/source-names', { token, json: { name } })
  const names = async () => {
    const { body } = await service.get<{ name: string }[]>('brands/me/source-names', { token: brand.token })
    return body.data.map(({ name }) => name)
  }
  const remove = (name: string) => service.write('DELETE', `brands/me/source-names/${name}`, { token: brand.token })
  const vote = (poll: PollData, option: 'A' | 'B', fields: object) =>
    service.post(`polls/${poll.slug}/votes`, { device: randomUUID(), json: { option, ...fields } })
  async function votes(poll: PollData, options: string, fields: object): Promise<void> {
    for (const option of options) expect((await vote(poll, option as 'A' | 'B', fields)).status).toBe(201)
  }
  const view = (poll: string, query = '', headers: Record<string, string> = newNetwork()) =>
    service.post(`polls/${poll}/views${query}`, { headers })
  async function views(poll: PollData, count: number, query = ''): Promise<void> {
    for (let i = 0; i < count; i++) expect((await view(poll.slug, query)).status).toBe(204)
  }
  async function stored(): Promise<void> {
    service.clock.advance(5_000)
    await service.runDue()
  }
  async function sources(path: string): Promise<SourceData[]> {
    const { status, body, text } = await service.get<SourceData[]>(`brands/me/${path}`, { token: brand.token })
    if (status !== 200) throw new Error(text)
    return body.data
  }
  const short = (rows: readonly SourceData[]) =>
    rows.map((row) => [row.source, row.views, row.votes, row.optionA, row.optionB].join(' '))

  test('a brand declares names, the same one twice without effect, and deletes them', async () => {
    for (const name of ['newsletter', 'a_b-1', 'x'.repeat(40)]) expect((await declare(name)).status).toBe(201)
    const again = await declare('newsletter')
    expect([again.status, again.body.data]).toEqual([201, { name: 'newsletter', createdAt: expect.any(String) }])
    expect(await names()).toEqual(['a_b-1', 'newsletter', 'x'.repeat(40)])
    for (const name of ['', 'A', 'x y', 'x'.repeat(41), null]) expect((await declare(name)).status).toBe(422)
    expect(problemsOf(await declare('other'))).toEqual(['name reserved_name'])
    expect((await remove('a_b-1')).status).toBe(204)
    expect((await remove('a_b-1')).status).toBe(404)
    expect(await names()).toEqual(['newsletter', 'x'.repeat(40)])
    const stranger = await service.createBrand()
    const foreign = await service.get<unknown[]>('brands/me/source-names', { token: stranger.token })
    expect(foreign.body.data).toEqual([])
  })

  test('a brand has at most 200 names, also where two requests declare the last one', async () => {
    const other = await service.createBrand()
    const rows = Array.from({ length: 199 }, (_, i) => ({ brand_key: other.brandKey, name: `s${i}`, created_at: 0 }))
    await service.db.insertInto('source_names').values(rows).execute()
    const both = await Promise.all(['one', 'two'].map((name) => declare(name, other.token)))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
    expect((await declare('s7', other.token)).status).toBe(201)
  })

  test('views and votes are counted by source; few votes, undeclared sources and none are other', async () => {
    const poll = await service.createPoll(brand)
    for (const name of ['mail', 'poster', 'quiet']) await declare(name)
    await votes(poll, 'AAAAAAAAABB', { source: 'mail' })
    await votes(poll, 'BBBBBBBBB', { source: 'poster' })
    await votes(poll, 'A', { source: 'never-declared' })
    await votes(poll, 'AB', {})
    await views(poll, 3, '?source=mail')
    await views(poll, 2, '?source=poster')
    await views(poll, 1, '?source=never-declared')
    await views(poll, 1)
    await stored()
    const [mail, other, ...none] = await sources(`polls/${poll.slug}/sources`)
    expect(none).toEqual([])
    expect(mail).toMatchObject({ source: 'mail', views: 3, votes: 11, optionA: 9, optionB: 2, shareA: 9 / 11 })
    expect(mail?.low).toBeCloseTo(0.523, 3)
    expect(mail?.high).toBeCloseTo(0.949, 3)
    expect(other).toMatchObject({ source: 'other', views: 4, votes: 12, optionA: 2, optionB: 10 })
    // The tenth vote shows the source, and earlier votes count.
    await votes(poll, 'A', { source: 'poster' })
    expect(short(await sources(`polls/${poll.slug}/sources`))).toEqual([
      'mail 3 11 9 2',
      'poster 2 10 1 9',
      'other 2 3 2 1',
    ])
    const { rows } = await sql<{ name: string | null; votes: number }>`
      select name, count(*) as votes from votes left join source_names on source_names.key = source_key
      where poll_key = ${await pollKeyOf(service, poll)} group by name`.execute(service.db)
    expect(rows.map(({ name, votes: n }) => `${name} ${n}`).sort()).toEqual(['mail 11', 'null 3', 'poster 10'])
    expect((await remove('mail')).status).toBe(204)
    expect(short(await sources(`polls/${poll.slug}/sources`))).toEqual(['poster 2 10 1 9', 'other 5 14 11 3'])
    await declare('mail')
    expect(short(await sources(`polls/${poll.slug}/sources`))).toEqual(['poster 2 10 1 9', 'other 5 14 11 3'])
  })

  test('the sources of a brand add up its polls, those of a campaign what came with it', async () => {
    const own = await service.createBrand()
    const asOwn = { token: own.token }
    const polls = [await service.createPoll(own), await service.createPoll(own)] as const
    await declare('mail', own.token)
    const { campaignId } = await createCampaign(service, own, [...polls])
    for (const poll of polls) {
      await votes(poll, 'AAAAAB', { source: 'mail', campaign: campaignId })
      await votes(poll, 'B', { source: 'mail' })
      await votes(poll, 'B', { campaign: campaignId })
      await views(poll, 2, `?source=mail&campaign=${campaignId}`)
      await views(poll, 1, `?campaign=${randomUUID()}`)
    }
    await stored()
    const ofCampaign = await service.get<SourceData[]>(`brands/me/campaigns/${campaignId}/sources`, asOwn)
    expect(short(ofCampaign.body.data)).toEqual(['mail 4 12 10 2', 'other 0 2 0 2'])
    const ofBrand = await service.get<SourceData[]>('brands/me/sources', asOwn)
    expect(short(ofBrand.body.data)).toEqual(['mail 4 14 10 4', 'other 2 2 0 2'])
    const before = await service.get<SourceData[]>('brands/me/sources?to=2020-01-01T00:00:00Z', asOwn)
    expect(before.body.data).toEqual([])
    const turned = await service.get('brands/me/sources?from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z', asOwn)
    expect([turned.status, problemsOf(turned)]).toEqual([422, ['from not_before_to']])
    for (const path of [`polls/${polls[0].slug}/sources`, `campaigns/${campaignId}/sources`])
      expect((await service.get(`brands/me/${path}`, { token: brand.token })).status).toBe(404)
  })

  test('the results of all polls have the votes by source, in the file a column for each declared one', async () => {
    const own = await service.createBrand()
    const [first, second] = [await service.createPoll(own), await service.createPoll(own)]
    for (const name of ['poster', 'mail']) await declare(name, own.token)
    await votes(first, 'AAAAAAAAAABB', { source: 'mail' })
    await votes(first, 'BBBBBBBBB', { source: 'poster' })
    await votes(first, 'A', {})
    await votes(second, 'AB', { source: 'mail' })
    const listed = await service.get<{ sources: object[] }[]>('brands/me/results', { token: own.token })
    expect(listed.body.data.map(({ sources: ofPoll }) => ofPoll)).toEqual([
      [{ source: 'other', votes: 2 }],
      [
        { source: 'mail', votes: 12 },
        { source: 'other', votes: 10 },
      ],
    ])
    const file = await service.get('brands/me/results', { token: own.token, headers: { Accept: 'text/csv' } })
    const lines = file.text.split('\r\n').slice(0, 3)
    expect(lines.map((line) => line.split(',').slice(-3).join(' '))).toEqual([
      'votes:mail votes:poster votes:other',
      '0 0 2',
      '12 0 10',
    ])
  })

  test('a recount of the votes finds each attribution that is counted wrongly', async () => {
    const poll = await service.createPoll(brand, { optionOrder: 'random' })
    await declare('recount')
    await votes(poll, 'AAB', { source: 'recount', shown: 'BA' })
    const wrong = async () => {
      const select = async <Row>(query: string) => (await sql.raw<Row>(query).execute(service.db)).rows
      const findings = await checkDatabase({ select })
      return { ...findings, faults: databaseFaults(findings) }
    }
    expect((await wrong()).faults).toEqual([])
    const counts = service.db.updateTable('attributed_counts').where('poll_key', '=', await pollKeyOf(service, poll))
    await counts.set({ option_a: 1, option_b: 2 }).execute()
    expect((await wrong()).wrongSources).toEqual([poll.id])
    await counts.set({ option_a: 2, option_b: 1, shown: 'AB' }).execute()
    expect((await wrong()).faults).toEqual([
      `The counts of poll ${poll.id} by source, campaign and order of options are not those of its votes.`,
    ])
    await counts.set({ shown: 'BA' }).execute()
    expect((await wrong()).faults).toEqual([])
  })

  test('summary and timeline carry views, minutes none', async () => {
    const own = await service.createBrand()
    const poll = await service.createPoll(own)
    await views(poll, 3)
    await stored()
    const mine = { token: (await service.exchange(own)).accessToken }
    interface Point {
      readonly views?: number
    }
    const timeline = (bucket: string) =>
      service.get<{ points: Point[] }>(`brands/me/polls/${poll.slug}/timeline?bucket=${bucket}`, mine)
    for (const bucket of ['hour', 'day', 'week'])
      expect(
        (await timeline(bucket)).body.data.points.reduce((sum, point) => sum + (point.views ?? Number.NaN), 0),
      ).toBe(3)
    expect((await timeline('minute')).body.data.points.every((point) => !('views' in point))).toBe(true)
    const summary = await service.get<{ views: object; points: Point[] }>('brands/me/summary?days=2', mine)
    expect(summary.body.data.views).toEqual({ today: 3, span: 3, before: 0 })
    expect(summary.body.data.points.map((point) => point.views)).toEqual([0, 3])
  })

  test('a view answers as a read of the poll would, and obeys the origins of votes', async () => {
    const own = await service.createBrand()
    const hidden = await service.createPoll(own, { resultsVisibility: 'never', isPrivate: true })
    const draft = await service.createPoll(own, { isDraft: true })
    const deleted = await service.createPoll(own)
    await deletePoll(service, own, deleted.slug)
    const archived = await service.createPoll(own)
    await patchPoll(service, own, archived.slug, { archived: true })
    const scheduled = await service.createPoll(own, { opensAt: new Date(Date.now() + HOUR).toISOString() })
    for (const poll of [hidden, archived, scheduled])
      for (const name of [poll.slug, poll.shortId, poll.id.toUpperCase()]) expect((await view(name)).status).toBe(204)
    for (const name of [draft.slug, deleted.slug, 'never-there']) expect((await view(name)).status).toBe(404)
    for (const query of ['?source=A', `?source=${'x'.repeat(41)}`, '?source=', '?campaign=1', '?device=1'])
      expect((await view(hidden.slug, query)).status).toBe(422)
    const origins = { embedOrigins: ['https://shop.example'] }
    await service.write('PATCH', 'brands/me/theme', { token: own.token, json: origins })
    const from = (Origin: string) => view(hidden.slug, '', { ...newNetwork(), Origin })
    expect((await from('https://shop.example')).status).toBe(204)
    const foreign = await from('https://elsewhere.example')
    expect([foreign.status, foreign.body.error.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED'])
  })

  test('a network may send 60 views of a poll in a minute', async () => {
    const [poll, other] = [await service.createPoll(brand), await service.createPoll(brand)]
    const network = newNetwork()
    for (let i = 0; i < 60; i++) expect((await view(poll.slug, '', network)).status).toBe(204)
    const refused = await view(poll.slug, '', network)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect((await view(other.slug, '', network)).status).toBe(204)
    expect((await view(poll.slug)).status).toBe(204)
  })

  test('counts go with their poll', async () => {
    const poll = await service.createPoll(brand, { optionOrder: 'random' })
    await votes(poll, 'A', { shown: 'AB' })
    await views(poll, 1)
    await stored()
    const key = await pollKeyOf(service, poll)
    const counts = async () =>
      (await service.db.selectFrom('view_counts').selectAll().where('poll_key', '=', key).execute()).length +
      (await service.db.selectFrom('attributed_counts').selectAll().where('poll_key', '=', key).execute()).length
    expect(await counts()).toBe(2)
    await deletePoll(service, brand, poll.slug)
    service.clock.advance(HOUR)
    await service.runDue()
    await service.runDue()
    expect(await counts()).toBe(0)
  })

  test('memory is bounded: beyond it the source is dropped first, then the view; a failed store keeps its counts', async () => {
    const own = await service.createBrand()
    const [poll, other] = [await service.createPoll(own), await service.createPoll(own)]
    const [first, second] = [await pollKeyOf(service, poll), await pollKeyOf(service, other)]
    await declare('flood', own.token)
    const counts = new ViewCounts(service.deps, 2)
    counts.count(first, {})
    for (let i = 0; i < 50; i++) counts.count(first, { source: `flood${i}` })
    counts.count(second, { source: 'flood' })
    await sql`alter table view_counts rename to view_counts_gone`.execute(service.db)
    await expect(counts.store()).rejects.toThrow('view_counts')
    await sql`alter table view_counts_gone rename to view_counts`.execute(service.db)
    counts.count(first, {})
    await counts.store()
    await counts.store()
    const rows = await service.db
      .selectFrom('view_counts')
      .select(({ fn }) => ['poll_key', fn.sum<number>('views').as('views')])
      .where('poll_key', 'in', [first, second])
      .groupBy('poll_key')
      .execute()
    // One of `flood0`, 50 of the poll without a source, and none of the other poll.
    expect(rows.map(({ poll_key, views: n }) => [poll_key === first, Number(n)])).toEqual([[true, 52]])
  })
})

describe.each([...engines])('%s: a stop', (engine) => {
  test('stores the views that are in memory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
    const database = engine === 'postgres' ? await createDatabase() : null
    const settings = { DATA_DIR: folder, ...(database ? { DATABASE_URL: database.url } : {}) }
    const start = () => startTestService('sqlite', { settings, keepsData: true })
    const service = await start()
    const poll = await service.createPoll(await service.createBrand())
    expect((await service.post(`polls/${poll.slug}/views`)).status).toBe(204)
    await service.stop()
    const again = await start()
    expect(await again.db.selectFrom('view_counts').select('views').execute()).toEqual([{ views: 1 }])
    await again.stop()
    await rm(folder, { recursive: true })
    await database?.drop()
  })
})
