import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { migrate } from '../src/db/migrate.ts'
import { unlessUnwritable } from '../src/db/sqlite/device-tables.ts'
import { openSqlite } from '../src/db/sqlite/engine.ts'
import { PendingVotes } from '../src/db/sqlite/pending-votes.ts'
import { Soundness } from '../src/db/sqlite/soundness.ts'
import { VoteDevices } from '../src/db/sqlite/vote-devices.ts'
import { createSqliteVoteStore } from '../src/db/sqlite/vote-store.ts'
import { WriteAheadLog } from '../src/db/sqlite/write-ahead-log.ts'
import type { OptionName } from '../src/db/tables.ts'
import type { Ballot, Raised, VoteStore } from '../src/db/vote-store.ts'
import { decide } from '../src/features/votes/decide.ts'

// A commit waits for the disk where there is no folder in memory.
setDefaultTimeout(60_000)

const POLLS = 3
const KEPT = 10
const SWEEP_EVERY = 4
const SETTLE_AT = 60

let folder: string
let path: string
let running: Program[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
  path = join(folder, 'tossup.sqlite')
  const engine = openSqlite(folder)
  await migrate(engine, 1)
  await engine.close()
  running = []
})
afterEach(async () => {
  for (const program of [...running]) program.end()
  await rm(folder, { recursive: true })
})

/** A connection with its temporary tables, as each process has one. Without an explicit end, it ends as by `kill -9`. */
class Program {
  readonly file: Database
  readonly devices: VoteDevices
  readonly pending: PendingVotes
  readonly #store: VoteStore

  constructor(kept: number, mostPlaces = 2 ** 16) {
    this.file = new Database(path, { strict: true })
    this.file.run('pragma journal_mode = wal')
    this.file.run('pragma foreign_keys = off')
    this.pending = new PendingVotes(this.file)
    // As the engine does when it starts.
    unlessUnwritable(() => this.settle())
    this.devices = new VoteDevices(this.file, this.pending, {
      kept: () => kept,
      sweepEvery: SWEEP_EVERY,
      settleAt: SETTLE_AT,
      mostPlaces,
    })
    const log = new WriteAheadLog(`${path}-wal`, async () => undefined)
    const soundness = new Soundness({ path, size: () => 0, onDamaged: () => undefined })
    this.#store = createSqliteVoteStore({
      file: this.file,
      log,
      devices: this.devices,
      pending: this.pending,
      mostPollsAtOnce: 1,
      soundness,
      alone: async (work) => work(),
    })
    running.push(this)
  }

  /** The outcome of each vote. */
  async vote(pollKey: number, devices: readonly Uint8Array[]): Promise<string[]> {
    const ballots = devices.map((device): Ballot => ({ pollKey, device, option: optionOf(device) }))
    const { decision } = await this.#store.commit(ballots, (facts) => decide(ballots, facts))
    return decision.outcomes.map(({ kind }) => kind)
  }

  /** One group over all polls, in which nobody votes again. The devices of each poll, by its key. */
  async voteOverPolls(devices: ReadonlyMap<number, readonly Uint8Array[]>, isFailing = false): Promise<string[]> {
    const ballots = [...devices].flatMap(([pollKey, voters]) =>
      voters.map((device): Ballot => ({ pollKey, device, option: optionOf(device) })),
    )
    const { decision } = await this.#store.commit(ballots, (facts) => {
      const decided = decide(ballots, facts)
      return isFailing ? { ...decided, raised: UNWRITABLE } : decided
    })
    return decision.outcomes.map(({ kind }) => kind)
  }

  /** Before a reader, as the engine does. */
  settle(): void {
    this.file.transaction(() => this.pending.settle()).immediate()
  }

  async failToVote(pollKey: number, devices: readonly Uint8Array[]): Promise<void> {
    const ballots = devices.map((device): Ballot => ({ pollKey, device, option: optionOf(device) }))
    const failing = this.#store.commit(ballots, (facts) => {
      const decision = decide(ballots, facts)
      return { ...decision, votes: [...decision.votes, ...decision.votes] }
    })
    await expect(failing).rejects.toThrow('UNIQUE')
  }

  /** All that a transaction can do with devices, rolled back. */
  catchUpInVain(pollKey: number): void {
    this.file.run('begin immediate')
    this.devices.begin()
    this.pending.settle()
    this.devices.catchUp(pollKey)
    this.devices.show([pollKey])
    this.devices.follow()
    this.file.run('rollback')
    this.devices.rollback()
  }

  /** As the ledger finds it. */
  find(pollKey: number, device: Uint8Array) {
    return this.devices.find({ pollKey, device }, this.devices.catchUp(pollKey))
  }

  /** The voters that statements see. */
  shown(pollKey: number): string[] {
    this.settle()
    this.devices.follow()
    const shown = this.file.query<{ device: Uint8Array }, [number]>(
      'select device from device_votes where poll_key = ?',
    )
    return shown.all(pollKey).map(({ device }) => nameOf(device))
  }

  count(table: string): number {
    return this.file.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? -1
  }

  end(): void {
    this.file.close()
    running.splice(running.indexOf(this), 1)
  }
}

