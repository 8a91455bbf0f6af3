import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { migrate } from '../src/db/migrate.ts'
import { openSqlite } from '../src/db/sqlite/engine.ts'
import { FreshVotes } from '../src/db/sqlite/fresh-votes.ts'
import { PrintTable } from '../src/db/sqlite/print-table.ts'
import { Soundness } from '../src/db/sqlite/soundness.ts'
import { createSqliteVoteStore } from '../src/db/sqlite/vote-store.ts'
import { PollVoters, Voters } from '../src/db/sqlite/voters.ts'
import { WriteAheadLog } from '../src/db/sqlite/write-ahead-log.ts'
import type { OptionName } from '../src/db/tables.ts'
import { type Ballot, printOf, type Raised, type VoteStore } from '../src/db/vote-store.ts'
import { decide } from '../src/features/votes/decide.ts'

// A commit waits for the disk where there is no folder in memory.
setDefaultTimeout(60_000)

const POLLS = 3
/** Votes of a block: few, so that each test crosses the ends of several. */
const BLOCK = 7

type Sizes = NonNullable<ConstructorParameters<typeof Voters>[1]>

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
  readonly voters: Voters
  readonly fresh: FreshVotes
  readonly store: VoteStore

  constructor(sizes: Sizes = {}) {
    this.file = new Database(path, { strict: true })
    this.file.run('pragma journal_mode = wal')
    this.file.run('pragma foreign_keys = off')
    this.voters = new Voters(this.file, { block: BLOCK, ...sizes })
    this.fresh = new FreshVotes(this.file)
    const log = new WriteAheadLog(`${path}-wal`, async () => undefined)
    const soundness = new Soundness({ path, size: () => 0, onDamaged: () => undefined })
    this.store = createSqliteVoteStore({
      file: this.file,
      log,
      voters: this.voters,
      fresh: this.fresh,
      soundness,
      alone: async (work) => work(),
    })
    running.push(this)
  }

  /** The outcome of each vote. */
  async vote(pollKey: number, devices: readonly Uint8Array[]): Promise<string[]> {
    const ballots = devices.map((device): Ballot => ({ pollKey, device, option: optionOf(device) }))
    const { decision } = await this.store.commit(ballots, (facts) => decide(ballots, facts))
    return decision.outcomes.map(({ kind }) => kind)
  }

  /** One group over all polls, in which nobody votes again. The devices of each poll, by its key. */
  async voteOverPolls(devices: ReadonlyMap<number, readonly Uint8Array[]>, isFailing = false): Promise<string[]> {
    const ballots = [...devices].flatMap(([pollKey, voters]) =>
      voters.map((device): Ballot => ({ pollKey, device, option: optionOf(device) })),
    )
    const { decision } = await this.store.commit(ballots, (facts) => {
      const decided = decide(ballots, facts)
      return isFailing ? { ...decided, raised: UNWRITABLE } : decided
    })
    return decision.outcomes.map(({ kind }) => kind)
  }

  /** Before a reader, as the engine does. */
  settle(): void {
    this.fresh.settleAlone()
  }

  async failToVote(pollKey: number, devices: readonly Uint8Array[]): Promise<void> {
    const ballots = devices.map((device): Ballot => ({ pollKey, device, option: optionOf(device) }))
    const failing = this.store.commit(ballots, (facts) => {
      const decision = decide(ballots, facts)
      return { ...decision, votes: [...decision.votes, ...decision.votes] }
    })
    await expect(failing).rejects.toThrow('twice')
  }

  /** A transaction that learns the votes of a poll, stores more and is rolled back. */
  storeInVain(pollKey: number, devices: readonly Uint8Array[]): void {
    const inVain = () =>
      this.voters.transaction(() => {
        const poll = this.voters.of(pollKey)
        for (const device of devices) poll.add({ pollKey, device, option: 'A' }, 1)
        for (const device of devices) expect(poll.find(device)?.option).toBe('A')
        throw new Error('in vain')
      })
    expect(inVain).toThrow('in vain')
  }

  /** The voters that readers find. */
  votersAmong(pollKey: number, devices: readonly Uint8Array[]): string[] {
    return devices.filter((device) => this.voters.find(pollKey, device)?.option === optionOf(device)).map(nameOf)
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
  // Each stored block has the prints of its votes.
  type Prints = { poll_key: number; block: number; prints: Uint8Array }
  const blocks = file.query<Prints, []>('select poll_key, block, prints from vote_prints').all()
  const devicesOf = file.query<{ device: Uint8Array }, [number, number, number]>(
    'select device from votes where poll_key = ? and position > ? and position <= ? order by position',
  )
  for (const { poll_key, block, prints } of blocks) {
    const devices = devicesOf.all(poll_key, block * BLOCK, (block + 1) * BLOCK)
    const stored = new Uint32Array(prints.slice().buffer)
    expect([...stored]).toEqual(devices.map(({ device }) => printOf(poll_key, device)))
  }
}

