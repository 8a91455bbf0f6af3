import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { checkDatabase, databaseFaults } from '../src/backup/check-database.ts'
import { transaction } from '../src/db/transaction.ts'
import { codeHash, codeVoter } from '../src/features/codes/code.ts'
import { issueCodes } from '../src/features/codes/issue-codes.ts'
import { mixUses } from '../src/features/codes/mix-uses.ts'
import { isLiveCode } from '../src/features/codes/queries.ts'
import { pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { createCodeList, issueCodes as issued, readCodeList, voteByCode } from './codes.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { newNetwork } from './network.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { createWebhook } from './webhooks.ts'

// Runs alone: it measures the time of this process, which the work of other files would be added to.

setDefaultTimeout(120_000)

const SETTINGS = { LOG_LEVEL: 'trace', TRUSTED_PROXIES: '127.0.0.1', VOTES_PER_MINUTE: '1000' }

const statuses = async (work: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(work)).map(({ status }) => status).sort()

/** The findings of `tossup verify` in the database of a running service. */
async function faultsOf({ db, deps }: TestService): Promise<string[]> {
  const select = async <Row>(query: string) => (await sql<Row>`${sql.raw(query)}`.execute(db)).rows
  const voteTables = deps.engine.name === 'sqlite' ? ['votes', 'fresh_votes'] : ['votes']
  return databaseFaults(await checkDatabase({ select, voteTables }))
}

describe.each([...engines])('%s: codes and votes', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand', settings: SETTINGS })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function listOf(count: number): Promise<{ codeListId: string; codes: string[] }> {
    const { codeListId } = await createCodeList(service, brand, `Members ${randomUUID()}`)
    return { codeListId, codes: await issued(service, brand, { codeListId, count }) }
  }

  const cast = (poll: PollData, code: string, option = 'A', device = randomUUID()) =>
    voteByCode(service, poll, { code, option, device, headers: newNetwork() })

  test('ten codes that do not count a minute and network are 403, further ones 429, and a valid one votes', async () => {
    const { codeListId, codes } = await listOf(2)
    const poll = await service.createPoll(brand, { codeListId })
    const headers = newNetwork()
    const guess = (code: string) => voteByCode(service, poll, { code, device: randomUUID(), headers })
    for (let i = 0; i < 10; i++) expect((await guess('K7QM-2F8X-9RTA')).status).toBe(403)
    const refused = await guess('K7QM-2F8X-9RTA')
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } })
    expect(refused.headers.get('ratelimit-policy')).toBe('"code-failures";q=10;w=60')
    expect((await guess(codes[0] as string)).status).toBe(201)
    const other = { code: 'TEA', device: randomUUID(), headers: newNetwork() }
    expect((await voteByCode(service, poll, other)).status).toBe(403)
  })

  test('a hall of 500 people behind one address votes within a minute', async () => {
    const { codeListId, codes } = await listOf(500)
    const poll = await service.createPoll(brand, { codeListId })
    const headers = newNetwork()
    const begun = performance.now()
    const all = codes.map((code) => voteByCode(service, poll, { code, device: randomUUID(), headers }))
    expect(new Set(await statuses(all))).toEqual(new Set([201]))
    expect(performance.now() - begun).toBeLessThan(60_000)
    expect(await readCodeList(service, brand, codeListId)).toMatchObject({ used: 500 })
  })

  test('after any votes at once, the votes of each poll are its uses, and `used` is right', async () => {
    const { codeListId, codes } = await listOf(12)
    const polls = [
      await service.createPoll(brand, { codeListId }),
      await service.createPoll(brand, { codeListId }),
    ] as const
    const open = await service.createPoll(brand)
    const used = new Set<string>()
    const accepted = [0, 0]
    for (let round = 0; round < 8; round++) {
      const casts = Array.from({ length: 25 }, async () => {
        const code = codes[Math.floor(Math.random() * codes.length)] as string
        const place = Math.random() < 0.5 ? 0 : 1
        const { status } = await cast(polls[place] as PollData, code, Math.random() < 0.5 ? 'A' : 'B')
        expect([201, 409]).toContain(status)
        if (status !== 201) return
        accepted[place] = (accepted[place] ?? 0) + 1
        used.add(code)
      })
      await Promise.all([...casts, service.vote(open.slug, 'A')])
    }
    for (const [i, poll] of polls.entries()) {
      const key = await pollKeyOf(service, poll)
      const uses = await service.db.selectFrom('code_uses').select('hash').where('poll_key', '=', key).execute()
      expect(uses).toHaveLength(accepted[i] ?? -1)
    }
    expect(await readCodeList(service, brand, codeListId)).toMatchObject({ used: used.size })
    expect(await faultsOf(service)).toEqual([])
  })

  test('the check of a database finds a use without a vote, and one of a code that was never issued', async () => {
    const { codeListId, codes } = await listOf(2)
    const poll = await service.createPoll(brand, { codeListId })
    await cast(poll, codes[0] as string)
    const key = await pollKeyOf(service, poll)
    const add = (code: string) =>
      service.db
        .insertInto('code_uses')
        .values({ poll_key: key, hash: codeHash(service.deps, code) })
        .execute()
    await add(codes[1] as string)
    expect(await faultsOf(service)).toEqual([`The poll ${poll.id} has 1 votes by code, and 2 codes that were used.`])
    await service.db
      .deleteFrom('code_uses')
      .where('poll_key', '=', key)
      .where('hash', '=', codeHash(service.deps, codes[0] as string))
      .execute()
    await add('K7QM-2F8X-9RTA')
    expect(await faultsOf(service)).toEqual([`On the poll ${poll.id}, 1 codes voted that were never issued.`])
    await service.db.deleteFrom('code_uses').where('poll_key', '=', key).execute()
    await service.write('DELETE', `brands/me/polls/${poll.slug}`, { token: brand.token })
    expect(await faultsOf(service)).toEqual([])
  })

  test('a list of 200,000 codes is checked in the time of a list of ten', async () => {
    const small = await listOf(10)
    const large = await listOf(10)
    const keyOf = async (id: string) =>
      (await service.db.selectFrom('code_lists').select('key').where('id', '=', id).executeTakeFirstOrThrow()).key
    const [one, other] = [await keyOf(small.codeListId), await keyOf(large.codeListId)]
    const more = Array.from({ length: 200_000 }, () => crypto.getRandomValues(new Uint8Array(16)))
    while (more.length > 0) {
      const rows = more.splice(0, 5_000).map((hash) => ({ list_key: other, hash }))
      await service.db.insertInto('codes').values(rows).execute()
    }
    const timeOf = async (listKey: number, code: string): Promise<number> => {
      const hash = codeHash(service.deps, code)
      const times: number[] = []
      for (let i = 0; i < 300; i++) {
        const begun = performance.now()
        expect(await isLiveCode(service.db, listKey, hash)).toBe(true)
        times.push(performance.now() - begun)
      }
      return Math.min(...times)
    }
    const fast = await timeOf(one, small.codes[0] as string)
    expect(await timeOf(other, large.codes[0] as string)).toBeLessThan(3 * fast + 0.1)
    await service.db.deleteFrom('codes').where('list_key', '=', other).execute()
  })

  test('1,000 codes are issued in 50 ms of this process', async () => {
    const { codeListId: id } = await createCodeList(service, brand, `Members ${randomUUID()}`)
    const { brandKey } = brand
    const times: number[] = []
    for (let i = 0; i < 8; i++) {
      const begun = process.cpuUsage()
      await transaction(service.deps.engine, (tx) => issueCodes(service.deps, tx, { brandKey, id, count: 1_000 }))
      const { user, system } = process.cpuUsage(begun)
      times.push((user + system) / 1_000)
    }
    expect(Math.min(...times)).toBeLessThan(50)
  })

  /** The answers of routes, pages and files about these polls. */
  async function textsOf(polls: readonly PollData[], campaignId: string): Promise<string[]> {
    const { token } = brand
    const paths = [
      ...polls.flatMap(({ slug }) =>
        ['', '/voters', '/timeline', '/integrity', '/insight', '/sources'].map(
          (end) => `brands/me/polls/${slug}${end}`,
        ),
      ),
      ...['', '/responses', '/funnel'].map((end) => `brands/me/campaigns/${campaignId}${end}`),
      ...['activity', 'code-lists', 'summary', 'webhooks'].map((end) => `brands/me/${end}`),
      ...polls.flatMap(({ slug, shortId }) => [`polls/${slug}`, `/p/${shortId}`]),
    ]
    const texts: string[] = []
    for (const path of paths) texts.push((await service.get(path, { token })).text)
    for (const path of paths.filter((path) => /voters|responses|activity/.test(path)))
      texts.push((await service.get(path, { token, headers: { Accept: 'text/csv' } })).text)
    return texts
  }

  /** The stored order of the 30 uses is that of their hashes, and no transaction wrote one of them and a vote. */
  async function expectMixed(key: number): Promise<void> {
    const order = engine === 'postgres' ? sql`order by ctid` : sql``
    const { rows: uses } = await sql<{
      hash: Uint8Array
    }>`select hash from code_uses where poll_key = ${key} ${order}`.execute(service.db)
    const hashes = uses.map(({ hash }) => Buffer.from(hash).toString('hex'))
    expect(hashes).toEqual(hashes.toSorted())
    expect(hashes).toHaveLength(30)
    if (engine === 'sqlite') return
    const { rows: joined } = await sql`
      select 1 from code_uses join votes on votes.poll_key = code_uses.poll_key and votes.xmin = code_uses.xmin
      where code_uses.poll_key = ${key}`.execute(service.db)
    expect(joined).toEqual([])
  }

  async function runMixing(): Promise<void> {
    service.clock.advance(120_000)
    await service.runDue()
    if (engine === 'sqlite') return
    await service.db.updateTable('tallies').set({ updated_at: 0 }).execute()
    while (await mixUses(service.deps.engine));
  }

  test('no route, log, event or table joins a code with an option', async () => {
    const { codeListId, codes } = await listOf(30)
    await createWebhook(service, brand, { events: ['poll.voted', 'campaign.step_completed'] })
    const polls = [await service.createPoll(brand, { codeListId }), await service.createPoll(brand, { codeListId })]
    const campaign = await createCampaign(service, brand, polls)
    const cast30 = codes.map((code, i) => ({ code, option: i % 3 ? 'A' : 'B', device: randomUUID() }))
    for (const { code, option, device } of cast30) {
      expect((await cast(polls[0] as PollData, code, option, device)).status).toBe(201)
      await cast(polls[1] as PollData, code.toLowerCase(), option, device)
    }
    await runMixing()
    const texts = [...service.logLines, ...(await textsOf(polls, campaign.campaignId))]
    for (const lines of Object.values(await dumpTables(service.db))) texts.push(...lines)
    const forms = codes.flatMap((code) => [code, code.replaceAll('-', ''), code.toLowerCase()])
    for (const text of texts) expect(forms.find((form) => text.includes(form))).toBeUndefined()

    // From the codes, the keys and every stored hash of a device, no stored voter can be computed.
    const votes = await service.db.selectFrom('votes').select(['device', 'position']).execute()
    const stored = new Set(votes.map(({ device }) => Buffer.from(device).toString('hex')))
    const known = ['', ...[...stored].flatMap((hex) => [`hash:${hex}`, hex])]
    for (const { code, device } of cast30) {
      for (const text of known) expect(stored.has(codeVoter(service.deps, code, text).toHex())).toBe(false)
      expect(stored.has(codeHash(service.deps, code).toHex())).toBe(false)
      // With the device they can: the test looks at the right place.
      expect(stored.has(codeVoter(service.deps, code, `uuid:${device}`).toHex())).toBe(true)
    }
    await expectMixed(await pollKeyOf(service, polls[0] as PollData))
  })
})

