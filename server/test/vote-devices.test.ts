import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { migrate } from '../src/db/migrate.ts'
import { PACE } from '../src/db/sqlite/device-runs.ts'
import { openSqlite } from '../src/db/sqlite/engine.ts'
import { PendingVotes } from '../src/db/sqlite/pending-votes.ts'
import { Soundness } from '../src/db/sqlite/soundness.ts'
import { tryToWrite } from '../src/db/sqlite/unwritable.ts'
import { VoteDevices } from '../src/db/sqlite/vote-devices.ts'
import { createSqliteVoteStore } from '../src/db/sqlite/vote-store.ts'
import { WriteAheadLog } from '../src/db/sqlite/write-ahead-log.ts'
import type { OptionName } from '../src/db/tables.ts'
import { type Ballot, printOf, type Raised, type VoteStore } from '../src/db/vote-store.ts'
import { decide } from '../src/features/votes/decide.ts'

// A commit waits for the disk where there is no folder in memory.
setDefaultTimeout(60_000)

const POLLS = 3
/** Votes of the smallest runs. */
const RUN_OF = 10
const SETTLE_AT = 60

type Sizes = NonNullable<ConstructorParameters<typeof VoteDevices>[2]>

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

/** A connection with its memory, as each process has one. Without an explicit end, it ends as by `kill -9`. */
class Program {
  readonly file: Database
  readonly devices: VoteDevices
  readonly pending: PendingVotes
  readonly #store: VoteStore