/** An event without an id. */
const UNWRITABLE: Raised = {
  events: [{ id: null as unknown as string, brand_key: 1, type: 'x', payload: '', created_at: 1 }],
  tallyPolls: [],
  stepVotes: [],
  stepEvents: () => [],
}

function makePolls({ file }: Program): void {
  for (let key = 1; key <= POLLS; key++) {
    file.run(
      `insert into polls (key, id, short_id, slug, brand_key, title, title_folded, label_a, label_b, is_draft,
         is_private, results_visibility, created_at, updated_at)
       values (?1, 'id' || ?1, 'short' || ?1, 'slug' || ?1, 1, 'Tea?', 'tea?', 'Yes', 'No', 0, 0, 'always', 1, 1)`,
      [key],
    )
    file.run('insert into tallies (poll_key, updated_at) values (?, 1)', [key])
  }
}

/** Every second one shares the first bytes, of which prints are made, with others. */
const newDevices = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, at) => {
    const device = new Uint8Array(randomBytes(16))
    return at % 2 === 0 ? device : device.fill(at % 3, 0, 4)
  })
/** The vote that a device casts on every poll. */
const optionOf = (device: Uint8Array): OptionName => ((device[15] ?? 0) % 2 === 0 ? 'A' : 'B')
const nameOf = (device: Uint8Array): string => Buffer.from(device).toString('hex')

/** Invariants of a program that has taken part in the last vote on each poll. */
function check(program: Program, voted: ReadonlyMap<number, readonly Uint8Array[]>, isTallySound = true): void {
  for (const [pollKey, voters] of voted) {
    for (const voter of voters) expect(program.find(pollKey, voter)?.option).toBe(optionOf(voter))
    for (const stranger of newDevices(3)) expect(program.find(pollKey, stranger)).toBeNull()
    expect(program.shown(pollKey).toSorted()).toEqual(voters.map(nameOf).toSorted())
  }
  const { file } = program
  for (const [pollKey, voters] of voted) {
    const counted = `select option_a + option_b as votes, (select max(position) from votes where poll_key = ?1) as last,
      (select count(*) from votes where poll_key = ?1 and option = 'A') = option_a as is_right,
      (select sum(option_a + option_b) from vote_counts where poll_key = ?1 and width = 60000) as by_minute,
      (select sum(option_a + option_b) from vote_counts where poll_key = ?1 and width = 3600000) as by_hour
      from tallies where poll_key = ?1`
    const all = voters.length
    if (!isTallySound || all === 0) continue
    expect(file.query(counted).get(pollKey)).toEqual({
      votes: all,
      last: all,
      is_right: 1,
      by_minute: all,
      by_hour: all,
    })
  }
  // All votes that a start would not load are written, each with its position, and no others.
  const missing = file.query(
    `select votes.poll_key, votes.position from votes
     join vote_devices_to on vote_devices_to.poll_key = votes.poll_key and votes.position <= vote_devices_to.position
     left join vote_devices on vote_devices.poll_key = votes.poll_key and vote_devices.device = votes.device
     where vote_devices.position is not votes.position`,
  )
  expect(missing.all()).toEqual([])
  const stray = `select 1 from vote_devices where not exists (select 1 from votes where votes.poll_key = vote_devices.poll_key
    and votes.position = vote_devices.position and votes.device = vote_devices.device)`
  expect(file.query(stray).all()).toEqual([])
}

test('devices of votes are written to the index later, in their order', async () => {
  const program = new Program(KEPT)
  makePolls(program)
  const voters = newDevices(100)
  for (let at = 0; at < 100; at += 4) {
    await program.vote(1, voters.slice(at, at + 4))
    // At the end of a round, fewer entries are written than were added.
    expect(program.count('new_devices')).toBeLessThanOrEqual(KEPT + 4)
    expect(program.count('new_devices') + program.count('vote_devices')).toBe(at + 4)
    check(program, new Map([[1, voters.slice(0, at + 4)]]))
  }
  expect(program.file.query('select position > 50 as is_far from vote_devices_to').get()).toEqual({ is_far: 1 })
})

