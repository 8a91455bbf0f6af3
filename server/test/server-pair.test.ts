import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Engine } from '../src/db/store.ts'
import { engines } from './engines.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { ServerPair } from './server-pair.ts'
import { startTestService, type TalliesData, type TestService } from './service.ts'

setDefaultTimeout(60_000)

describe.if(engines.includes('postgres'))('postgres: two servers behind one address', () => {
  let database: OwnDatabase
  const members: TestService[] = []
  let pair: ServerPair

  beforeAll(async () => {
    database = await createDatabase()
    pair = await ServerPair.start(async (disturb: (engine: Engine) => Engine) => {
      const member = await startTestService('postgres', { database, disturb })
      members.push(member)
      return member.service
    })
  })
  afterAll(async () => {
    await pair.service.stop()
    for (const member of members) await member.stop()
    await database.drop()
  })

  test('answer in turn, and have caught up with each other when they say so', async () => {
    const [one, two] = members as [TestService, TestService]
    const poll = await one.createPoll(await one.createBrand())
    for (const { service } of [one, two]) await fetch(`${service.url}/api/rest/v1/polls/${poll.slug}`)
    const shown = async () => {
      const answer = await fetch(`${pair.service.url}/api/rest/v1/polls/${poll.slug}`, { keepalive: false })
      return ((await answer.json()) as { data: { tallies: TalliesData } }).data.tallies.total
    }
    for (let votes = 1; votes <= 10; votes++) {
      const answer = await fetch(`${pair.service.url}/api/rest/v1/polls/${poll.slug}/votes`, {
        method: 'POST',
        keepalive: false,
        headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() },
        body: '{"option":"A"}',
      })
      expect(answer.status).toBe(201)
      await pair.caughtUp()
      expect([await shown(), await shown()]).toEqual([votes, votes])
    }
    // Three connections for each vote, so the votes alternate as well.
    expect(members.map(({ service }) => service.ledger.counts.accepted)).toEqual([5, 5])
  })
})
