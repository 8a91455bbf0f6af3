import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { countedVotes, newDevice, pollKeyOf } from '../../../test/ballot-box.ts'
import { engines } from '../../../test/engines.ts'
import { eventually } from '../../../test/eventually.ts'
import { startTestService, type TestBrand, type TestService } from '../../../test/service.ts'
import type { Ballot, VoteStore } from '../../db/vote-store.ts'
import type { Outcome } from './decide.ts'
import { Ledger } from './ledger.ts'

describe.each([...engines])('%s: the ledger', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const newPoll = async () => pollKeyOf(service, await service.createPoll(brand))
  const ballot = (pollKey: number, option: 'A' | 'B' = 'A', device = newDevice()): Ballot => ({
    pollKey,
    device,
    option,
  })

  interface Bounds {
    readonly largestGroup?: number
    readonly longestQueue?: number
    readonly longestWaitMs?: number
  }

  /** A database that is so far away that votes wait for each other. */
  interface Distance {
    readonly pauseMs?: number
  }

  type Listeners = Partial<Pick<ConstructorParameters<typeof Ledger>[0], 'onCommitted' | 'onUncertain'>>

  const atOnce = async (): Promise<void> => undefined

  /** Commits normally. Records the size of each group, waits for `gate` before it and for `disk` after it is written. */
  function open({ pauseMs = 0, ...others }: Bounds & Distance & Listeners = {}, gate = atOnce, disk = atOnce) {
    const groups: number[] = []
    const told: string[] = []
    const { engine: database, log } = service.deps
    const votes: VoteStore = {
      ...database.votes,
      pauseMs: () => pauseMs,
      async commit(ballots, decide, options) {
        groups.push(ballots.length)
        await gate()
        const { decision, durable } = await database.votes.commit(ballots, decide, options)
        return { decision, durable: durable.then(disk) }
      },
    }
    const ledger = new Ledger({
      engine: { ...database, votes },
      log,
      onCommitted: ({ counted }) => told.push(`${counted.size} counted`),
      onUncertain: (keys) => told.push(`${keys.size} uncertain`),
      ...others,
    })
    return { ledger, groups, told }
  }

  test('votes that arrive together are committed together, and votes during a commit in the next group', async () => {
    const pollKey = await newPoll()
    const { ledger, groups } = open()
    const first = Array.from({ length: 7 }, () => ledger.cast(ballot(pollKey)))
    await Promise.race(first)
    expect(groups).toEqual([7])
    await ledger.cast(ballot(pollKey))
    expect(groups).toEqual([7, 1])
    expect(await countedVotes(service, pollKey)).toHaveLength(8)
  })

  test('votes that follow the answers to a group share the next one with those that waited for it', async () => {
    const pollKey = await newPoll()
    const gate = Promise.withResolvers<void>()
    // A pause during which a slow machine comes to the lines below.
    const { ledger, groups } = open({ pauseMs: 1_000 }, () => gate.promise)
    const some = () => Array.from({ length: 10 }, () => ledger.cast(ballot(pollKey)))
    const first = some()
    await eventually(() => groups.length > 0)
    const second = some()
    gate.resolve()
    await Promise.all(first)
    // Real time: later than the turns of the loop in which a group collects its votes.
    await Bun.sleep(10)
    await Promise.all([...second, ...some()])
    expect(groups).toEqual([10, 20])
  })

  test('a lone vote waits for no others', async () => {
    const pollKey = await newPoll()
    const { ledger } = open({ pauseMs: 60_000 })
    for (let vote = 0; vote < 3; vote++) expect((await ledger.cast(ballot(pollKey))).kind).toBe('accepted')
  })

  test('a group has a largest size, and the order of arrival is kept', async () => {
    const pollKey = await newPoll()
    const { ledger, groups } = open({ largestGroup: 4 })
    const options = [...'AABABBBABA'] as ('A' | 'B')[]
    await Promise.all(options.map((option) => ledger.cast(ballot(pollKey, option))))
    expect(groups).toEqual([4, 4, 2])
    expect((await countedVotes(service, pollKey)).map(({ option }) => option)).toEqual(options)
  })

  test('after a stall, votes that have waited too long are refused and never stored; younger ones are', async () => {
    const pollKey = await newPoll()
    const stall = Promise.withResolvers<void>()
    const { ledger, groups } = open({ longestWaitMs: 2_000 }, () => stall.promise)
    const begun = ledger.cast(ballot(pollKey))
    await eventually(() => groups.length > 0)
    const late = Array.from({ length: 3 }, () => ledger.cast(ballot(pollKey)).catch((error) => error.code))
    // Real time: the longest wait in the queue is the subject.
    await Bun.sleep(2_020)
    const young = ledger.cast(ballot(pollKey))
    stall.resolve()
    expect(await Promise.all(late)).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE'])
    expect([(await begun).kind, (await young).kind]).toEqual(['accepted', 'accepted'])
    await ledger.drain()
    expect([groups, ledger.queueLength, ledger.counts.unavailable]).toEqual([[1, 1], 0, 3])
    expect(await countedVotes(service, pollKey)).toHaveLength(2)
  })

  test('votes press while many arrive together, and for a moment after that', async () => {
    const pollKey = await newPoll()
    const pressed: boolean[] = []
    // Seen when a group begins: its commit may take longer than the pressure lasts.
    const { ledger } = open({}, async () => void pressed.push(ledger.isPressed))
    await Promise.all(Array.from({ length: 15 }, () => ledger.cast(ballot(pollKey))))
    await Promise.all(Array.from({ length: 16 }, () => ledger.cast(ballot(pollKey))))
    expect(pressed).toEqual([false, true])
    for (let i = 0; i < 20; i++) {
      // Real time: votes one by one, for longer than the pressure lasts.
      await Bun.sleep(10)
      await ledger.cast(ballot(pollKey))
    }
    expect(ledger.isPressed).toBe(false)
  })

  test('each caller gets its own outcome, over several polls and outcomes', async () => {
    const [one, two] = [await newPoll(), await newPoll()]
    const closed = await pollKeyOf(service, await service.createPoll(brand, { closesAt: '2020-01-01T00:00:00Z' }))
    const draft = await pollKeyOf(service, await service.createPoll(brand, { isDraft: true }))
    const device = newDevice()
    const { ledger, groups } = open()
    const outcomes = await Promise.all(
      [
        ballot(one, 'B', device),
        ballot(two, 'A', device),
        ballot(one, 'A', device),
        ballot(closed),
        ballot(draft),
        ballot(10 ** 9),
        ballot(two, 'B'),
      ].map((each) => ledger.cast(each)),
    )
    expect(groups).toEqual([7])
    expect(outcomes).toMatchObject([
      { kind: 'accepted', vote: { option: 'B' } },
      { kind: 'accepted', vote: { option: 'A' } },
      { kind: 'already', existing: { option: 'B' } },
      { kind: 'closed', existing: null },
      { kind: 'missing' },
      { kind: 'missing' },
      { kind: 'accepted', vote: { option: 'B' } },
    ])
    expect(await countedVotes(service, one)).toMatchObject([{ option: 'B' }])
    expect(await countedVotes(service, two)).toMatchObject([{ option: 'A' }, { option: 'B' }])
  })

  test('no caller is answered before the commit, and drain waits for all', async () => {
    const pollKey = await newPoll()
    const gate = Promise.withResolvers<void>()
    const { ledger, groups } = open({ largestGroup: 2 }, () => gate.promise)
    let answered = 0
    const casts = Array.from({ length: 5 }, () => ledger.cast(ballot(pollKey)).then(() => answered++))
    await eventually(() => groups.length > 0)
    const drained = ledger.drain().then(() => answered)
    expect(answered).toBe(0)
    expect(await countedVotes(service, pollKey)).toEqual([])
    gate.resolve()
    expect(await drained).toBe(5)
    await Promise.all(casts)
    expect(await countedVotes(service, pollKey)).toHaveLength(5)
    await ledger.drain()
  })

  /** A disk whose syncs end when the test says so. */
  function heldDisk() {
    const syncs: PromiseWithResolvers<void>[] = []
    const disk = () => {
      const sync = Promise.withResolvers<void>()
      syncs.push(sync)
      return sync.promise
    }
    return { syncs, disk }
  }

  test('no caller is answered before the disk has synced, and a large group is written meanwhile', async () => {
    const pollKey = await newPoll()
    const { syncs, disk } = heldDisk()
    const { ledger, groups, told } = open({}, atOnce, disk)
    const answers: string[] = []
    const first = ledger.cast(ballot(pollKey)).then(() => answers.push('first'))
    await eventually(() => syncs.length >= 1)
    const second = Promise.all(Array.from({ length: 16 }, () => ledger.cast(ballot(pollKey)))).then(() =>
      answers.push('second'),
    )
    await eventually(() => syncs.length >= 2)
    expect([groups, answers, told]).toEqual([[1, 16], [], []])
    let isDrained = false
    const drained = ledger.drain().then(() => {
      isDrained = true
    })
    syncs[0]?.resolve()
    await first
    // Real time: long enough to show that no answer comes.
    await Bun.sleep(5)
    expect([answers, isDrained, told]).toEqual([['first'], false, ['1 counted']])
    syncs[1]?.resolve()
    await Promise.all([second, drained])
    expect(await countedVotes(service, pollKey)).toHaveLength(17)
  })

  test('the few votes that come while the disk syncs are one group, which is written after that sync', async () => {
    const pollKey = await newPoll()
    const { syncs, disk } = heldDisk()
    const { ledger, groups } = open({}, atOnce, disk)
    const first = ledger.cast(ballot(pollKey))
    await eventually(() => syncs.length >= 1)
    const others: Promise<Outcome>[] = []
    for (let vote = 0; vote < 3; vote++) {
      others.push(ledger.cast(ballot(pollKey)))
      // Real time: long enough for a group to be written, if one was.
      await Bun.sleep(5)
    }
    expect(groups).toEqual([1])
    syncs[0]?.resolve()
    expect(await first).toMatchObject({ kind: 'accepted' })
    await eventually(() => syncs.length >= 2)
    expect(groups).toEqual([1, 3])
    syncs[1]?.resolve()
    expect(await Promise.all(others)).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }, { kind: 'accepted' }])
  })

  test('the few votes that come while the disk syncs are written also when that sync fails', async () => {
    const pollKey = await newPoll()
    const { syncs, disk } = heldDisk()
    const { ledger, groups } = open({}, atOnce, disk)
    const first = ledger.cast(ballot(pollKey)).catch(() => 'refused')
    await eventually(() => syncs.length >= 1)
    const second = ledger.cast(ballot(pollKey))
    syncs[0]?.reject(Object.assign(new Error('no route to the disk'), { code: 'SQLITE_IOERR' }))
    await eventually(() => syncs.length >= 2)
    for (const sync of syncs) sync.resolve()
    expect(await second).toMatchObject({ kind: 'accepted' })
    expect(groups.at(-1)).toBe(1)
    await first
  })

  test('a listener that fails keeps no vote from its answer, and the next votes from no group', async () => {
    const pollKey = await newPoll()
    const { syncs, disk } = heldDisk()
    const fault = () => {
      throw new Error('no ear')
    }
    const { ledger, groups } = open({ onCommitted: fault, onUncertain: fault }, atOnce, disk)
    const first = ledger.cast(ballot(pollKey))
    await eventually(() => syncs.length >= 1)
    const second = ledger.cast(ballot(pollKey))
    syncs[0]?.resolve()
    expect(await first).toMatchObject({ kind: 'accepted' })
    await eventually(() => syncs.length >= 2)
    expect(groups).toEqual([1, 1])
    // The outcome of this one is unknown.
    syncs[1]?.reject(Object.assign(new Error('no route to the disk'), { code: 'SQLITE_IOERR' }))
    await expect(second).rejects.toThrow('no route')
    await ledger.drain()
  })

  test('votes that the disk may have lost are not acknowledged, and the caches of their polls are dropped', async () => {
    const pollKey = await newPoll()
    const refusal = Object.assign(new Error('no route to the disk'), {
      code: engine === 'sqlite' ? 'SQLITE_IOERR' : '57P01',
    })
    const { ledger, told } = open({}, atOnce, () => Promise.reject(refusal))
    const casts = await Promise.allSettled([ledger.cast(ballot(pollKey)), ledger.cast(ballot(pollKey))])
    expect(casts).toEqual([
      { status: 'rejected', reason: refusal },
      { status: 'rejected', reason: refusal },
    ])
    expect(told).toEqual(['1 uncertain'])
    await ledger.drain()
  })

  test('votes that wait for the disk count as waiting', async () => {
    const pollKey = await newPoll()
    const disk = Promise.withResolvers<void>()
    let writtenGroups = 0
    const { ledger, groups } = open({ longestQueue: 2 }, atOnce, () => {
      writtenGroups++
      return disk.promise
    })
    const held = [ledger.cast(ballot(pollKey)), ledger.cast(ballot(pollKey))]
    await eventually(() => writtenGroups === 1)
    expect([groups, ledger.queueLength]).toEqual([[2], 2])
    await expect(ledger.cast(ballot(pollKey))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    disk.resolve()
    await Promise.all(held)
    await ledger.cast(ballot(pollKey))
  })

  test('a vote beyond the longest queue is refused with Retry-After, until the queue is shorter', async () => {
    const pollKey = await newPoll()
    const gate = Promise.withResolvers<void>()
    const { ledger, groups } = open({ largestGroup: 2, longestQueue: 3 }, () => gate.promise)
    const held = [ledger.cast(ballot(pollKey)), ledger.cast(ballot(pollKey))]
    await eventually(() => groups.length > 0)
    held.push(...Array.from({ length: 3 }, () => ledger.cast(ballot(pollKey))))
    const refusal = { code: 'UNAVAILABLE', status: 503, headers: { 'Retry-After': '1' } }
    for (let i = 0; i < 3; i++) await expect(ledger.cast(ballot(pollKey))).rejects.toMatchObject(refusal)
    gate.resolve()
    expect((await Promise.all(held)).map(({ kind }) => kind)).toEqual(held.map(() => 'accepted'))
    expect(await ledger.cast(ballot(pollKey))).toMatchObject({ kind: 'accepted' })
    expect(await countedVotes(service, pollKey)).toHaveLength(6)
  })

  /** Makes the database refuse this device on this poll, as it would refuse a damaged row. */
  async function refuseInDatabase(pollKey: number, device: Uint8Array): Promise<void> {
    const hex = Buffer.from(device).toString('hex')
    if (engine === 'sqlite') {
      const isBad = `new.poll_key = ${pollKey} and new.device = x'${hex}'`
      const body = `begin select raise(abort, 'a ballot that cannot be stored'); end`
      await sql
        .raw(`create trigger bad_${pollKey} before insert on fresh_votes when ${isBad} ${body}`)
        .execute(service.db)
      return
    }
    // Citus has no triggers on distributed tables.
    const isBad = `poll_key = ${pollKey} and device = '\\x${hex}'`
    await sql
      .raw(`alter table votes add constraint "a ballot that cannot be stored" check (not (${isBad}))`)
      .execute(service.db)
  }

  test('one invalid vote of a group fails alone', async () => {
    const [one, two] = [await newPoll(), await newPoll()]
    const bad = newDevice()
    await refuseInDatabase(one, bad)
    const ballots = [ballot(one), ballot(two, 'B', bad), ballot(one, 'B', bad), ballot(one, 'B'), ballot(two)]
    const outcomes = await Promise.allSettled(ballots.map((each) => service.service.ledger.cast(each)))
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(String((outcomes[2] as PromiseRejectedResult).reason)).toContain('a ballot that cannot be stored')
    expect(await countedVotes(service, one)).toMatchObject([{ option: 'A' }, { option: 'B' }])
    expect(await countedVotes(service, two)).toHaveLength(2)
    expect(service.logLines.filter((line) => line.includes('its parts are tried alone'))).toHaveLength(1)
    expect(await service.service.ledger.cast(ballot(one))).toMatchObject({ kind: 'accepted' })
  })
})