test('a process that starts loads the devices that were not written, and no others', async () => {
  const first = new Program(KEPT)
  makePolls(first)
  const voters = newDevices(100)
  for (let at = 0; at < 100; at += 4) await first.vote(1, voters.slice(at, at + 4))
  first.end()
  const second = new Program(KEPT)
  check(second, new Map([[1, voters]]))
  expect(second.count('new_devices')).toBeLessThanOrEqual(4 * (KEPT + 4))
  expect(await second.vote(1, voters)).toEqual(voters.map(() => 'already'))
  // Loaded entries that were already written are dropped with the first votes.
  const more = newDevices(20)
  for (const voter of more) await second.vote(1, [voter])
  expect(second.count('new_devices')).toBeLessThanOrEqual(KEPT + SWEEP_EVERY)
  check(second, new Map([[1, [...voters, ...more]]]))
})

test('what accumulates over many short runs is written at a start', async () => {
  makePolls(new Program(KEPT))
  const voters = newDevices(300)
  let most = 0
  for (let at = 0; at < 300; at += 3) {
    for (const program of [...running]) program.end()
    const program = new Program(KEPT)
    most = Math.max(most, program.count('new_devices'))
    for (const poll of [1, 2, 3]) await program.vote(poll, voters.slice(at + poll - 1, at + poll))
  }
  expect(most).toBeLessThanOrEqual(4 * KEPT)
  const last = new Program(KEPT)
  const own = (poll: number) => voters.filter((_, i) => i % 3 === poll - 1)
  check(last, new Map([1, 2, 3].map((poll) => [poll, own(poll)])))
})

test('a process that starts while another one writes leaves the writing to the next start', async () => {
  const first = new Program(1_000)
  makePolls(first)
  const voters = newDevices(100)
  await first.vote(1, voters)
  first.file.run('begin immediate')
  const second = new Program(KEPT)
  expect(second.count('new_devices')).toBe(100)
  first.file.run('rollback')
  check(second, new Map([[1, voters]]))
  const third = new Program(KEPT)
  expect([third.count('new_devices'), third.count('vote_devices')]).toEqual([0, 100])
  for (const program of [first, second, third]) check(program, new Map([[1, voters]]))
})

test('a wrong tally lets nobody vote twice', async () => {
  const first = new Program(KEPT)
  makePolls(first)
  const voters = newDevices(40)
  await first.vote(1, voters)
  first.file.run('update tallies set option_a = 100 where poll_key = 1')
  first.end()
  const second = new Program(KEPT)
  for (const voter of newDevices(60)) await second.vote(2, [voter])
  second.file.run('update tallies set option_a = 40 where poll_key = 1')
  const late = newDevices(2)
  await second.vote(1, late)
  second.end()
  const third = new Program(KEPT)
  expect(await third.vote(1, [...voters, ...late])).toEqual(Array.from({ length: 42 }, () => 'already'))
})

test('the sweep goes on while every vote is read at once', async () => {
  const program = new Program(KEPT)
  makePolls(program)
  const voters = newDevices(100)
  for (const [at, voter] of voters.entries()) {
    await program.vote(1, [voter])
    expect(program.shown(1)).toHaveLength(at + 1)
    // Those that the sweep has not seen, and those that the end of its round leaves.
    expect(program.count('new_devices')).toBeLessThanOrEqual(KEPT + 2 * SWEEP_EVERY)
  }
  check(program, new Map([[1, voters]]))
})

test('the sweep goes on while readers settle the votes of each group on many polls', async () => {
  const program = new Program(KEPT, 2 ** 7)
  makePolls(program)
  const voted = new Map([1, 2, 3].map((key): [number, Uint8Array[]] => [key, []]))
  for (let group = 0; group < 60; group++) {
    const [device] = newDevices(1) as [Uint8Array]
    await program.voteOverPolls(new Map([...voted.keys()].map((key) => [key, [device]])))
    for (const voters of voted.values()) voters.push(device)
    program.shown(1)
    expect(program.count('new_devices')).toBeLessThanOrEqual(KEPT + 3 * (SWEEP_EVERY + POLLS))
  }
  check(program, voted)
})

