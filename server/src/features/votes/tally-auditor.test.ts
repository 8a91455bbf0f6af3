import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sql } from 'kysely'
import { newDevice, pollKeyOf } from '../../../test/ballot-box.ts'
import { engines } from '../../../test/engines.ts'
import { deletePoll } from '../../../test/polls.ts'
import { startTestService, type TestBrand, type TestService } from '../../../test/service.ts'
import { untilDone } from '../../../test/until-done.ts'
import { DAY } from '../../base/clock.ts'
import { createLog } from '../../base/log.ts'
import { removeDeletedVotes } from '../campaigns/respondents/remove-deleted-votes.ts'
import { TallyAuditor } from './tally-auditor.ts'

setDefaultTimeout(60_000)

const NOW = 1_800_000_000_000

interface Line {
  readonly level: string
  readonly pollId: string
  readonly tally: unknown
  readonly votes: unknown
  readonly positions: unknown
  readonly msg: string
}

describe.each([...engines])('%s: the auditor', (engine) => {
  let service: TestService
  let brand: TestBrand
  let poll: { id: string; slug: string }
  let key: number
  let lines: Line[]
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    lines = []
    poll = await service.createPoll(brand)
    key = await pollKeyOf(service, poll)
  })

  const open = (bounds: ConstructorParameters<typeof TallyAuditor>[1] = {}) => {
    // A count of repeated lines may come a second later, within the next test.
    const own = lines
    const log = createLog('info', { write: (line) => void own.push(JSON.parse(line)) })
    return new TallyAuditor({ engine: service.deps.engine, log }, bounds)
  }

  async function look(auditor: TallyAuditor): Promise<number> {
    while (await auditor.run(NOW));
    return auditor.drift
  }

  /** Makes the last votes of the poll older. */
  const age = (ms: number) => run(`update tallies set updated_at = updated_at - ${ms} where poll_key = $key`)

  const cast = (votes: number, pollKey = key) =>
    Promise.all(
      Array.from({ length: votes }, (_, i) =>
        service.service.ledger.cast({ pollKey, device: newDevice(), option: i % 3 === 0 ? 'B' : 'A' }),
      ),
    )

  const run = (statement: string) => sql.raw(statement.replaceAll('$key', String(key))).execute(service.db)

  /** Ways to damage a poll with ten votes, four of them for B, each with the statement that repairs it. */
  const spoiled: [string, string, string, object][] = [
    [
      'a tally that is one too high',
      'update tallies set option_a = option_a + 1 where poll_key = $key',
      'update tallies set option_a = option_a - 1 where poll_key = $key',
      { tally: { optionA: 7, optionB: 4, total: 11 }, votes: { optionA: 6, optionB: 4, total: 10 } },
    ],
    [
      'a tally that is one too low',
      'update tallies set option_b = option_b - 1 where poll_key = $key',
      'update tallies set option_b = option_b + 1 where poll_key = $key',
      { tally: { optionA: 6, optionB: 3, total: 9 }, votes: { optionA: 6, optionB: 4, total: 10 } },
    ],
    [
      'a tally with the right total and the wrong halves',
      'update tallies set option_a = 4, option_b = 6 where poll_key = $key',
      'update tallies set option_a = 6, option_b = 4 where poll_key = $key',
      { tally: { optionA: 4, optionB: 6, total: 10 }, votes: { optionA: 6, optionB: 4, total: 10 } },
    ],
    [
      'a tally that is absurd',
      'update tallies set option_a = 1000000000000 where poll_key = $key',
      'update tallies set option_a = 6 where poll_key = $key',
      { votes: { optionA: 6, optionB: 4, total: 10 } },
    ],
    [
      'no tally at all',
      'delete from tallies where poll_key = $key',
      'insert into tallies (poll_key, option_a, option_b, version, updated_at) values ($key, 6, 4, 1, 1)',
      { tally: null, votes: { optionA: 6, optionB: 4, total: 10 } },
    ],
    [
      'a vote turned into the other',
      "update votes set option = 'B' where poll_key = $key and position = 2",
      "update votes set option = 'A' where poll_key = $key and position = 2",
      { tally: { optionA: 6, optionB: 4, total: 10 }, votes: { optionA: 5, optionB: 5, total: 10 } },
    ],
    [
      'a position that was moved to the far end',
      'update votes set position = 900000000000 where poll_key = $key and position = 5',
      'update votes set position = 5 where poll_key = $key and position = 900000000000',
      { positions: { first: 1, last: 900_000_000_000, isGapless: false } },
    ],
    [
      'a position before the first',
      'update votes set position = 0 where poll_key = $key and position = 1',
      'update votes set position = 1 where poll_key = $key and position = 0',
      { positions: { first: 0, last: 10, isGapless: false } },
    ],
    [
      'one vote too many behind the last',
      "insert into votes (poll_key, device, option, voted_at, position) select poll_key, $extra, 'A', 1, 11 from votes where poll_key = $key and position = 1",
      'delete from votes where poll_key = $key and position = 11',
      { tally: { optionA: 6, optionB: 4, total: 10 }, votes: { optionA: 7, optionB: 4, total: 11 } },
    ],
  ]

  const extra = engine === 'sqlite' ? `x'${'00'.repeat(16)}'` : `'\\x${'00'.repeat(16)}'::bytea`

  test.each(spoiled)(
    'finds %s, logs it once as an error, and notices the repair',
    async (_name, spoil, repair, told) => {
      await cast(10)
      const before = open()
      expect(await look(before)).toBe(0)
      await run(spoil.replace('$extra', extra))
      const auditor = open()
      expect(await look(auditor)).toBe(1)
      expect(await look(auditor)).toBe(1)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatchObject({ level: 'error', pollId: poll.id, ...told })
      expect(lines[0]?.msg).toContain('DIFFERS')
      await run(repair)
      expect(await look(auditor)).toBe(0)
      expect(lines.slice(1)).toMatchObject([{ level: 'warn', pollId: poll.id }])
      expect(await look(before)).toBe(0)
    },
  )

  test.each([
    ['the first', 1],
    ['one in the middle', 5],
    ['the last', 10],
  ])('finds a row missing: %s', async (_name, position) => {
    await cast(10)
    await run(`delete from votes where poll_key = $key and position = ${position}`)
    const auditor = open()
    expect(await look(auditor)).toBe(1)
    expect(lines[0]).toMatchObject({ pollId: poll.id, tally: { total: 10 }, votes: { total: 9 } })
    await run('delete from votes where poll_key = $key')
    expect(await look(auditor)).toBe(1)
    await run('update tallies set option_a = 0, option_b = 0 where poll_key = $key')
    expect(await look(auditor)).toBe(0)
  })

  test('finds two votes at one position and none at the next, where all else agrees', async () => {
    const other = await startTestService(engine)
    const otherKey = await pollKeyOf(other, await other.createPoll(await other.createBrand()))
    await Promise.all(
      [1, 2, 3, 4, 5].map(() => other.service.ledger.cast({ pollKey: otherKey, device: newDevice(), option: 'A' })),
    )
    // The database would refuse this damage, so the constraint is dropped first.
    const statements = {
      sqlite: [
        'drop view guests',
        'drop view if exists device_votes',
        'create table loose as select * from votes',
        'drop table votes',
        'alter table loose rename to votes',
      ],
      postgres: ['alter table votes drop constraint votes_pkey'],
    }[engine]
    for (const statement of [...statements, 'update votes set position = 3 where position = 4'])
      await sql.raw(statement).execute(other.db)
    const auditor = new TallyAuditor({ engine: other.deps.engine, log: createLog('silent') })
    expect(await look(auditor)).toBe(1)
    await other.stop()
  })

  test('recounts the polls that were voted on since the last pass, and at first all of them', async () => {
    await cast(50)
    await age(DAY)
    const auditor = open()
    await look(auditor)
    const { rows } = auditor.counts
    expect(rows).toBeGreaterThanOrEqual(50)
    await age(-DAY)
    await look(auditor)
    expect(auditor.counts.rows).toBeGreaterThanOrEqual(rows + 50)
    await age(DAY)
    await run("update votes set option = 'B' where poll_key = $key and position = 2")
    const before = auditor.counts.rows
    expect(await look(auditor)).toBe(0)
    expect(await look(open())).toBe(1)
    await cast(1)
    expect(await look(auditor)).toBe(1)
    expect(auditor.counts.rows).toBeGreaterThanOrEqual(before + 51)
    await run("update votes set option = 'A' where poll_key = $key and position = 2")
    // A poll that differs is looked at again until it does not.
    await age(DAY)
    expect(await look(auditor)).toBe(0)
  })

  test('covers the same time again after a pass that failed', async () => {
    await cast(3)
    const auditor = open()
    await look(auditor)
    await cast(3)
    await run('update tallies set option_a = option_a + 1 where poll_key = $key')
    const { engine: database } = service.deps
    const { db } = database
    Object.assign(database, { db: null })
    await expect(auditor.run(NOW)).rejects.toThrow()
    Object.assign(database, { db })
    expect(await look(auditor)).toBe(1)
    await run('update tallies set option_a = option_a - 1 where poll_key = $key')
    expect(await look(auditor)).toBe(0)
  })

  test('counts large polls and many small ones in parts', async () => {
    const small = await Promise.all(
      Array.from({ length: 5 }, async () => pollKeyOf(service, await service.createPoll(brand))),
    )
    await cast(100)
    for (const pollKey of small) await cast(3, pollKey)
    const auditor = open({ polls: 2, votes: 7 })
    expect(await look(auditor)).toBe(0)
    await run(`update tallies set option_a = option_a + 1 where poll_key in (${small[1]}, ${small[4]})`)
    await run("update votes set option = 'A' where poll_key = $key and position = 100")
    expect(await look(auditor)).toBe(3)
    expect(lines).toHaveLength(3)
    await run(`update tallies set option_a = option_a - 1 where poll_key in (${small[1]}, ${small[4]})`)
    await run("update votes set option = 'B' where poll_key = $key and position = 100")
    expect(await look(auditor)).toBe(0)
  })

  test('reports nothing false while votes are cast, and polls are created and deleted', async () => {
    const auditors = [open(), open({ votes: 7, polls: 3 })]
    let isDone = false
    const auditing = auditors.map(async (auditor) => {
      while (!isDone) {
        await auditor.run(NOW)
      }
    })
    for (let round = 0; round < 12; round++) {
      const doomed = await service.createPoll(brand)
      const doomedKey = await pollKeyOf(service, doomed)
      await Promise.all([cast(150), cast(40, doomedKey)])
      const more = [cast(100), cast(30, doomedKey)]
      await deletePoll(service, brand, doomed.slug)
      await Promise.all([...more, removeDeletedVotes(service.deps.engine)])
    }
    isDone = true
    await Promise.all(auditing)
    for (const auditor of auditors) expect(await look(auditor)).toBe(0)
    expect(lines).toEqual([])
    expect(service.logLines.filter((line) => line.includes('DIFFERS') && line.includes(poll.id))).toEqual([])
  })

  test('stops reporting a differing poll that is deleted', async () => {
    await cast(5)
    await run('update tallies set option_a = 99 where poll_key = $key')
    const auditor = open()
    expect(await look(auditor)).toBe(1)
    await deletePoll(service, brand, poll.slug)
    expect(await look(auditor)).toBe(0)
    await untilDone(() => removeDeletedVotes(service.deps.engine))
    expect(await look(auditor)).toBe(0)
  })
})
