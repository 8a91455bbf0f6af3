import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../src/db/store.ts'
import { deviceOfUuid } from '../src/features/people/tokens/device.ts'
import { pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { Receiver } from './receiver.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { createWebhook } from './webhooks.ts'

const PARTS = 8

/** Divides the votes by poll, as Citus does among its workers. */
async function divideVotes(db: Db): Promise<void> {
  const parts = Array.from({ length: PARTS }, (_, i) => i)
  for (const statement of [
    'drop view guests',
    'drop view device_votes',
    'drop table votes',
    `create table votes (poll_key bigint, position bigint, device bytea, option text, voted_at bigint,
       source_key bigint, shown text, campaign_key bigint,
       primary key (poll_key, position)) partition by hash (poll_key)`,
    ...parts.map(
      (i) => `create table votes_part_${i} partition of votes for values with (modulus ${PARTS}, remainder ${i})`,
    ),
    'create unique index votes_by_device on votes (poll_key, device)',
  ]) {
    await sql.raw(statement).execute(db)
  }
}

describe.if(engines.includes('postgres'))('postgres: with votes divided by poll', () => {
  let service: TestService
  let brand: TestBrand
  const receiver = new Receiver()

  beforeAll(async () => {
    service = await startTestService('postgres', { settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
    await divideVotes(service.db)
    brand = await service.createBrand()
    // Groups that raise events are decided by the server, as all groups are on Citus.
    await createWebhook(service, brand, { url: receiver.url, events: ['poll.voted'] })
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  /** PostgreSQL locks the parts that it plans to read. */
  const partsLocked = async (db: Db): Promise<number> => {
    const { rows } = await sql<{ parts: number }>`select count(distinct relation) as parts from pg_locks
      join pg_class on pg_class.oid = relation and relname ~ '^votes_part_[0-9]$' where pid = pg_backend_pid()`.execute(
      db,
    )
    return rows[0]?.parts ?? Number.NaN
  }

  const voted = async (polls: readonly PollData[], device: string) => {
    for (const { slug } of polls) expect((await service.vote(slug, 'A', device)).status).toBe(201)
  }

  test('the vote of one device on one poll is looked up in the part of the poll alone', async () => {
    const poll = await service.createPoll(brand)
    const uuid = randomUUID()
    await voted([poll], uuid)
    const device = deviceOfUuid(service.deps.keys.device, uuid)
    const [pollKey, { engine }] = [await pollKeyOf(service, poll), service.deps]
    await service.db.transaction().execute(async (tx) => {
      expect(await engine.votesOf(tx, { pollKeys: [pollKey], devices: [device] })).toMatchObject([{ option: 'A' }])
      expect(await partsLocked(tx)).toBe(1)
    })
    const { status, body } = await service.get<{ option: string }>(`polls/${poll.slug}/votes/me`, { device: uuid })
    expect([status, body.data.option]).toEqual([200, 'A'])
  })

  test('the votes of one device on several polls are found in all parts', async () => {
    const polls = [await service.createPoll(brand), await service.createPoll(brand), await service.createPoll(brand)]
    const { campaignId } = await createCampaign(service, brand, polls)
    const device = randomUUID()
    await voted(polls.slice(0, 2), device)
    const { body } = await service.get(`campaigns/${campaignId}/progress`, { device })
    expect(body.data).toMatchObject({ completedSteps: 2, totalSteps: 3 })
  })

  test('the earlier votes of a group are looked up with each poll named once', async () => {
    const poll = await service.createPoll(brand)
    const pollKey = await pollKeyOf(service, poll)
    const sent = spyOn(pg.Client.prototype, 'query')
    try {
      const devices = Array.from({ length: 30 }, () => randomUUID())
      await Promise.all(devices.map((device) => voted([poll], device)))
      const reads = (sent.mock.calls as unknown as [{ name?: string; values?: unknown[] }][]).flatMap(([query]) =>
        query?.name === 'ledger-votes' ? [query.values ?? []] : [],
      )
      const largest = reads.toSorted((left, right) => String(right[0]).length - String(left[0]).length)[0]
      expect(largest?.[0]).toBeArray()
      expect(String(largest?.[0]).split(',').length).toBeGreaterThan(1)
      for (const [, , polls] of reads) expect(polls).toEqual([pollKey])
    } finally {
      sent.mockRestore()
    }
  })

  test.each(['26000', '42P05'])(
    '%s, of a pooler without its settings, is answered 503 and explained in the log',
    async (code) => {
      const poll = await service.createPoll(brand)
      await sql
        .raw(
          `create function refuse() returns trigger language plpgsql as 'begin raise exception using errcode = ''${code}''; end';
         create trigger refuse before insert on votes for each row execute function refuse()`,
        )
        .execute(service.db)
      const linesBefore = service.logLines.length
      const refused = await service.vote(poll.slug, 'A')
      await sql.raw('drop function refuse cascade').execute(service.db)
      expect([refused.status, refused.body.error.code]).toEqual([503, 'UNAVAILABLE'])
      expect(service.logLines.slice(linesBefore).join('')).toContain('DATABASE_PREPARE=false')
      expect((await service.vote(poll.slug, 'A')).status).toBe(201)
    },
  )
})