test('a vote below the last one, after a tally was repaired, is never forgotten', async () => {
  let program = new Program(KEPT)
  makePolls(program)
  const voters = newDevices(20)
  await program.vote(1, voters)
  program.file.run('update tallies set option_a = 500 where poll_key = 1')
  voters.push(...newDevices(3))
  await program.vote(1, voters.slice(-3))
  program.file.run('update tallies set option_a = 23 where poll_key = 1')
  // Each at another moment of a sweep's round, which other polls move on, and before a start.
  for (let round = 0; round < 60; round++) {
    const late = newDevices(1 + (round % 3))
    expect(await program.vote(1, late)).toEqual(late.map(() => 'accepted'))
    voters.push(...late)
    if (round % 4 !== 0) await program.vote(1 + (round % 3), round % 3 === 0 ? late : newDevices(5))
    check(program, new Map([[1, voters]]), false)
    if (round % 7 === 0) {
      program.end()
      program = new Program(KEPT)
      check(program, new Map([[1, voters]]), false)
    }
    expect(await program.vote(1, voters)).toEqual(voters.map(() => 'already'))
  }
  expect(program.count('vote_devices')).toBeGreaterThan(100)
})

test.each([-50, 2 ** 32 - 3, 2 ** 32, 900_000_000_000])('a tally of %i lets nobody vote twice', async (tally) => {
  const program = new Program(KEPT)
  makePolls(program)
  const voters = newDevices(2)
  await program.vote(1, voters)
  program.file.run('update tallies set option_a = ? where poll_key = 1', [tally])
  for (let round = 0; round < 6; round++) {
    const late = newDevices(2)
    voters.push(...late)
    await program.vote(1, late)
    const other = new Program(KEPT)
    for (const each of [program, other]) {
      expect(await each.vote(1, voters)).toEqual(voters.map(() => 'already'))
      expect(each.shown(1).toSorted()).toEqual(voters.map(nameOf).toSorted())
    }
    other.end()
  }
})

test('a filter that is full is emptied, and its voters are still refused', async () => {
  const program = new Program(KEPT, 2 ** 5)
  makePolls(program)
  const voters = newDevices(200)
  for (let at = 0; at < 200; at += 3) {
    const late = voters.slice(at, at + 3)
    expect(await program.vote(1, late)).toEqual(late.map(() => 'accepted'))
    const all = voters.slice(0, at + 3)
    expect(await program.vote(1, all)).toEqual(all.map(() => 'already'))
  }
  check(program, new Map([[1, voters]]))
})

test('a group that finds the file locked after the filter was emptied lets nobody vote twice', async () => {
  const [program, other] = [new Program(5, 2 ** 6), new Program(5)]
  makePolls(program)
  const voters = newDevices(48)
  // The last of these groups fills the filter to seven tenths.
  for (let at = 0; at < 48; at += 4) await program.vote(1, voters.slice(at, at + 4))
  other.file.run('begin immediate')
  await expect(program.vote(1, newDevices(1))).rejects.toThrow('locked')
  other.file.run('rollback')
  expect(await program.vote(1, voters)).toEqual(voters.map(() => 'already'))
})

test('two processes that take turns refuse the voters of each other', async () => {
  const [one, other] = [new Program(KEPT), new Program(3)]
  makePolls(one)
  const voters = newDevices(60)
  for (let at = 0; at < 60; at += 2) {
    const [program, elsewhere] = at % 4 === 0 ? [one, other] : [other, one]
    expect(await program.vote(1, voters.slice(at, at + 2))).toEqual(['accepted', 'accepted'])
    expect(await elsewhere.vote(1, voters.slice(0, at + 2))).toEqual(voters.slice(0, at + 2).map(() => 'already'))
  }
  expect(one.count('votes')).toBe(60)
})

test('deleted votes are deleted with their devices', async () => {
  const program = new Program(KEPT)
  makePolls(program)
  const voters = newDevices(30)
  await program.vote(1, voters)
  await program.vote(2, voters)
  program.file.run('delete from votes where poll_key = 1')
  program.file.run('delete from tallies where poll_key = 1')
  check(program, new Map([[2, voters]]))
  for (const table of ['new_devices', 'vote_devices', 'shown_polls', 'vote_devices_to']) {
    expect(program.file.query(`select 1 from ${table} where poll_key = 1`).all()).toEqual([])
  }
})

/** Two programs on one database, and the devices that have voted so far. */
class Run {
  readonly #programs: Program[]
  readonly #voted = new Map<number, Uint8Array[]>()