  constructor(runOf = RUN_OF, sizes: Sizes = {}) {
    this.file = new Database(path, { strict: true })
    this.file.run('pragma journal_mode = wal')
    this.file.run('pragma foreign_keys = off')
    this.pending = new PendingVotes(this.file, { settleAt: SETTLE_AT, settleForMs: 0 })
    // As the engine does when it starts.
    tryToWrite(() => this.settle())
    this.devices = new VoteDevices(this.file, this.pending, {
      runOf,
      // As little at once as possible.
      entriesForVote: 0,
      entriesAtOnce: 0,
      entriesOfPart: 4,
      indexedAtOnce: 2 * runOf,
      ...sizes,
    })
    tryToWrite(() => this.devices.indexOlder())
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
  catchUpInVain(pollKey: number, devices: readonly Uint8Array[]): void {
    this.file.run('begin immediate')
    this.devices.begin()
    this.pending.settle()
    this.devices.refresh()
    this.devices.findAll([pollKey], devices)
    this.file.run('rollback')
    this.devices.rollback()
    this.pending.forget()
  }

  /** A reader in a transaction that has stored votes and is rolled back. */
  readInVain(pollKey: number, devices: readonly Uint8Array[]): void {
    this.file.run('begin immediate')
    this.pending.settle()
    const last = '(select coalesce(max(position), 0) from votes where poll_key = ?1)'
    const add = `insert into votes (poll_key, device, option, voted_at, position) values (?1, ?2, ?3, 1, ${last} + 1)`
    for (const device of devices) this.file.run(add, [pollKey, device, optionOf(device)])
    expect(this.votersAmong(pollKey, devices)).toEqual(devices.map(nameOf))
    this.file.run('rollback')
    this.pending.forget()
  }

  /** As readers find them. */
  votersAmong(pollKey: number, devices: readonly Uint8Array[]): string[] {
    const votes = this.devices.findStored([pollKey], devices).get(pollKey) ?? []
    return devices.flatMap((device, at) => (votes[at]?.option === optionOf(device) ? [nameOf(device)] : []))
  }

  count(table: string): number {
    return this.file.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? -1
  }

  /** The entries of whole runs. */
  runs(): { pollKey: number; print: number; position: number }[] {
    const parts = this.file.query<{ poll_key: number; entries: Uint8Array }, []>(
      'select poll_key, part.entries from device_run_parts as part join device_runs on key = run_key and is_whole = 1',
    )
    return parts.all().flatMap(({ poll_key, entries }) => {
      const words = new DataView(entries.buffer, entries.byteOffset, entries.byteLength)
      return Array.from({ length: entries.length / 8 }, (_, i) => ({
        pollKey: poll_key,
        print: words.getUint32(8 * i + 4, true),
        position: words.getUint32(8 * i, true),
      }))
    })
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

const DEAD_PARTS = 'select 1 from device_run_parts where run_key not in (select key from device_runs)'

/** Until the end, what `transaction` has written does not fit at its commit. */
function fullAtCommit(file: Database): { end(): void } {
  const { transaction } = file
  const full = Object.assign(new Error('disk is full'), { name: 'SQLiteError', code: 'SQLITE_FULL' })
  file.transaction = ((work: () => void) => ({
    immediate() {
      file.run('begin immediate')
      work()
      file.run('rollback')
      throw full
    },
  })) as unknown as typeof transaction
  return {
    end() {
      file.transaction = transaction
    },
  }
}

function makePolls({ file }: Program, polls = POLLS): void {
  for (let key = 1; key <= polls; key++) {
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
  program.settle()
  for (const [pollKey, voters] of voted) {
    expect(program.votersAmong(pollKey, [...voters, ...newDevices(3)])).toEqual(voters.map(nameOf))
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
  // All votes that a start would not learn are in a run, and no others.
  type Stored = { poll_key: number; device: Uint8Array; position: number; is_written: number }
  const votes = file.query<Stored, []>(
    `select votes.poll_key, device, votes.position, votes.position <= coalesce(vote_devices_to.position, 0) as is_written
     from votes left join vote_devices_to on vote_devices_to.poll_key = votes.poll_key
     where votes.position between 1 and 4294967295`,
  )
  const nameOfEntry = (pollKey: number, print: number, position: number) => `${pollKey} ${print} ${position}`
  const inRuns = new Set(program.runs().map(({ pollKey, print, position }) => nameOfEntry(pollKey, print, position)))
  for (const { poll_key, device, position, is_written } of votes.all()) {
    const name = nameOfEntry(poll_key, printOf(poll_key, device), position)
    if (is_written === 1) expect(inRuns).toContain(name)
    inRuns.delete(name)
  }
  expect([...inRuns]).toEqual([])
}

test('votes are written to runs, which are merged, and of which nothing is left', async () => {
  const program = new Program()
  makePolls(program)
  const voters = newDevices(400)
  let most = 0
  for (let at = 0; at < 400; at += 4) {
    await program.vote(1, voters.slice(at, at + 4))
    const count = program.runs().length
    expect(at + 4 - count).toBeWithin(0, RUN_OF + 4)
    most = Math.max(most, program.count('device_runs'))
    check(program, new Map([[1, voters.slice(0, at + 4)]]))
  }
  // Each has ten or more, and four of one size are merged, soon.
  expect(most).toBeWithin(4, 25)
  for (let at = 0; at < 400; at++) program.devices.writeOrMergeRuns()
  expect(program.count('device_runs')).toBeLessThan(7)
  for (const table of ['device_run_parts', 'device_run_prints']) {
    const dead = `select 1 from ${table} where run_key not in (select key from device_runs)`
    expect(program.file.query(dead).all()).toEqual([])
  }
})

test('a process that starts knows all votes', async () => {
  const first = new Program()
  makePolls(first)
  const voters = newDevices(100)
  for (let at = 0; at < 100; at += 4) await first.vote(1, voters.slice(at, at + 4))
  first.end()
  const second = new Program()
  for (let group = 0; group < 100; group++) {
    expect(await second.vote(1, voters)).toEqual(voters.map(() => 'already'))
    check(second, new Map([[1, voters]]))
  }
  expect(second.count('votes')).toBe(100)
})

test('a set of prints that is too small for a run costs looks, and lets nobody vote twice', async () => {
  const program = new Program(RUN_OF, { mostBits: 1 })
  makePolls(program)
  const voters = newDevices(200)
  for (let at = 0; at < 200; at += 4) {
    expect(await program.vote(1, voters.slice(at, at + 4))).toEqual(Array.from({ length: 4 }, () => 'accepted'))
    const all = voters.slice(0, at + 4)
    expect(await program.vote(1, all)).toEqual(all.map(() => 'already'))
  }
})

test('many votes without a run are written at a start', async () => {
  const first = new Program(1_000)
  makePolls(first)
  const voters = newDevices(95)
  await first.vote(1, voters)
  await first.vote(2, voters.slice(0, 3))
  first.end()
  const second = new Program()
  expect(second.runs().filter(({ pollKey }) => pollKey === 1)).toHaveLength(95)
  check(second, new Map([[1, voters]]))
  expect(await second.vote(1, voters)).toEqual(voters.map(() => 'already'))
})

test('votes of many polls without a run are written at a start, too', async () => {
  const first = new Program(1_000)
  makePolls(first)
  const voters = newDevices(8)
  const all = new Map([1, 2, 3].map((key) => [key, voters]))
  await first.vote(1, voters)
  const few = new Program()
  expect(few.runs()).toEqual([])
  await first.voteOverPolls(new Map([2, 3].map((key) => [key, voters])))
  first.end()
  const second = new Program()
  expect(second.runs()).toHaveLength(24)
  expect(second.count('device_runs')).toBe(2)
  check(second, all)
  for (const key of [1, 2, 3]) expect(await second.vote(key, voters)).toEqual(voters.map(() => 'already'))
})

test('a process that starts while another one writes leaves the writing to the next start', async () => {
  const first = new Program(1_000)
  makePolls(first)
  const voters = newDevices(100)
  await first.vote(1, voters)
  first.file.run('begin immediate')
  const second = new Program()
  expect(second.runs()).toEqual([])
  first.file.run('rollback')
  check(second, new Map([[1, voters]]))
  const third = new Program()
  expect(third.runs()).toHaveLength(100)
  for (const program of [first, second, third]) check(program, new Map([[1, voters]]))
})

test('a process that starts ends a merge of another one, and both know all votes', async () => {
  const first = new Program()
  makePolls(first)
  const voters = newDevices(200)
  let hasEnded = false
  for (let at = 0; at < 200; at += 4) {
    await first.vote(1, voters.slice(at, at + 4))
    const isMerging = first.file.query('select 1 from device_runs where is_whole = 0').get() !== null
    const all = new Map([[1, voters.slice(0, at + 4)]])
    if (isMerging) {
      const second = new Program()
      for (let i = 0; i < 3; i++) second.devices.writeOrMergeRuns()
      hasEnded ||= second.file.query('select 1 from device_runs where is_whole = 0').get() === null
      check(second, all)
      second.end()
    }
    check(first, all)
  }
  expect(hasEnded).toBe(true)
})

test('a wrong tally lets nobody vote twice', async () => {
  const first = new Program()
  makePolls(first)
  const voters = newDevices(40)
  await first.vote(1, voters)
  first.file.run('update tallies set option_a = 100 where poll_key = 1')
  first.end()
  const second = new Program()
  for (const voter of newDevices(60)) await second.vote(2, [voter])
  second.file.run('update tallies set option_a = 40 where poll_key = 1')
  const late = newDevices(2)
  await second.vote(1, late)
  second.end()
  const third = new Program()
  expect(await third.vote(1, [...voters, ...late])).toEqual(Array.from({ length: 42 }, () => 'already'))
})

test('a vote below the last one, after a tally was repaired, is never forgotten', async () => {
  let program = new Program()
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
      program = new Program()
      check(program, new Map([[1, voters]]), false)
    }
    expect(await program.vote(1, voters)).toEqual(voters.map(() => 'already'))
  }
  expect(program.runs().length).toBeGreaterThan(100)
})

test.each([-50, 2 ** 32 - 3, 2 ** 32, 900_000_000_000])('a tally of %i lets nobody vote twice', async (tally) => {
  const program = new Program()
  makePolls(program)
  const voters = newDevices(2)
  await program.vote(1, voters)
  program.file.run('update tallies set option_a = ? where poll_key = 1', [tally])
  for (let round = 0; round < 6; round++) {
    const late = newDevices(2)
    voters.push(...late)
    await program.vote(1, late)
    const other = new Program()
    for (const each of [program, other]) {
      expect(await each.vote(1, voters)).toEqual(voters.map(() => 'already'))
      expect(each.votersAmong(1, [...voters, ...newDevices(3)])).toEqual(voters.map(nameOf))
    }
    other.end()
  }
})

test.each([0, 2, 3, 4])('after %i votes, a negative tally lets nobody vote twice after a restart', async (count) => {
  let program = new Program()
  makePolls(program)
  const voters = newDevices(count)
  await program.vote(1, voters)
  program.file.run('update tallies set option_a = -50, option_b = 0 where poll_key = 1')
  for (let round = 0; round < 3; round++) {
    const late = newDevices(1)
    voters.push(...late)
    expect(await program.vote(1, late)).toEqual(['accepted'])
    expect(await program.vote(1, voters)).toEqual(voters.map(() => 'already'))
    program.end()
    program = new Program()
    if (round === 1) expect(await program.vote(1, voters)).toEqual(voters.map(() => 'already'))
  }
})

test('a group that finds the file locked after the filter was emptied lets nobody vote twice', async () => {
  const [program, other] = [new Program(), new Program()]
  makePolls(program)
  const voters = newDevices(48)
  for (let at = 0; at < 48; at += 4) {
    await program.vote(1, voters.slice(at, at + 4))
    other.file.run('begin immediate')
    await expect(program.vote(1, newDevices(1))).rejects.toThrow('locked')
    other.file.run('rollback')
    const all = voters.slice(0, at + 4)
    expect(await program.vote(1, all)).toEqual(all.map(() => 'already'))
  }
})

test('votes that a reader saw in a transaction that was rolled back are not taken for known', async () => {
  const [program, other] = [new Program(), new Program()]
  makePolls(program)
  const voters = newDevices(6)
  program.readInVain(1, newDevices(6))
  expect(await other.vote(1, voters)).toEqual(voters.map(() => 'accepted'))
  expect(await program.vote(1, voters)).toEqual(voters.map(() => 'already'))
  check(program, new Map([[1, voters]]))
})

test('a merge whose end does not fit on the disk loses no voter', async () => {
  // Each merge takes one transaction.
  const program = new Program(RUN_OF, { entriesForVote: Number.POSITIVE_INFINITY })
  makePolls(program)
  const voters: Uint8Array[] = []
  for (let round = 0; round < 40; round++) {
    const late = newDevices(RUN_OF)
    await program.vote(1, late)
    voters.push(...late)
    const full = fullAtCommit(program.file)
    program.devices.writeOrMergeRuns()
    full.end()
    for (let at = 0; at < 10; at++) program.devices.writeOrMergeRuns()
    expect(await program.vote(1, voters)).toEqual(voters.map(() => 'already'))
  }
  check(program, new Map([[1, voters]]))
  expect(program.file.query(DEAD_PARTS).all()).toEqual([])
})

test('runs are merged as fast as votes come, however large the groups are', async () => {
  // Other than `newDevices`: thousands that share a print would be compared one by one.
  const strangers = (count: number) => Array.from({ length: count }, () => new Uint8Array(randomBytes(16)))
  for (const size of [64, 1_024]) {
    const program = new Program(4_096, { ...PACE, entriesOfPart: 120 })
    if (size === 64) makePolls(program)
    for (let votes = 0; votes < 40 * 4_096; votes += size) await program.vote(1, strangers(size))
    // Up to seven of each of two sizes, and the sources and the target of a merge.
    expect(program.count('device_runs')).toBeLessThanOrEqual(7 + 7 + 8 + 1)
    program.end()
  }
})

test('runs that could not be read are read by the next group', async () => {
  const first = new Program()
  makePolls(first)
  const voters = newDevices(40)
  for (let at = 0; at < 40; at += 10) await first.vote(1, voters.slice(at, at + 10))
  first.end()
  const second = new Program()
  second.file.run('alter table device_runs rename to unreadable')
  await expect(second.vote(1, voters)).rejects.toThrow('no such table')
  second.file.run('alter table unreadable rename to device_runs')
  expect(await second.vote(1, voters)).toEqual(voters.map(() => 'already'))
})

test('votes on many polls do not wait in ever greater numbers', async () => {
  const program = new Program()
  makePolls(program, 100)
  const voted = new Map<number, Uint8Array[]>()
  for (let group = 0; group < 20; group++) {
    const late = new Map(Array.from({ length: 100 }, (_, at) => [at + 1, newDevices(1)]))
    await program.voteOverPolls(late)
    for (const [key, devices] of late) voted.set(key, [...(voted.get(key) ?? []), ...devices])
    // The last group came at the end of a round at worst.
    expect(program.pending.size).toBeWithin(0, 4 * SETTLE_AT + 100 + 1)
  }
  check(program, voted)
})

test('two processes that take turns refuse the voters of each other', async () => {
  const [one, other] = [new Program(), new Program(3)]
  makePolls(one)
  const voters = newDevices(60)
  for (let at = 0; at < 60; at += 2) {
    const [program, elsewhere] = at % 4 === 0 ? [one, other] : [other, one]
    expect(await program.vote(1, voters.slice(at, at + 2))).toEqual(['accepted', 'accepted'])
    expect(await elsewhere.vote(1, voters.slice(0, at + 2))).toEqual(voters.slice(0, at + 2).map(() => 'already'))
  }
  expect(one.count('votes')).toBe(60)
})

test('deleted votes are deleted with their entries, also while runs are merged', async () => {
  const program = new Program()
  makePolls(program)
  const voters = newDevices(30)
  for (let at = 0; at < 30; at += 2) {
    for (const key of [1, 2, 3]) await program.vote(key, voters.slice(at, at + 2))
  }
  const isMerging = () => program.file.query('select 1 from device_runs where is_whole = 0').get() !== null
  for (let at = 0; at < 100 && !isMerging(); at++) program.devices.writeOrMergeRuns()
  expect(isMerging()).toBe(true)
  program.file.run('delete from votes where poll_key = 1')
  program.file.run('delete from tallies where poll_key = 1')
  for (let at = 0; at < 100; at++) program.devices.writeOrMergeRuns()
  expect(isMerging()).toBe(false)
  const late = newDevices(20)
  await program.vote(2, late)
  check(
    program,
    new Map([
      [2, [...voters, ...late]],
      [3, voters],
    ]),
  )
  for (const table of ['device_run_parts', 'vote_devices_to']) {
    expect(program.file.query(`select 1 from ${table} where poll_key = 1`).all()).toEqual([])
  }
})

/** Two programs on one database, and the devices that have voted so far. */
class Run {
  readonly #programs: Program[]
  readonly #voted = new Map<number, Uint8Array[]>()

  constructor() {
    // Of a run that failed.
    for (const program of [...running]) program.end()
    const first = new Program()
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
    if (kind === 'vote on a full disk') {
      const full = fullAtCommit(program.file)
      expect(await program.vote(pollKey, devices)).toEqual(devices.map(() => 'accepted'))
      full.end()
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
    if (kind === 'catch up in vain') program.catchUpInVain(pollKey, devices)
    if (kind === 'read in vain') program.readInVain(pollKey, devices)
    if (kind === 'read') this.#read(program, pollKey)
    if (kind === 'restart') {
      program.end()
      this.#programs[at] = at === 0 ? new Program() : this.#another()
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

  /** One that has no room for the prints of large runs. */
  #another = (): Program => new Program(5, { mostBits: 300, entriesForVote: Number.POSITIVE_INFINITY })

  /** Finds the votes of its own process and of others, and nobody else. */
  #read(program: Program, pollKey: number): void {
    program.settle()
    const all = this.#votersOf(pollKey)
    expect(program.votersAmong(pollKey, [...all, ...newDevices(3)])).toEqual(all.map(nameOf))
  }

  #votersOf = (pollKey: number): readonly Uint8Array[] => this.#voted.get(pollKey) ?? []
}

type Kind =
  | 'vote'
  | 'vote on a full disk'
  | 'vote over polls'
  | 'repeat'
  | 'fail'
  | 'fail over polls'
  | 'find it locked'
  | 'catch up in vain'
  | 'read'
  | 'read in vain'
  | 'restart'

const some = fc.integer({ min: 0, max: 1_000 })
const step = (kind: Kind, weight: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), poll: some, count: some, by: some }),
})
const steps = fc.array(
  fc.oneof(
    step('vote', 12),
    step('vote on a full disk', 4),
    step('vote over polls', 8),
    step('repeat', 3),
    step('fail', 2),
    step('fail over polls', 2),
    step('find it locked', 2),
    step('catch up in vain', 2),
    step('read', 2),
    step('read in vain', 2),
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
    { numRuns: 60, endOnFailure: true },
  )
})
