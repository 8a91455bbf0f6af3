import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { migrate } from '../src/db/migrate.ts'
import type { Engine, Tx } from '../src/db/store.ts'
import { retryBusy } from '../src/db/transaction.ts'
import type { Ballot, Decision, GroupFacts } from '../src/db/vote-store.ts'
import { decide, type Outcome } from '../src/features/votes/decide.ts'
import { newDevice } from './ballot-box.ts'
import { type EmptyDatabase, emptyDatabase } from './empty-database.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'

setDefaultTimeout(60_000)

/** Long enough for a notice, or for the engine to notice by itself that another process has written. */
const HEARD_WITHIN_MS = 3_000

// The service relies on these properties of every engine. A new engine must pass this suite first.
describe.each([...engines])('%s: the contract of an engine', (name) => {
  let database: EmptyDatabase
  let engine: Engine
  /** Another process on the same database. */
  let other: Engine
  let brandKey: number

  beforeAll(async () => {
    database = await emptyDatabase(name)
    await migrate(database.engine, 1)
    engine = database.engine.ready()
    other = database.another().ready()
    const brand = { id: randomUUID(), slug: 'brand', name: 'Brand', created_at: 1, updated_at: 1 }
    brandKey = (await engine.db.insertInto('brands').values(brand).returning('key').executeTakeFirstOrThrow()).key
  })
  afterAll(() => database.remove())

  async function newPoll(fields: { is_draft?: 0 | 1; opens_at?: number; closes_at?: number } = {}): Promise<number> {
    const id = randomUUID()
    const { key } = await engine.db
      .insertInto('polls')
      .values({
        id,
        short_id: id,
        slug: id,
        brand_key: brandKey,
        title: 'Tea or coffee?',
        title_folded: 'tea or coffee?',
        label_a: 'Tea',
        label_b: 'Coffee',
        is_draft: 0,
        is_private: 0,
        results_visibility: 'always',
        created_at: 1,
        updated_at: 1,
        ...fields,
      })
      .returning('key')
      .executeTakeFirstOrThrow()
    await engine.db.insertInto('tallies').values({ poll_key: key, updated_at: 1 }).execute()
    return key
  }

  const nameOf = async ({ db }: Engine) => (await db.selectFrom('brands').select('name').executeTakeFirstOrThrow()).name
  const rename = (tx: Tx, to: string) => tx.updateTable('brands').set({ name: to }).execute()

  async function cast(through: Engine, ballots: readonly Ballot[]): Promise<Outcome['kind'][]> {
    const commit = () => through.votes.commit(ballots, (facts) => decide(ballots, facts))
    const { decision, durable } = await retryBusy(through, commit)
    await durable
    return decision.outcomes.map(({ kind }) => kind)
  }

  const ballot = (pollKey: number, option: 'A' | 'B' = 'A', device = newDevice()): Ballot => ({
    pollKey,
    device,
    option,
  })

  const tallyOf = (key: number) =>
    engine.db
      .selectFrom('tallies')
      .select(['option_a', 'option_b', 'version'])
      .where('poll_key', '=', key)
      .executeTakeFirstOrThrow()

  describe('values', () => {
    const keep = async (values: { wrapped: Uint8Array; created_at: number }) => {
      const row = { name: randomUUID(), ...values }
      await engine.db.insertInto('data_keys').values(row).execute()
      const kept = other.db.selectFrom('data_keys').select(['wrapped', 'created_at']).where('name', '=', row.name)
      const { wrapped, created_at } = await kept.executeTakeFirstOrThrow()
      return { wrapped: new Uint8Array(wrapped), created_at }
    }

    test.each([0, -1, 1_700_000_000_000, Number.MAX_SAFE_INTEGER])('the time %p comes back as it was', async (time) => {
      const row = { wrapped: new Uint8Array(), created_at: time }
      expect(await keep(row)).toEqual(row)
    })

    test('bytes come back as they were, all 256 of them', async () => {
      const row = { wrapped: Uint8Array.from({ length: 256 }, (_, i) => i), created_at: 0 }
      expect(await keep(row)).toEqual(row)
    })

    test.each(['', 'ß → 😀 ﷽', "'; drop table brands; --", 'a'.repeat(100_000)])(
      'text %# comes back as it was',
      async (text) => {
        await engine.db.transaction().execute((tx) => rename(tx, text))
        expect(await nameOf(other)).toBe(text)
      },
    )

    test('text that no engine can store alike is refused before the database sees it', async () => {
      for (const text of ['a\0b', '\ud800']) {
        const writing = engine.db.transaction().execute((tx) => rename(tx, text))
        await expect(writing).rejects.toThrow()
      }
      expect(await nameOf(engine)).not.toContain('\0')
    })
  })

  describe('transactions', () => {
    test('one that fails leaves nothing, and one that ends is seen by every process', async () => {
      const failing = engine.db.transaction().execute(async (tx) => {
        await rename(tx, 'never')
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      await engine.db.transaction().execute((tx) => rename(tx, 'kept'))
      expect([await nameOf(engine), await nameOf(other)]).toEqual(['kept', 'kept'])
    })

    test('a relaxed one is a transaction as well', async () => {
      const failing = engine.relaxed(async (tx) => {
        await rename(tx, 'never')
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await nameOf(other)).toBe('kept')
      await engine.relaxed((tx) => rename(tx, 'relaxed'))
      expect(await nameOf(other)).toBe('relaxed')
    })

    test('what another one holds is skipped, or the engine says that it is busy', async () => {
      const [one, two] = [await newPoll(), await newPoll()]
      const free = (tx: Tx) =>
        sql<{ key: number }>`select key from polls where key in (${one}, ${two}) order by key ${engine.skipLocked}`
          .execute(tx)
          .then(({ rows }) => rows.map(({ key }) => key))
      await engine.db.transaction().execute(async (tx) => {
        await engine.lockPollsWithVotes(tx, [one])
        const seen = await other.db
          .transaction()
          .execute(free)
          .catch((error) => other.isBusy(error))
        expect(seen).toEqual(other.name === 'sqlite' ? true : [two])
      })
      expect(await other.db.transaction().execute(free)).toEqual([one, two])
    })

    test('what one has locked is changed by no other', async () => {
      const poll = await newPoll()
      const lock = (tx: Tx) => sql`select key from polls where key = ${poll} ${engine.forUpdate}`.execute(tx)
      await engine.db.transaction().execute(async (tx) => {
        await lock(tx)
        const changing = other.db.transaction().execute(async (otherTx) => {
          if (other.name !== 'sqlite') await sql`set local lock_timeout = 50`.execute(otherTx)
          await otherTx.updateTable('polls').set({ title: 'other' }).where('key', '=', poll).execute()
          return 'changed'
        })
        expect(await changing.catch((error) => other.isBusy(error) || other.isHeld(error))).toBe(true)
      })
      await other.db.transaction().execute(lock)
    })

    test('a named lock is held by one transaction at a time, until it ends', async () => {
      const asking = () => other.db.transaction().execute((tx) => other.tryLock(tx, 'a name'))
      await engine.db.transaction().execute(async (tx) => {
        expect(await engine.tryLock(tx, 'a name')).toBe(true)
        expect(await asking().catch((error) => !other.isBusy(error))).toBe(false)
      })
      expect(await asking()).toBe(true)
    })

    test('only one process migrates at a time', async () => {
      let inside = 0
      const most: number[] = []
      const migrating = [engine, other].map((each) =>
        each.whileMigrating(async (tx) => {
          most.push(++inside)
          await nameOf({ ...each, db: tx })
          await rename(tx, 'migrated')
          inside--
        }),
      )
      await Promise.all(migrating)
      expect(most).toEqual([1, 1])
    })

    test('a script may hold several statements, or none', async () => {
      await engine.db.transaction().execute(async (tx) => {
        await engine.runScript(tx, '-- nothing but words\n')
        await engine.runScript(tx, "update brands set name = 'one'; update brands set name = name || ' two';")
      })
      expect(await nameOf(other)).toBe('one two')
    })
  })

  describe('errors', () => {
    test('a unique violation is distinguished from a wrong statement, and neither is an outage', async () => {
      const twice = { slug: 'brand', name: '', id: randomUUID(), created_at: 1, updated_at: 1 }
      const taken = await engine.db
        .insertInto('brands')
        .values(twice)
        .execute()
        .catch((error) => error)
      const wrong = await sql`select nothing from nowhere`.execute(engine.db).catch((error) => error)
      expect([taken, wrong].map((error) => engine.isTaken(error))).toEqual([true, false])
      for (const error of [taken, wrong, new Error('another'), null]) {
        expect([engine.isUnavailable(error), engine.isBusy(error), engine.isHeld(error)]).toEqual([false, false, false])
      }
    })
  })

  describe('what other processes hear', () => {
    test('is what a transaction sends, when it has committed, and nothing of one that has not', async () => {
      const heard: string[] = []
      other.notices.listen((text) => heard.push(text))
      const tell = (text: string) => engine.db.transaction().execute((tx) => engine.notices.send(tx, text))
      // A listener may need a moment to start. An engine for a single process sends no notices: its epoch changes instead.
      if (other.name !== 'sqlite') await eventually(() => tell('hello').then(() => heard.includes('hello')))
      const epoch = other.epoch()
      const failing = engine.db.transaction().execute(async (tx) => {
        await engine.notices.send(tx, 'never')
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      await engine.db.transaction().execute(async (tx) => {
        await rename(tx, 'told')
        await engine.notices.send(tx, 'a change')
      })
      await eventually(() => heard.includes('a change') || other.epoch() !== epoch, { withinMs: HEARD_WITHIN_MS })
      expect(heard).not.toContain('never')
    })
  })

  describe('votes', () => {
    test('of a group are stored in order, with their tallies, and are found by every process', async () => {
      const [one, two] = [await newPoll(), await newPoll()]
      const device = newDevice()
      const ballots = [ballot(one, 'A', device), ballot(one, 'B'), ballot(two, 'B', device), ballot(one, 'B', device)]
      expect(await cast(engine, ballots)).toEqual(['accepted', 'accepted', 'accepted', 'already'])
      expect([await tallyOf(one), await tallyOf(two)]).toEqual([
        { option_a: 1, option_b: 1, version: 1 },
        { option_a: 0, option_b: 1, version: 1 },
      ])
      const stored = other.db.selectFrom('votes').select(['option', 'position']).where('poll_key', '=', one)
      expect(await stored.orderBy('position').execute()).toEqual([
        { option: 'A', position: 1 },
        { option: 'B', position: 2 },
      ])
      expect(await cast(other, [ballot(one, 'B', device), ballot(two, 'A', device)])).toEqual(['already', 'already'])
    })

    test('are decided by the facts at the time of the lock', async () => {
      const key = await newPoll({ opens_at: 5 })
      const device = newDevice()
      await cast(engine, [ballot(key, 'B', device)])
      const facts: GroupFacts[] = []
      const asked = [ballot(key), ballot(key, 'A', device), ballot(await newPoll({ is_draft: 1 })), ballot(2 ** 40)]
      const before = Date.now()
      const nothing = (given: GroupFacts): Decision<null> => {
        facts.push(given)
        return { votes: [], counted: new Map(), outcomes: asked.map(() => null) }
      }
      await (await engine.votes.commit(asked, nothing)).durable
      expect([...(facts[0]?.polls.keys() ?? [])]).toEqual([key])
      expect(facts[0]?.polls.get(key)).toMatchObject({
        opens_at: 5,
        closes_at: null,
        option_a: 0,
        option_b: 1,
        version: 1,
      })
      expect(facts[0]?.existing.map((vote) => vote?.option ?? null)).toEqual([null, 'B', null, null])
      expect(facts[0]?.now).toBeWithin(before - 1_000, Date.now() + 1_000)
      expect(await tallyOf(key)).toEqual({ option_a: 0, option_b: 1, version: 1 })
    })

    test('of a group that fails are not there, and the next group is stored', async () => {
      const key = await newPoll()
      const ballots = [ballot(key)]
      const failing = engine.votes.commit(ballots, (facts) => {
        const decision = decide(ballots, facts)
        return { ...decision, votes: [...decision.votes, ...decision.votes] }
      })
      await expect(failing).rejects.toThrow()
      expect(await tallyOf(key)).toEqual({ option_a: 0, option_b: 0, version: 0 })
      expect(await cast(engine, ballots)).toEqual(['accepted'])
    })

    test('of one device are counted once when several processes cast them at once', async () => {
      const key = await newPoll()
      const device = newDevice()
      const through = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? engine : other))
      const outcomes = await Promise.all(through.map((each) => cast(each, [ballot(key, 'A', device)])))
      expect(outcomes.flat().filter((kind) => kind === 'accepted')).toHaveLength(1)
      expect(await tallyOf(key)).toEqual({ option_a: 1, option_b: 0, version: 1 })
    })

    test('wait for a transaction that has locked their poll, which sees every vote before it', async () => {
      const key = await newPoll()
      const device = newDevice()
      await cast(other, [ballot(key, 'A', device)])
      const order: string[] = []
      const waiting = Promise.withResolvers<unknown>()
      await engine.db.transaction().execute(async (tx) => {
        await engine.lockPollsWithVotes(tx, [key])
        waiting.resolve(cast(other, [ballot(key)]).then(() => order.push('vote')))
        expect(await engine.votesOf(tx, { pollKeys: [key], devices: [device] })).toMatchObject([{ option: 'A' }])
        order.push('transaction')
      })
      await waiting.promise
      expect(order).toEqual(['transaction', 'vote'])
      expect(await tallyOf(key)).toMatchObject({ option_a: 2 })
    })

    test('of other processes are shown to a transaction without a lock of their poll', async () => {
      const key = await newPoll()
      const device = newDevice()
      await cast(other, [ballot(key, 'A', device)])
      await engine.db.transaction().execute(async (tx) => {
        expect(await engine.votesOf(tx, { pollKeys: [key], devices: [device] })).toMatchObject([{ option: 'A' }])
      })
    })

    test('are found by poll and device, with the time at which a device was forgotten', async () => {
      const [one, two] = [await newPoll(), await newPoll()]
      const [known, forgotten, absent] = [newDevice(), newDevice(), newDevice()]
      await cast(other, [ballot(one, 'A', known), ballot(one, 'B', forgotten)])
      await cast(engine, [ballot(two, 'B', known), ballot(two, 'A')])
      await engine.db.insertInto('forgotten_devices').values({ device: forgotten, forgotten_at: 7 }).execute()
      const devices = [known, forgotten, absent]
      const found = await engine.db.transaction().execute((tx) => engine.votesOf(tx, { pollKeys: [one, two], devices }))
      const nameOf = (device: Uint8Array) => devices.findIndex((each) => Buffer.compare(each, device) === 0)
      const summary = found.map(({ poll_key, device, option, position, forgotten_at }) =>
        [poll_key === one ? 'one' : 'two', nameOf(device), option, position, forgotten_at].join(' '),
      )
      expect(summary.toSorted()).toEqual(['one 0 A 1 ', 'one 1 B 2 7', 'two 0 B 1 '])
      expect(found.every(({ voted_at }) => Math.abs(voted_at - Date.now()) < 60_000)).toBe(true)
      expect(await engine.votesOf(engine.db, { pollKeys: [], devices })).toEqual([])
      expect(await engine.votesOf(engine.db, { pollKeys: [one], devices: [] })).toEqual([])
    })

    test('can be stored, says a probe, and it changes none of them', async () => {
      const before = await sql<{ n: number }>`select count(*) as n from votes`.execute(engine.db)
      await Promise.all([engine.votes.probe(), retryBusy(other, () => other.votes.probe())])
      expect((await sql<{ n: number }>`select count(*) as n from votes`.execute(engine.db)).rows).toEqual(before.rows)
    })

    test('are cast at the time that `votingTime` tells', async () => {
      const before = Date.now()
      const told = await engine.votingTime(engine.db)
      expect(told).toBeWithin(before - 1_000, Date.now() + 1_000)
    })
  })
})
