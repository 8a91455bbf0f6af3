import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../src/config/config.ts'
import { rollBack } from '../src/db/sqlite/rollback.ts'
import { newPlace, type Place, serve, tossup, tossupCommand, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { canMount, mountSmall, unmount } from './small-disk.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

const COPY = `before-${version}`

function inFile<T>(path: string, work: (file: Database) => T): T {
  const file = new Database(path)
  try {
    return work(file)
  } finally {
    file.close()
  }
}

/** Makes a database one migration older, as a release without that migration would have left it. */
const age = (dataDir: string) =>
  inFile(join(dataDir, 'tossup.sqlite'), (file) => {
    file.run('alter table polls drop column challenge')
    file.run("delete from migrations where name = '0008-challenges.sql'")
  })

const votesIn = (...path: string[]) =>
  inFile(join(...path), (file) => file.query<{ votes: number }, []>('select count(*) as votes from votes').get()?.votes)

const isAged = (...path: string[]) =>
  inFile(
    join(...path),
    (file) => file.query("select 1 from migrations where name = '0008-challenges.sql'").get() === null,
  )

const copiesIn = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('before-'))

let original: Place
beforeAll(async () => {
  original = await newPlace('sqlite')
  const server = await serve({ ...original.settings, DEMO: 'true' })
  server.kill('SIGTERM')
  await server.ended
  age(original.dataDir)
})
afterAll(() => original.clear())

async function oldPlace() {
  const { clear, dataDir, settings } = await newPlace('sqlite')
  undo.push(clear)
  cpSync(original.dataDir, dataDir, { recursive: true })
  return { dataDir, settings: { ...settings, LOG_LEVEL: 'warn' } }
}

test('an upgrade keeps a copy first, and `tossup rollback` puts it back and says what is lost', async () => {
  const { dataDir, settings } = await oldPlace()
  const server = await serve(settings)
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${server.url}/api/rest/v1/polls/tea-or-coffee/votes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() },
      body: '{"option":"A"}',
    })
    expect(answer.status).toBe(201)
  }
  const early = await tossup(['rollback', '--yes'], settings)
  expect([early.code, early.stderr]).toEqual([1, `Another Tossup server already uses DATA_DIR ${dataDir}.\n`])
  server.kill('SIGTERM')
  expect((await server.ended).stderr).toContain(`a copy from before is in DATA_DIR/${COPY}`)
  expect([votesIn(dataDir, COPY, 'tossup.sqlite'), isAged(dataDir, COPY, 'tossup.sqlite')]).toEqual([252, true])

  // A command that still has the database open could write to the file that is put aside.
  const busy = new Database(join(dataDir, 'tossup.sqlite'))
  busy.query('select 1 from votes').get()
  const refused = await tossup(['rollback', '--yes'], settings)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^Another command still uses .+\n$/)])
  busy.close()

  const unasked = await tossup(['rollback'], settings)
  expect([unasked.code, unasked.stderr]).toEqual([
    2,
    expect.stringMatching(
      new RegExp(
        `^${COPY} is the database from before the upgrade to ${version} at \\d{4}-\\S+Z\\. It lacks 3 votes and 0 polls .+--yes.+\n$`,
      ),
    ),
  ])
  expect([votesIn(dataDir, 'tossup.sqlite'), copiesIn(dataDir)]).toEqual([255, [COPY]])
  const done = await tossupJson<Record<string, unknown> & { keptIn: string }>(['rollback', '--yes'], settings)
  expect(done).toEqual({
    rolledBack: true,
    from: COPY,
    version,
    upgradedAt: expect.stringMatching(/^\d{4}-.+Z$/),
    keptIn: expect.stringMatching(/^rolled-back-\d{8}T\d{6}Z$/),
    votes: 252,
    lostVotes: 3,
    lostPolls: 0,
    migrations: ['0008-challenges.sql'],
  })
  expect([votesIn(dataDir, 'tossup.sqlite'), isAged(dataDir, 'tossup.sqlite')]).toEqual([252, true])
  expect([votesIn(dataDir, done.keptIn, 'tossup.sqlite'), isAged(dataDir, done.keptIn, 'tossup.sqlite')]).toEqual([
    255,
    false,
  ])
  expect(copiesIn(dataDir)).toEqual([])
  const again = await tossup(['rollback', '--yes'], settings)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has no copy from before an upgrade')])

  // This version upgrades it again, and every vote of the copy is served.
  const { stderr } = await tossup(['migrate'], settings)
  expect(stderr).toBe(`The database was upgraded; a copy from before is in DATA_DIR/${COPY}.\n`)
  expect(await tossupJson(['verify'], settings)).toMatchObject({ isSound: true, counts: { votes: 252 } })
})

/** The command in a terminal of its own, in which `answer` is typed when the command asks. */
async function inTerminal(words: readonly string[], settings: Record<string, string>, answer: string) {
  let shown = ''
  const child = Bun.spawn(tossupCommand(words), {
    env: { PATH: process.env['PATH'] ?? '', ...settings },
    terminal: {
      data(terminal, bytes) {
        const hadAsked = shown.includes('to do it: ')
        shown += new TextDecoder().decode(bytes)
        if (!hadAsked && shown.includes('to do it: ')) terminal.write(answer)
      },
    },
  })
  const code = await child.exited
  child.terminal?.close()
  return { code, shown: shown.replaceAll('\r', '') }
}

