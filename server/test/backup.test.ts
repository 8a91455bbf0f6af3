import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../src/db/sqlite/engine.ts'
import { newPlace, type Place, type Serving, serve, tossup, tossupCommand, tossupJson } from './command.ts'
import { makeEarlierDatabase } from './earlier-database.ts'
import { engines } from './engines.ts'

// Backups under load, and damaged ones: `backup.proof.ts`.

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

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
    const [empty, other] = [await anotherPlace(), { ...(await anotherPlace()).settings, SECRET_KEY: 'x'.repeat(40) }]
    const refused: [string[], Record<string, string>, RegExp][] = [
      [['restore', file], place.settings, engine === 'sqlite' ? /already uses DATA_DIR/ : /is not empty: it has/],
      [['backup', file], place.settings, /tossup-backup\.tar exists/],
      [['restore', 'nowhere.tar'], empty.settings, /^Cannot read nowhere\.tar/],
      [['restore', file], other, /SECRET_KEY does not match/],
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

test.each([...engines])(
  '%s: a database that is not migrated is not backed up, and the message says so',
  async (engine) => {
    const place = await newPlace(engine)
    try {
      if (engine === 'sqlite') await openSqlite(place.dataDir).close()
      for (const words of [['backup', join(place.dataDir, 'backup.tar')], ['verify']]) {
        const { code, stderr } = await tossup(words, place.settings)
        expect([code, stderr]).toEqual([
          1,
          expect.stringMatching(/^The database is not migrated yet: .+`tossup migrate`\.\n$/),
        ])
      }
    } finally {
      await place.clear()
    }
  },
)

test('sqlite: a database of another schema is not backed up, and the message says so without a stack', async () => {
  const place = await newPlace('sqlite')
  try {
    const earlier = openSqlite(place.dataDir)
    await makeEarlierDatabase(earlier)
    await earlier.close()
    for (const words of [['backup', join(place.dataDir, 'backup.tar')], ['verify']]) {
      const { code, stderr } = await tossup(words, place.settings)
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^The database has the schema of another version of .+\n$/),
      ])
    }
  } finally {
    await place.clear()
  }
})
