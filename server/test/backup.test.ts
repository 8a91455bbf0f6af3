import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure } from '../src/base/errors.ts'
import { openSqlite } from '../src/db/sqlite/engine.ts'
import { loadRows } from '../src/db/sqlite/loaded-rows.ts'
import { newPlace, type Place, type Serving, serve, TEST_SECRET, tossup, tossupCommand, tossupJson } from './command.ts'
import { makeEarlierDatabase } from './earlier-database.ts'
import { engines } from './engines.ts'

// Backups under load, and damaged ones: `backup.proof.ts`.

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

/** No server is there: a backup of SQLite is refused before a connection. */
const POSTGRES = { DATABASE_URL: 'postgres://tossup@127.0.0.1:1/tossup', SECRET_KEY: TEST_SECRET }

describe.each([...engines])('%s: a backup', (engine) => {
  let place: Place
  let server: Serving
  let file: string
  const places: Place[] = []
  const anotherPlace = async () => {
    const made = await newPlace(engine)
    places.push(made)
    return made
  }

  beforeAll(async () => {
    place = await anotherPlace()
    await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], place.settings)
    server = await serve(place.settings)
    file = join(place.dataDir, 'tossup-backup.tar')
    await tossupJson(['backup', file], place.settings)
  })
  afterAll(async () => {
    server.kill('SIGTERM')
    await server.ended
    for (const each of places) await each.clear()
  })

  test('is restored only into an empty place, with the secret of the server', async () => {
    const [empty, other, wrong] = [
      await anotherPlace(),
      { ...(await anotherPlace()).settings, SECRET_KEY: 'x'.repeat(40) },
      { DATA_DIR: (await anotherPlace()).dataDir, ...(engine === 'sqlite' ? POSTGRES : {}) },
    ]
    const refused: [string[], Record<string, string>, RegExp][] = [
      [['restore', file], place.settings, engine === 'sqlite' ? /already uses DATA_DIR/ : /is not empty: it has/],
      [['backup', file], place.settings, /tossup-backup\.tar exists/],
      [['restore', 'nowhere.tar'], empty.settings, /^Cannot read nowhere\.tar/],
      [['restore', file], other, /SECRET_KEY does not match/],
      [['restore', file], wrong, engine === 'sqlite' ? /of SQLite: unset/ : /of PostgreSQL: set/],
    ]
    const ended = await Promise.all(refused.map(([words, settings]) => tossup(words, settings)))
    for (const [i, [, , said]] of refused.entries()) {
      expect([ended[i]?.code, ended[i]?.stderr]).toEqual([1, expect.stringMatching(said)])
      expect(ended[i]?.stderr).toMatch(/^.+\n$/)
    }
  })

  test('goes to standard output, and comes back from standard input', async () => {
    const run = (words: string[], input: Uint8Array | 'ignore', settings: Record<string, string>) =>
      Bun.spawn(tossupCommand(words), {
        env: settings,
        stdin: input,
        stdout: 'pipe',
        stderr: 'pipe',
      })
    const written = run(['backup', '-'], 'ignore', place.settings)
    const [bytes, said] = await Promise.all([written.stdout.bytes(), written.stderr.text()])
    expect([await written.exited, said]).toEqual([
      0,
      expect.stringMatching(/^Wrote the backup .+ to standard output: .+\n$/),
    ])
    const target = await anotherPlace()
    const restored = run(['restore', '-', '--json'], bytes, target.settings)
    expect(JSON.parse(await restored.stdout.text())).toMatchObject({ restored: true })
    expect((await tossup(['backup', '-', '--json'], place.settings)).code).toBe(2)
  })
})

describe('sqlite: a secret that is not in the backup', () => {
  test('must be there to restore it', async () => {
    const [place, target] = [await newPlace('sqlite'), await newPlace('sqlite')]
    try {
      await tossupJson(['migrate'], place.settings)
      const file = join(place.dataDir, 'backup.tar')
      await tossupJson(['backup', file, '--no-secret'], place.settings)
      expect(readFileSync(file).includes(readFileSync(join(place.dataDir, 'secret.key')))).toBe(false)
      const { code, stderr } = await tossup(['restore', file], target.settings)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^The backup holds no secret: set SECRET_KEY, or put /)])
      writeFileSync(join(target.dataDir, 'secret.key'), readFileSync(join(place.dataDir, 'secret.key')))
      await tossupJson(['restore', file], target.settings)
      expect(await tossupJson(['app', 'list'], target.settings)).toEqual({ apps: [] })
    } finally {
      await place.clear()
      await target.clear()
    }
  })
})

test('no name in a backup becomes a part of a statement', async () => {
  const place = await newPlace('sqlite')
  try {
    const other = join(place.dataDir, 'other.sqlite')
    const names = [`x" (a); attach '${other}' as b; --`, 'a b', '', 'x"']
    for (const name of names) {
      expect(() => loadRows(place.dataDir, { tables: [{ name, columns: ['a'] }] })).toThrow(PlainFailure)
      expect(() => loadRows(place.dataDir, { tables: [{ name: 'a', columns: [name] }] })).toThrow(PlainFailure)
    }
    expect(existsSync(join(place.dataDir, 'rows.sqlite'))).toBe(false)
  } finally {
    await place.clear()
  }
})

test('sqlite: a backup of a database from before the baseline is read', async () => {
  const place = await newPlace('sqlite')
  try {
    const earlier = openSqlite(place.dataDir)
    await makeEarlierDatabase(earlier)
    await earlier.close()
    const file = join(place.dataDir, 'backup.tar')
    await tossupJson(['backup', file], place.settings)
    const { stdout } = await tossup(['verify', file, '--json'], {})
    expect(JSON.parse(stdout)).toMatchObject({ engine: 'sqlite', damage: [] })
  } finally {
    await place.clear()
  }
})