const END_OF_INPUT = '\x04'

test('rollback asks on a terminal, and only the name of the copy puts it back', async () => {
  const { dataDir, settings } = await oldPlace()
  await tossupJson(['migrate'], settings)
  for (const answer of ['yes\n', '\n', `${COPY}-2\n`, END_OF_INPUT]) {
    const { code, shown } = await inTerminal(['rollback'], settings, answer)
    expect([answer, code, shown]).toEqual([
      answer,
      1,
      expect.stringMatching(
        new RegExp(`${COPY} is the database from before the upgrade to ${version} at .+ 0 votes and 0 polls`),
      ),
    ])
    expect(shown).toContain('Nothing was changed.')
    expect([isAged(dataDir, 'tossup.sqlite'), copiesIn(dataDir)]).toEqual([false, [COPY]])
  }
  // The database can be used as before: the question has left it complete and unlocked.
  expect(await tossupJson(['verify'], settings)).toMatchObject({ isSound: true, counts: { votes: 252 } })
  const { code, shown } = await inTerminal(['rollback'], settings, ` ${COPY} \n`)
  expect([code, shown]).toEqual([
    0,
    expect.stringContaining(`The database is the one of ${COPY} again, with 252 votes.`),
  ])
  expect([isAged(dataDir, 'tossup.sqlite'), copiesIn(dataDir)]).toEqual([true, []])
})

test('a command that opens the database while rollback asks cannot read it or write to it', async () => {
  const { dataDir, settings } = await oldPlace()
  await tossupJson(['migrate'], settings)
  const path = join(dataDir, 'tossup.sqlite')
  const seen: unknown[] = []
  const open = async () => {
    const file = new Database(path)
    const attempt = (work: () => unknown) => {
      try {
        return work()
      } catch (error) {
        return (error as { code?: string }).code
      }
    }
    seen.push(
      attempt(() => file.query('select count(*) from votes').get()),
      attempt(() => file.run("insert into data_keys values ('late', x'00', 1)")),
      attempt(() => file.run('pragma journal_mode = wal')),
    )
    return file
  }
  let late: Database | null = null
  const done = await rollBack(dataDir, {
    now: Date.now(),
    async confirm() {
      late = await open()
      seen.push((await tossup(['brand', 'list'], settings)).code)
    },
  })
  expect(seen).toEqual(['SQLITE_BUSY', 'SQLITE_BUSY', 'SQLITE_BUSY', 1])
  // The connection opened in between uses the database that was set aside: SQLite refuses a write that nobody would see.
  const opened = late as Database | null
  expect(() => opened?.run("insert into data_keys values ('late', x'00', 1)")).toThrow('readonly')
  opened?.close()
  expect(votesIn(dataDir, done.keptIn, 'tossup.sqlite')).toBe(252)
  expect([isAged(path), readdirSync(dataDir).filter((name) => /-wal|-journal/.test(name))]).toEqual([true, []])
  expect(await tossupJson(['migrate'], settings)).toEqual({ applied: ['0008-challenges.sql'] })
  expect(await tossupJson(['verify'], settings)).toMatchObject({ isSound: true, counts: { votes: 252 } })
})

/** Copies of other versions, whose folders were written in another order, as by `cp -r`. */
function addCopies(dataDir: string, ...names: string[]): void {
  for (const name of names) {
    mkdirSync(join(dataDir, name))
    copyFileSync(join(dataDir, COPY, 'tossup.sqlite'), join(dataDir, name, 'tossup.sqlite'))
  }
}

test('the copy of the newest version is put back, and a repeated command does not go further back', async () => {
  const { dataDir, settings } = await oldPlace()
  await tossupJson(['migrate'], settings)
  addCopies(dataDir, 'before-99.10.0-10', 'before-99.10.0-9', 'before-99.9.0', 'before-99.10.0-rc.1')
  expect(await tossupJson(['rollback', '--yes'], settings)).toMatchObject({
    from: 'before-99.10.0-10',
    version: '99.10.0',
  })
  const { code, stderr } = await tossup(['rollback', '--yes'], settings)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database is already from before the upgrade .+\n$/)])
  expect(copiesIn(dataDir).sort()).toEqual([COPY, 'before-99.10.0-9', 'before-99.10.0-rc.1', 'before-99.9.0'].sort())
})