describe.if(engines.includes('postgres'))('postgres: codes on two servers', () => {
  let database: OwnDatabase
  let one: TestService
  let other: TestService
  beforeAll(async () => {
    database = await createDatabase()
    one = await startTestService('postgres', { database, settings: SETTINGS })
    other = await startTestService('postgres', { database, settings: SETTINGS })
  })
  afterAll(async () => {
    await one.stop()
    await other.stop()
    await database.drop()
  })

  test('20 at once with one code are one vote, and a revocation holds on the other server at once', async () => {
    const brand = await one.createBrand()
    const { codeListId } = await createCodeList(one, brand, 'Members')
    const [code = '', next = ''] = await issued(one, brand, { codeListId, count: 2 })
    const poll = await one.createPoll(brand, { codeListId })
    const cast = (service: TestService, given: string) =>
      voteByCode(service, poll, { code: given, device: randomUUID(), headers: newNetwork() })
    const all = Array.from({ length: 20 }, (_, i) => cast(i % 2 ? one : other, code))
    expect(await statuses(all)).toEqual([201, ...new Array(19).fill(409)])
    expect(await readCodeList(other, brand, codeListId)).toMatchObject({ used: 1 })
    const path = `brands/me/code-lists/${codeListId}/codes/revoke`
    await one.write('POST', path, { token: brand.token, json: { codes: [next] } })
    expect((await cast(other, next)).status).toBe(403)
    expect(await faultsOf(one)).toEqual([])
  })
})