test('whole blocks are stored, and a start reads them, rows where one is missing, and the rows behind them', async () => {
  const first = new Program()
  makePolls(first)
  const voters = newDevices(100)
  for (let at = 0; at < 100; at += 4) {
    await first.vote(1, voters.slice(at, at + 4))
    check(first, new Map([[1, voters.slice(0, at + 4)]]))
  }
  expect(first.count('vote_prints')).toBe(Math.floor(100 / BLOCK))
  for (const lost of ['block < 0', 'block % 2 = 0', 'block > 3', 'true']) {
    first.file.run(`delete from vote_prints where ${lost}`)
    const next = new Program()
    expect(next.votersAmong(1, voters)).toEqual(voters.map(nameOf))
    expect(await next.vote(1, voters)).toEqual(voters.map(() => 'already'))
    next.end()
  }
  check(first, new Map([[1, voters]]))
})

test('a probe loads the polls, and stores the blocks that are missing, also of closed polls', async () => {
  const first = new Program()
  makePolls(first)
  const voters = newDevices(1_200)
  for (const key of [1, 2]) await first.vote(key, voters)
  first.file.run('update polls set closes_at = 1 where key = 2')
  first.file.run('delete from vote_prints')
  const second = new Program()
  await second.store.probe()
  const blocks = second.file.query<{ n: number }, [number]>('select count(*) as n from vote_prints where poll_key = ?')
  for (const key of [1, 2]) {
    expect(blocks.get(key)).toEqual({ n: Math.floor(1_200 / BLOCK) })
    expect(second.votersAmong(key, voters)).toEqual(voters.map(nameOf))
  }
  check(second, new Map([[1, voters]]))
})

test('a poll that is not in memory is searched in its blocks and in the rows behind them', async () => {
  const first = new Program()
  makePolls(first)
  const [voters, late] = [newDevices(60), newDevices(3)]
  await first.vote(1, voters)
  first.settle()
  await first.vote(1, late)
  first.file.run('delete from vote_prints where block = 6')
  const second = new Program()
  const all = [...voters, ...late]
  expect(second.votersAmong(1, [...all, ...newDevices(3)])).toEqual(all.map(nameOf))
})

test('a closed poll shows the vote of a device, also if it is not in memory', async () => {
  const first = new Program()
  makePolls(first)
  const voters = newDevices(40)
  await first.vote(1, voters)
  first.file.run('update polls set closes_at = 1 where key = 1')
  const second = new Program()
  const ballots = voters.map((device): Ballot => ({ pollKey: 1, device, option: 'A' }))
  const { decision } = await second.store.commit(ballots, (facts) => decide(ballots, facts))
  for (const [at, outcome] of decision.outcomes.entries())
    expect(outcome).toMatchObject({ kind: 'closed', existing: { option: optionOf(voters[at] as Uint8Array) } })
})

test('votes that nobody has asked for lately are dropped from memory, and found again', async () => {
  const program = new Program({ maxVotes: 400 })
  makePolls(program)
  const voters = newDevices(150)
  for (let end = 30; end <= 150; end += 30) {
    for (const key of [1, 2, 3]) {
      const late = voters.slice(end - 30, end)
      expect(await program.vote(key, late)).toEqual(late.map(() => 'accepted'))
      expect(await program.vote(key, voters.slice(0, end))).toEqual(voters.slice(0, end).map(() => 'already'))
    }
  }
  check(program, new Map([1, 2, 3].map((key) => [key, voters])))
})

test('a table of prints that is split loses no entry', () => {
  const random = new Uint32Array(randomBytes(4 * 300_000).buffer)
  const [grown, reserved] = [new PrintTable(), new PrintTable()]
  for (const [i, print] of random.entries()) grown.add(print, i + 1)
  reserved.reserve(random.length)
  reserved.addAll(random, 1)
  for (const table of [grown, reserved]) {
    const lost = random.filter((print, i) => table.find(print, (found) => (found === i + 1 ? found : null)) === null)
    expect(lost).toHaveLength(0)
  }
})