  constructor() {
    const first = new Program(KEPT)
    for (const table of ['votes', 'tallies', 'vote_counts', 'polls']) first.file.run(`delete from ${table}`)
    makePolls(first)
    this.#programs = [first, this.#another()]
  }

  async take({ kind, poll, count, by }: Step): Promise<void> {
    const at = by % this.#programs.length
    const program = this.#programs[at] as Program
    const pollKey = 1 + (poll % POLLS)
    const devices = newDevices(1 + (count % 20))
    if (kind === 'vote') {
      expect(await program.vote(pollKey, devices)).toEqual(devices.map(() => 'accepted'))
      this.#voted.set(pollKey, [...this.#votersOf(pollKey), ...devices])
    }
    if (kind === 'repeat') await this.#repeat(program, pollKey)
    if (kind === 'vote over polls') await this.#voteOverPolls(program, devices)
    if (kind === 'fail over polls') {
      await expect(program.voteOverPolls(new Map([1, 2].map((key) => [key, devices])), true)).rejects.toThrow(
        'NOT NULL',
      )
    }
    if (kind === 'fail') await program.failToVote(pollKey, devices)
    if (kind === 'find it locked') await this.#findLocked(program, pollKey, devices)
    if (kind === 'catch up in vain') program.catchUpInVain(pollKey)
    if (kind === 'read') this.#read(program, pollKey)
    if (kind === 'restart') {
      program.end()
      this.#programs[at] = at === 0 ? new Program(KEPT) : this.#another()
    }
  }

  async end(): Promise<void> {
    for (const program of this.#programs) {
      for (const pollKey of this.#voted.keys()) await this.#repeat(program, pollKey)
      check(program, this.#voted)
    }
    for (const program of this.#programs) program.end()
  }

  async #voteOverPolls(program: Program, devices: readonly Uint8Array[]): Promise<void> {
    const byPoll = new Map([1, 2, 3].map((key) => [key, devices.slice(key - 1)]))
    const kinds = await program.voteOverPolls(byPoll)
    expect(kinds).toEqual(kinds.map(() => 'accepted'))
    for (const [key, voters] of byPoll) this.#voted.set(key, [...this.#votersOf(key), ...voters])
    const again = await program.voteOverPolls(byPoll)
    expect(again).toEqual(again.map(() => 'already'))
  }

  async #findLocked(program: Program, pollKey: number, devices: readonly Uint8Array[]): Promise<void> {
    const { file } = this.#programs.find((each) => each !== program) as Program
    file.run('begin immediate')
    await expect(program.vote(pollKey, devices)).rejects.toThrow('locked')
    file.run('rollback')
  }

  async #repeat(program: Program, pollKey: number): Promise<void> {
    const voters = this.#votersOf(pollKey)
    expect(await program.vote(pollKey, voters)).toEqual(voters.map(() => 'already'))
  }

  /** One with a filter that is soon full. */
  #another = (): Program => new Program(5, 2 ** 6)

  /** A reader sees at least the votes of its own process, and never a vote that is not stored. */
  #read(program: Program, pollKey: number): void {
    const all = this.#votersOf(pollKey).map(nameOf)
    expect(all).toEqual(expect.arrayContaining(program.shown(pollKey)))
    program.devices.show([pollKey])
    expect(program.shown(pollKey).toSorted()).toEqual(all.toSorted())
  }

  #votersOf = (pollKey: number): readonly Uint8Array[] => this.#voted.get(pollKey) ?? []
}

type Kind =
  | 'vote'
  | 'vote over polls'
  | 'repeat'
  | 'fail'
  | 'fail over polls'
  | 'find it locked'
  | 'catch up in vain'
  | 'read'
  | 'restart'

const some = fc.integer({ min: 0, max: 1_000 })
const step = (kind: Kind, weight: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), poll: some, count: some, by: some }),
})
const steps = fc.array(
  fc.oneof(
    step('vote', 12),
    step('vote over polls', 8),
    step('repeat', 3),
    step('fail', 2),
    step('fail over polls', 2),
    step('find it locked', 2),
    step('catch up in vain', 2),
    step('read', 2),
    step('restart', 2),
  ),
  { minLength: 20, maxLength: 60 },
)
type Step = (typeof steps extends fc.Arbitrary<infer All> ? All : never) extends (infer One)[] ? One : never

test('nobody votes twice when any step of any process is interrupted', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const run = new Run()
      for (const each of taken) await run.take(each)
      await run.end()
    }),
    { numRuns: 60 },
  )
})
