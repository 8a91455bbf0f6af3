import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openDatabase } from '../../server/src/db/open.ts'
import { type Owner, OwnerClient } from '../../server/test/child-service.ts'
import { newPlace, serve, TEST_SECRET } from '../../server/test/command.ts'
import { auditStored, noFindings } from '../../server/test/crash/audit.ts'
import { startLoad } from '../../server/test/crash/load.ts'
import { Witness } from '../../server/test/crash/witness.ts'
import { engines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { hasLastRelease, LastRelease } from '../../server/test/last-release.ts'

const ROUNDS = 2
const POLLS = ['first', 'second', 'third']
const UNLIMITED = {
  LOG_LEVEL: 'error',
  DATABASE_POOL: '4',
  VOTES_PER_MINUTE: '1000000',
  NETWORK_VOTES_PER_MINUTE: '0',
  NETWORK_BRAND_VOTES_PER_MINUTE: '0',
}

const canRun = hasLastRelease && engines.includes('postgres')
let last: LastRelease
beforeAll(() => {
  if (canRun) last = new LastRelease()
})
afterAll(() => {
  if (canRun) last.remove()
})

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

test.skipIf(!canRun)(
  'the last release votes on while this one migrates and serves beside it: nothing is lost and no timeline is short (needs PostgreSQL and the history of git)',
  async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      await upgradeBesideVotes()
      for (const work of undo.splice(0).toReversed()) await work()
    }
  },
  300_000,
)

async function upgradeBesideVotes(): Promise<void> {
  const place = await newPlace('postgres')
  undo.push(place.clear)
  const settings = { ...place.settings, ...UNLIMITED }
  const old = await last.serve(settings)
  undo.push(() => old.stop())
  const client = await OwnerClient.connect(old.url, old.demo as Owner)
  for (const slug of POLLS) await client.createPoll(slug)
  const witness = new Witness()
  const before = startLoad({ url: old.url, polls: POLLS, witness })
  undo.push(() => before.stop())
  await before.untilAccepted(1_000)

  const server = await serve(settings)
  undo.push(async () => {
    server.kill('SIGTERM')
    await server.ended
  })
  const beside = startLoad({ url: server.url, polls: POLLS, witness })
  undo.push(() => beside.stop())
  await beside.untilAccepted(witness.accepted + 1_000)
  // The old code goes on with the new schema: it writes what it wrote before.
  await client.createPoll('late')
  await before.stop()
  await beside.stop()

  const opened = await openDatabase({
    database: { engine: 'postgres', url: String(place.settings['DATABASE_URL']) },
    secretKeys: [TEST_SECRET],
  })
  const { db } = opened.engine
  try {
    const findings = () => auditStored(opened, { url: server.url, polls: POLLS, witness })
    await eventually(async () => Bun.deepEquals(await findings(), noFindings())).catch(() => null)
    expect(await findings()).toEqual(noFindings())
    const votes = await sql<{ votes: number }>`select count(*) as votes from votes`.execute(db)
    for (const width of [60_000, 3_600_000]) {
      const counted = await sql<{ votes: number }>`select sum(option_a + option_b)::bigint as votes from vote_counts
        where width = ${width}`.execute(db)
      expect(counted.rows).toEqual(votes.rows)
    }
    const inOrders = async () => {
      const { rows } = await sql<{ votes: number }>`select sum(vote_total)::bigint as votes from polls`.execute(db)
      return rows[0]?.votes
    }
    await eventually(async () => (await inOrders()) === votes.rows[0]?.votes, { withinMs: 30_000 })
  } finally {
    await opened.engine.close()
  }
}