test('a commit that there is no memory to keep is read from the file', async () => {
  const program = new Program()
  makePolls(program)
  const voters = newDevices(30)
  await program.vote(1, voters.slice(0, 10))
  const { keep } = PollVoters.prototype
  PollVoters.prototype.keep = () => {
    throw new RangeError('out of memory')
  }
  try {
    await expect(program.vote(1, voters.slice(10, 25))).rejects.toThrow('out of memory')
  } finally {
    PollVoters.prototype.keep = keep
  }
  expect(await program.vote(1, voters)).toEqual(voters.map((_, at) => (at < 25 ? 'already' : 'accepted')))
  check(program, new Map([[1, voters]]))
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
  second.settle()
  expect(second.count('votes')).toBe(100)
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

test('a group that finds the file locked lets nobody vote twice', async () => {
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

test('two processes that take turns refuse the voters of each other', async () => {
  const [one, other] = [new Program(), new Program({ maxVotes: 1 })]
  makePolls(one)
  const voters = newDevices(60)
  for (let at = 0; at < 60; at += 2) {
    const [program, elsewhere] = at % 4 === 0 ? [one, other] : [other, one]
    expect(await program.vote(1, voters.slice(at, at + 2))).toEqual(['accepted', 'accepted'])
    expect(await elsewhere.vote(1, voters.slice(0, at + 2))).toEqual(voters.slice(0, at + 2).map(() => 'already'))
  }
  one.settle()
  expect(one.count('votes')).toBe(60)
})

test('the blocks of a poll are removed with its tally, and entries that are left lead to no vote', async () => {
  const program = new Program()
  makePolls(program)
  const voters = newDevices(30)
  for (const key of [1, 2]) await program.vote(key, voters)
  program.settle()
  program.file.run('delete from votes where poll_key = 1')
  program.file.run('delete from tallies where poll_key = 1')
  expect(program.votersAmong(1, voters)).toEqual([])
  expect(program.file.query('select 1 from vote_prints where poll_key = 1').all()).toEqual([])
  check(program, new Map([[2, voters]]))
})

test('votes wait in fresh_votes until many move together', async () => {
  const program = new Program({ block: 4_096 })
  makePolls(program, 100)
  const voted = new Map<number, Uint8Array[]>()
  for (let group = 0; group < 20; group++) {
    const late = new Map(Array.from({ length: 100 }, (_, at) => [at + 1, newDevices(1)]))
    await program.voteOverPolls(late)
    for (const [key, devices] of late) voted.set(key, [...(voted.get(key) ?? []), ...devices])
    expect(program.count('fresh_votes')).toBe(100 * ((group + 1) % 11))
  }
  expect(program.count('votes')).toBe(1_100)
  for (const [key, devices] of voted) expect(program.votersAmong(key, devices)).toEqual(devices.map(nameOf))
})

/** Two programs on one database, and the devices that have voted so far. */
class Run {
  readonly #programs: Program[]
  readonly #voted = new Map<number, Uint8Array[]>()

  constructor() {
    // End programs that a failed run left.
    for (const program of [...running]) program.end()
    const first = new Program()
    for (const table of ['votes', 'fresh_votes', 'tallies', 'vote_counts', 'polls'])
      first.file.run(`delete from ${table}`)
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
    if (kind === 'store in vain') program.storeInVain(pollKey, devices)
    if (kind === 'lose blocks') program.file.run(`delete from vote_prints where block % 3 = ${count % 3}`)
    if (kind === 'settle') program.settle()
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

  /** A program that keeps few votes in memory. */
  #another = (): Program => new Program({ maxVotes: 300 })

  /** Expects to find the votes of its own process and of others, and no other device. */
  #read(program: Program, pollKey: number): void {
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
  | 'store in vain'
  | 'lose blocks'
  | 'settle'
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
    step('vote on a full disk', 4),
    step('vote over polls', 8),
    step('repeat', 3),
    step('fail', 2),
    step('fail over polls', 2),
    step('find it locked', 2),
    step('store in vain', 2),
    step('lose blocks', 2),
    step('settle', 2),
    step('read', 2),
    step('restart', 2),
  ),
  { minLength: 20, maxLength: 60 },
)
type Step = (typeof steps extends fc.Arbitrary<infer All> ? All : never) extends (infer One)[] ? One : never

// spec: 4.3-6
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
