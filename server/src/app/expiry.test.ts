import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { engines } from '../../test/engines.ts'
import { eventually } from '../../test/eventually.ts'
import { addMember, newLinkToken } from '../../test/people.ts'
import { startTestService, type TestBrand, type TestService } from '../../test/service.ts'
import { untilDone } from '../../test/until-done.ts'
import { removeExpired } from './expiry.ts'

const TABLES = ['idempotency_keys', 'access_tokens', 'refresh_tokens', 'token_families'] as const

const OF_PEOPLE = ['sessions', 'session_tokens', 'sign_in_links', 'invitations', 'used_challenges'] as const

describe.each([...engines])('%s: expiry', (name) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(name, { jobs: 'by hand' })
    brand = await service.createBrand()
    await sql`delete from token_families`.execute(service.db)
  })
  afterAll(() => service.stop())

  const bytes = (prefix: string) =>
    name === 'sqlite'
      ? sql`cast(${sql.lit(prefix)} || n as blob)`
      : sql`convert_to(${sql.lit(prefix)} || n::text, 'UTF8')`

  const upTo = (count: number) =>
    sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})`

  /** Keys that expire one after the other, at 1, 2, 3 and so on. */
  const addKeys = (count: number) =>
    sql`${upTo(count)}
      insert into idempotency_keys (brand_key, key, fingerprint, status, body, request_id, expires_at)
      select ${sql.lit(brand.brandKey)}, 'key-' || n, ${bytes('')}, 200, ${bytes('')}, '', n from numbers`.execute(
      service.db,
    )

  /** Families with one access token each, which expire at 1, 2, 3 and so on. */
  async function addFamilies(count: number, refreshTokensOfEach: number): Promise<void> {
    const { key } = await service.db.selectFrom('apps').select('key').limit(1).executeTakeFirstOrThrow()
    await sql`${upTo(count)} insert into token_families (app_key, device, scopes, created_at, expires_at)
      select ${sql.lit(key)}, ${bytes('')}, 'view', 0, n from numbers`.execute(service.db)
    await sql`${upTo(1)} insert into access_tokens (hash, family_key, expires_at)
      select ${sql.raw(name === 'sqlite' ? 'cast(key as blob)' : "convert_to(key::text, 'UTF8')")}, key, expires_at
      from token_families`.execute(service.db)
    for (let i = 0; i < refreshTokensOfEach; i++) {
      const hash = name === 'sqlite' ? `cast('${i}-' || key as blob)` : `convert_to('${i}-' || key::text, 'UTF8')`
      await sql`insert into refresh_tokens (hash, family_key, expires_at)
        select ${sql.raw(hash)}, key, expires_at from token_families`.execute(service.db)
    }
  }

  const counts = () =>
    Promise.all(
      TABLES.map(async (table) => {
        const row = await service.db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
        return row.count
      }),
    )

  test('one run removes everything that has expired, in several batches, and nothing else', async () => {
    await addKeys(2_503)
    await addFamilies(1_205, 3)
    const stopped = () => 0
    await removeExpired(service.deps.engine, 0, stopped)
    expect(await counts()).toEqual([2_503, 1_205, 3 * 1_205, 1_205])
    await removeExpired(service.deps.engine, 1_200, stopped)
    expect(await counts()).toEqual([1_303, 5, 15, 5])
    await removeExpired(service.deps.engine, 2_503, stopped)
    expect(await counts()).toEqual([0, 0, 0, 0])
  })

  test('many keys that expire at one moment are removed, also by a PostgreSQL that believes their table to be empty', async () => {
    const stopped = () => 0
    await addKeys(20_000)
    await removeExpired(service.deps.engine, 20_000, stopped)
    // Autovacuum does the same just after a removal.
    if (name === 'postgres') await sql`analyze idempotency_keys`.execute(service.db)
    await addKeys(20_000)
    await service.db.updateTable('idempotency_keys').set({ expires_at: 1 }).execute()
    await removeExpired(service.deps.engine, 0, stopped)
    expect((await counts())[0]).toBe(20_000)
    await removeExpired(service.deps.engine, 1, stopped)
    expect((await counts())[0]).toBe(0)
  })

  test('removes what people leave behind: sessions with their tokens, links, invitations and used challenges', async () => {
    const member = await addMember(service, brand, 'owner')
    await newLinkToken(service, member)
    const json = { email: 'somebody@people.test', role: 'editor' }
    await service.write('POST', 'brands/me/invitations', { token: member.token, json })
    const now = service.clock.now()
    await service.db
      .insertInto('used_challenges')
      .values({ hash: new Uint8Array(32), expires_at: now })
      .execute()
    const left = async () => {
      const rows = await Promise.all(
        OF_PEOPLE.map((table) => service.db.selectFrom(table).select('expires_at').execute()),
      )
      return rows.map(({ length }) => length)
    }
    expect(await left()).toEqual([1, 1, 1, 1, 1])
    await untilDone(() => removeExpired(service.deps.engine, now - 1))
    expect(await left()).toEqual([1, 1, 1, 1, 1])
    await untilDone(() => removeExpired(service.deps.engine, now + 8 * 86_400_000))
    expect(await left()).toEqual([1, 0, 0, 0, 0])
    await untilDone(() => removeExpired(service.deps.engine, now + 31 * 86_400_000))
    expect(await left()).toEqual([0, 0, 0, 0, 0])
  })

  test('requests are answered during a large removal, and later runs continue it', async () => {
    await addKeys(100_000)
    let isAnswered = false
    let isOver = false
    // The time of this run is over when the request is answered, on a machine of any speed.
    const removed = removeExpired(service.deps.engine, 100_000, () => (isAnswered ? 1_000 : 0)).then(() => {
      isOver = true
    })
    expect((await service.get(`brands/${brand.slug}/polls`)).status).toBe(200)
    expect(isOver).toBe(false)
    isAnswered = true
    await removed
    expect((await counts())[0]).toBeGreaterThan(0)
    await untilDone(() => removeExpired(service.deps.engine, 100_000))
  }, 120_000)

  if (name === 'postgres') {
    test('a lock on the last rows does not undo what was removed before', async () => {
      await addKeys(3_000)
      const held = Promise.withResolvers<void>()
      const isHeld = Promise.withResolvers<void>()
      const holding = service.db.transaction().execute(async (tx) => {
        await tx.selectFrom('idempotency_keys').select('key').where('key', '=', 'key-3000').forUpdate().execute()
        isHeld.resolve()
        await held.promise
      })
      await isHeld.promise
      const removed = removeExpired(service.deps.engine, 3_000, () => 0)
      await eventually(async () => ((await counts())[0] ?? 0) <= 1_000, { everyMs: 1 })
      held.resolve()
      await Promise.all([holding, removed])
      await untilDone(() => removeExpired(service.deps.engine, 3_000))
      expect((await counts())[0]).toBe(0)
    })
  }
})