test('the log of a damaged database that was moved away is not replayed into the copy', async () => {
  const { dataDir, settings } = await oldPlace()
  const server = await serve({ ...settings, DEMO: 'true' })
  const [path, log] = [join(dataDir, 'tossup.sqlite'), join(dataDir, 'tossup.sqlite-wal')]
  server.kill('SIGKILL')
  await server.ended
  expect(existsSync(log)).toBe(true)
  const original = await Bun.file(log).bytes()
  writeFileSync(path, 'no database'.repeat(1_000))
  rmSync(`${path}-shm`, { force: true })
  const damaged = await tossup(['rollback', '--yes'], settings)
  expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringMatching(/^Cannot read .+ Nothing was changed\.\n$/)])
  renameSync(path, join(dataDir, 'damaged.sqlite'))
  writeFileSync(log, original)

  const done = await tossupJson<{ keptIn: string; upgradedAt: null }>(['rollback', '--yes'], settings)
  expect(done.upgradedAt).toBe(null)
  expect(readdirSync(join(dataDir, done.keptIn))).toContain('tossup.sqlite-wal')
  expect([existsSync(log), votesIn(path), isAged(path)]).toEqual([false, 252, true])
  await tossupJson(['migrate'], settings)
  expect(await tossupJson(['verify'], settings)).toMatchObject({ isSound: true, counts: { votes: 252 } })
})

test('copies of killed upgrades are removed by the next, and one that was committed gets its name', async () => {
  const { dataDir, settings } = await oldPlace()
  for (const rest of ['0a.partial', '0b.pending']) {
    mkdirSync(join(dataDir, `${COPY}.${rest}`))
    writeFileSync(join(dataDir, `${COPY}.${rest}`, 'tossup.sqlite'), 'of a killed upgrade')
  }
  await tossupJson(['migrate'], settings)
  expect(copiesIn(dataDir)).toEqual([COPY])
  renameSync(join(dataDir, COPY), join(dataDir, `${COPY}.0c.pending`))
  await tossupJson(['migrate'], settings)
  expect(copiesIn(dataDir)).toEqual([COPY])
  expect(votesIn(dataDir, COPY, 'tossup.sqlite')).toBe(252)
})

test.skipIf(!canMount)('an old copy that cannot be removed does not cost the new one, or the start', async () => {
  const { dataDir, settings } = await oldPlace()
  for (const name of ['before-0.0.1', 'before-0.0.2']) {
    mkdirSync(join(dataDir, name))
    writeFileSync(join(dataDir, name, 'tossup.sqlite'), '')
  }
  const stuck = join(dataDir, 'before-0.0.1')
  await mountSmall(stuck)
  undo.push(() => unmount(stuck))
  writeFileSync(join(stuck, 'tossup.sqlite'), '')
  const { code, stderr } = await tossup(['migrate'], settings)
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^The copies from before upgrades in .+ cannot be put in order: .+\n/),
  ])
  expect(copiesIn(dataDir)).toContain(COPY)
  expect(isAged(dataDir, 'tossup.sqlite')).toBe(false)
})

test('two copies are kept; a new database and one that is up to date have none', async () => {
  const { dataDir, settings } = await oldPlace()
  mkdirSync(join(dataDir, 'before-0.0.1'))
  writeFileSync(join(dataDir, 'before-0.0.1', 'tossup.sqlite'), '')
  // Simulate a killed upgrade.
  mkdirSync(join(dataDir, `${COPY}.partial`))
  writeFileSync(join(dataDir, `${COPY}.partial`, 'tossup.sqlite'), 'half a file')
  await tossupJson(['migrate'], settings)
  expect(copiesIn(dataDir).sort()).toEqual(['before-0.0.1', COPY])
  age(dataDir)
  await tossupJson(['migrate'], settings)
  await tossupJson(['migrate'], settings)
  expect(copiesIn(dataDir).sort()).toEqual([COPY, `${COPY}-2`])
})

test.skipIf(!canMount)(
  'without room for the copy nothing is changed, and the message says how much is missing',
  async () => {
    const { dataDir } = await oldPlace()
    const full = `${dataDir}-full`
    mkdirSync(full)
    await mountSmall(full, 40)
    undo.push(() => unmount(full).then(() => Bun.$`rmdir ${full}`.quiet()))
    cpSync(dataDir, full, { recursive: true })
    const { code, stderr } = await tossup(['migrate'], { DATA_DIR: full })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^The upgrade keeps a copy .+ needs \d+ MB .+ \d+ MB .+\n$/),
    ])
    expect([isAged(full, 'tossup.sqlite'), votesIn(full, 'tossup.sqlite'), copiesIn(full)]).toEqual([true, 252, []])
  },
)

test.each([...engines])('%s: an older version refuses the schema of a newer one with one line', async (engine) => {
  const { clear, settings } = await newPlace(engine)
  undo.push(clear)
  await tossupJson(['migrate'], settings)
  if (engine === 'sqlite') {
    inFile(join(String(settings['DATA_DIR']), 'tossup.sqlite'), (file) =>
      file.run("insert into migrations values ('9999-future.sql', 1)"),
    )
  } else {
    const client = new Bun.SQL(String(settings['DATABASE_URL']))
    await client`insert into migrations values ('9999-future.sql', 1)`
    await client.end()
    const { code, stderr } = await tossup(['rollback', '--yes'], settings)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Only SQLite databases can be rolled back\..+\n$/)])
  }
  const { code, stderr } = await tossup(['serve'], settings)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database is newer .+9999-future\.sql\..+\n$/)])
})
