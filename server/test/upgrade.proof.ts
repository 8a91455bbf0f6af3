import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../src/config/config.ts'
import { newPlace, type Place, serve, tossup, tossupJson } from './command.ts'
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

test('an upgrade keeps a copy first, and moving that copy into place is the way back', async () => {
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
  server.kill('SIGTERM')
  expect((await server.ended).stderr).toContain(`a copy from before is in DATA_DIR/${COPY}`)
  const copy = join(dataDir, COPY, 'tossup.sqlite')
  expect([votesIn(copy), isAged(copy), votesIn(dataDir, 'tossup.sqlite')]).toEqual([252, true, 255])

  const aside = join(dataDir, 'after-the-upgrade')
  mkdirSync(aside)
  const files = readdirSync(dataDir).filter((name) => name.startsWith('tossup.sqlite'))
  for (const name of files) renameSync(join(dataDir, name), join(aside, name))
  renameSync(copy, join(dataDir, 'tossup.sqlite'))
  expect([votesIn(dataDir, 'tossup.sqlite'), isAged(dataDir, 'tossup.sqlite')]).toEqual([252, true])

  // This version upgrades it again, and every vote of the copy is served.
  const { stderr } = await tossup(['migrate'], settings)
  expect(stderr).toBe(`The database was upgraded; a copy from before is in DATA_DIR/${COPY}.\n`)
  expect(await tossupJson(['verify'], settings)).toMatchObject({ isSound: true, counts: { votes: 252 } })
})

test('the copy of a killed upgrade is replaced by that of the next one', async () => {
  const { dataDir, settings } = await oldPlace()
  mkdirSync(join(dataDir, COPY))
  for (const name of ['tossup.sqlite', 'tossup.sqlite.partial'])
    writeFileSync(join(dataDir, COPY, name), 'of a killed upgrade')
  await tossupJson(['migrate'], settings)
  expect(readdirSync(join(dataDir, COPY))).toEqual(['tossup.sqlite'])
  expect(votesIn(dataDir, COPY, 'tossup.sqlite')).toBe(252)
})

test.skipIf(!canMount)('an old copy that cannot be removed does not cost the new one, or the start', async () => {
  const { dataDir, settings } = await oldPlace()
  mkdirSync(join(dataDir, 'before-0.0.1'))
  const stuck = join(dataDir, 'before-0.0.1')
  await mountSmall(stuck)
  undo.push(() => unmount(stuck))
  writeFileSync(join(stuck, 'tossup.sqlite'), '')
  await tossupJson(['migrate'], settings)
  expect(copiesIn(dataDir)).toContain(COPY)
  expect(isAged(dataDir, 'tossup.sqlite')).toBe(false)
})

test('one copy is kept, and a backup beside it; a new database and one that is up to date have none', async () => {
  const { dataDir, settings } = await oldPlace()
  mkdirSync(join(dataDir, 'before-0.0.1'))
  writeFileSync(join(dataDir, 'before-0.0.1', 'tossup.sqlite'), '')
  writeFileSync(join(dataDir, 'before-the-upgrade.tar'), '')
  await tossupJson(['migrate'], settings)
  await tossupJson(['migrate'], settings)
  expect(copiesIn(dataDir).sort()).toEqual([COPY, 'before-the-upgrade.tar'])
  const young = await newPlace('sqlite')
  undo.push(young.clear)
  await tossupJson(['migrate'], young.settings)
  expect(copiesIn(young.dataDir)).toEqual([])
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
  }
  const { code, stderr } = await tossup(['serve'], settings)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database is newer .+9999-future\.sql\..+\n$/)])
})
