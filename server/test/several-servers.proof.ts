import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { transaction } from '../src/db/transaction.ts'
import { countedVotes, pollKeyOf } from './ballot-box.ts'
import { CITUS_URL } from './citus-database.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { type PollData, startTestService, type TestService } from './service.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { createWebhook } from './webhooks.ts'

setDefaultTimeout(60_000)

describe.if(engines.includes('postgres'))('several servers on one PostgreSQL', () => {
  let database: OwnDatabase
  let proxy: TcpProxy
  /** The server whose database is behind the proxy. */
  let remote: TestService
  let servers: readonly [TestService, TestService]

  beforeAll(async () => {
    database = await createDatabase()
    proxy = new TcpProxy(database.url)
    await proxy.open()
    remote = await startTestService('postgres', { database: { ...database, url: proxy.url } })
    servers = [await startTestService('postgres', { database }), await startTestService('postgres', { database })]
  })
  afterAll(async () => {
    proxy.silence(false)
    for (const server of [remote, ...servers]) await server.stop()
    await proxy.close()
    await database.drop()
  })

  test('of a thousand votes of one device at once, over three servers, one is counted and the others are told its option', async () => {
    const [one] = servers
    const poll = await one.createPoll(await one.createBrand())
    const device = randomUUID()
    const all = [remote, ...servers]
    const replies = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => (all[i % 3] ?? one).vote(poll.slug, i % 2 ? 'A' : 'B', device)),
    )
    const accepted = replies.filter(({ status }) => status === 201)
    expect(accepted).toHaveLength(1)
    const { option, votedAt } = accepted[0]?.body.data ?? {}
    const refusals = replies.filter(({ status }) => status === 409).map(({ body }) => body.error.details)
    expect(refusals).toEqual(Array.from({ length: 999 }, () => ({ existingVote: { option, votedAt } })))
    expect(await countedVotes(one, await pollKeyOf(one, poll))).toHaveLength(1)
  })

  /** The remote server is silent from this statement on, as if it were frozen or had lost its route. */
  const silentAfter = (statement: string): Promise<void> =>
    new Promise((resolve) => {
      proxy.cutAfter((bytes) => {
        if (bytes.includes(statement)) {
          proxy.silence(true)
          resolve()
        }
        return false
      })
    })

  async function whileSilent(slug: string, statement: string) {
    const [other] = servers
    const isSilent = silentAfter(statement)
    const lost = remote.vote(slug, 'A')
    await isSilent
    const votes = await Promise.all(Array.from({ length: 5 }, () => other.vote(slug, 'B')))
    expect((await lost).status).toBe(503)
    proxy.cutAfter(() => false)
    proxy.silence(false)
    return votes.map(({ status }) => status)
  }

  const isBack = () => eventually(async () => (await remote.get('/readyz')).status === 200)

  // On Citus the database does not cast votes itself.
  test.if(CITUS_URL === null)(
    'one that is silent after it sent a group holds nothing, and its votes are counted',
    async () => {
      const [other] = servers
      const poll = await other.createPoll(await other.createBrand())
      const key = await pollKeyOf(other, poll)
      expect(await whileSilent(poll.slug, 'ledger-cast')).toEqual([201, 201, 201, 201, 201])
      expect(await countedVotes(other, key)).toHaveLength(6)
      await isBack()
      expect((await remote.vote(poll.slug, 'A')).status).toBe(201)
    },
  )

  test('one that is silent within a group that raises events delays the votes of others, and fails none', async () => {
    const [other] = servers
    const brand = await other.createBrand()
    const poll = await other.createPoll(brand)
    await createWebhook(other, brand, { events: ['poll.voted'] })
    const key = await pollKeyOf(other, poll)
    expect((await remote.vote(poll.slug, 'A')).status).toBe(201)
    expect(await whileSilent(poll.slug, 'ledger-votes')).toEqual([201, 201, 201, 201, 201])
    expect(await countedVotes(other, key)).toHaveLength(6)
    await isBack()
    expect((await remote.vote(poll.slug, 'A')).status).toBe(201)
  })

  test('one that is silent while a job holds the poll delays the votes of others, and fails none', async () => {
    const [other] = servers
    const poll = await other.createPoll(await other.createBrand())
    const key = await pollKeyOf(other, poll)
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const lost = transaction(remote.deps.engine, async (tx) => {
      await remote.deps.engine.lockPollsWithVotes(tx, [key])
      proxy.silence(true)
      hold()
      await isOver
      await tx.updateTable('polls').set({ title: 'Lost' }).where('key', '=', key).execute()
    }).catch((error: Error) => error)
    await isHeld
    const votes = await Promise.all(Array.from({ length: 5 }, () => other.vote(poll.slug, 'B')))
    proxy.silence(false)
    end()
    expect(votes.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(await lost).toBeInstanceOf(Error)
    expect((await other.get<PollData>(`polls/${poll.slug}`)).body.data.title).toBe(poll.title)
    await isBack()
  })
})
