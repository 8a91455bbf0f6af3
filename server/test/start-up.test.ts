import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmod, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import { openDatabase } from '../src/db/open.ts'
import { newPlace, type Place, type Settings, serve, TEST_SECRET, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { ADMIN_URL } from './own-database.ts'
import { errorMessage, message } from './postgres-wire.ts'
import { startTestService } from './service.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const PASSWORD = 'hunter2-never-printed'
const SHORT_SECRET = 'short-never-printed'
const NOWHERE = `postgres://tossup:${PASSWORD}@127.0.0.1:1/tossup`

/** Exits at once with 1 and one line on standard error, which names the variable and contains no secret value. */
async function expectRefusal(settings: Settings, said: RegExp, words = ['serve']): Promise<void> {
  const { code, stdout, stderr } = await tossup(words, settings)
  expect([stderr, code, stdout]).toEqual([expect.stringMatching(said), 1, ''])
  expect(stderr).toMatch(/^.+\n$/)
  for (const secret of [PASSWORD, SHORT_SECRET, TEST_SECRET]) expect(stderr).not.toContain(secret)
}

/** Opens a database as every command does before its work, without the half second of a process. */
async function openOnce(settings: Settings): Promise<void> {
  const { engine } = await openDatabase(readConfig(settings))
  await engine.close()
}

describe('a wrong variable stops the start with one line that names it', () => {
  const wrong: [string, string, RegExp][] = [
    ['PORT', 'http', /^PORT /],
    ['HOST', 'no-such-host.invalid', /^Cannot listen on HOST /],
    ['HOST', '203.0.113.7', /^Cannot listen on HOST /],
    ['DATABASE_URL', `mysql://root:${PASSWORD}@127.0.0.1/x`, /^DATABASE_URL /],
    ['S3_URL', `s3+http://key:${PASSWORD}@127.0.0.1:1/bucket`, /^Cannot use S3_URL: /],
    ['S3_URL', `s3://key:${PASSWORD}@127.0.0.1`, /^S3_URL /],
    ['SECRET_KEY', SHORT_SECRET, /^SECRET_KEY /],
  ]
  let place: Place
  beforeAll(async () => {
    place = await newPlace('sqlite')
  })
  afterAll(() => place.clear())

  test('any wrong variable (config.test.ts has them all)', async () => {
    const fresh = (i: number) => join(place.dataDir, String(i))
    await Promise.all(
      wrong.map(([name, value, said], i) => expectRefusal({ PORT: '0', DATA_DIR: fresh(i), [name]: value }, said)),
    )
  })

  test('DATABASE_URL without SECRET_KEY', () => expectRefusal({ DATABASE_URL: NOWHERE }, /^SECRET_KEY is required/))

  test('a database that does not answer, a host that does not exist, a role or database that does not', async () => {
    const urls = [NOWHERE, `postgres://tossup:${PASSWORD}@no-such-host.invalid/tossup`]
    if (engines.includes('postgres')) {
      urls.push(elsewhere({ username: 'no_such_role' }), elsewhere({ pathname: '/no_such_database' }))
      urls.push(elsewhere({ search: '?sslmode=verify-full' }))
    }
    const { dataDir } = place
    await Promise.all(
      urls.map((url) =>
        expectRefusal({ DATA_DIR: dataDir, DATABASE_URL: url, SECRET_KEY: TEST_SECRET }, /^Cannot use DATABASE_URL/),
      ),
    )
  })

  test('a wrong password', async () => {
    await using gate = refusingGate()
    const url = `postgres://tossup:${PASSWORD}@127.0.0.1:${gate.port}/tossup`
    const settings = { DATA_DIR: place.dataDir, DATABASE_URL: url, SECRET_KEY: TEST_SECRET }
    await expectRefusal(settings, /^Cannot use DATABASE_URL: password authentication failed/)
    expect(gate.passwords).toEqual([PASSWORD])
  })

  test('a Redis that does not answer', () =>
    expectRefusal(
      { DATA_DIR: place.dataDir, PORT: '0', REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:1` },
      /^Cannot use REDIS_URL/,
    ))

  test('a port that is taken', async () => {
    using other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
    const settings = { DATA_DIR: place.dataDir, PORT: String(other.port) }
    await expectRefusal(settings, new RegExp(`^PORT ${other.port} on 127.0.0.1 is already in use`))
    const metrics = { DATA_DIR: place.dataDir, PORT: '0', METRICS_PORT: String(other.port) }
    await expectRefusal(metrics, new RegExp(`^METRICS_PORT ${other.port} on 127.0.0.1 is already in use`))
  })
})

test('a variable with a name close to a setting is asked about in one line, without its value', async () => {
  const place = await newPlace('sqlite')
  const misspelled = { SECRET_KEYS: TEST_SECRET, TRUSTED_PROXY: PASSWORD, TRUSTED_PROXIES: '127.0.0.1' }
  const server = await serve({ ...place.settings, ...misspelled, LOG_LEVEL: 'warn' })
  server.kill('SIGTERM')
  const { stderr } = await server.ended
  expect(stderr).toMatch(/^.+\n$/)
  expect(JSON.parse(stderr)).toMatchObject({
    level: 'warn',
    msg: 'SECRET_KEYS is not a setting. Did you mean SECRET_KEY? TRUSTED_PROXY is not a setting. Did you mean TRUSTED_PROXIES?',
  })
  for (const secret of [PASSWORD, TEST_SECRET]) expect(stderr).not.toContain(secret)
  await place.clear()
})

describe('a DATA_DIR that cannot be used', () => {
  let place: Place
  beforeAll(async () => {
    place = await newPlace('sqlite')
  })
  afterAll(() => place.clear())

  const inside = (name: string) => join(place.dataDir, name)
  const expectUnusable = async (dataDir: string) => {
    await expectRefusal({ DATA_DIR: dataDir, PORT: '0' }, /^Cannot use DATA_DIR /)
    await expectRefusal({ DATA_DIR: dataDir }, /^Cannot use DATA_DIR /, ['migrate'])
  }

  test('a file in its place, a path below a file, a folder that cannot be created', async () => {
    await writeFile(inside('file'), '')
    await Promise.all([inside('file'), inside('file/below'), '/proc/tossup'].map(expectUnusable))
  })

  test('a file that is no database, and a damaged database', async () => {
    await mkdir(inside('noise'))
    await writeFile(inside('noise/tossup.sqlite'), randomBytes(8_192))
    await expectUnusable(inside('noise'))
    await openOnce({ DATA_DIR: inside('whole') })
    const bytes = await Bun.file(inside('whole/tossup.sqlite')).bytes()
    await mkdir(inside('spoiled'))
    await cp(inside('whole/secret.key'), inside('spoiled/secret.key'))
    await writeFile(inside('spoiled/tossup.sqlite'), bytes.fill(0xff, 4_096))
    await expectUnusable(inside('spoiled'))
  })

  test('a stored key that is empty, or no file', async () => {
    await mkdir(inside('empty-key'))
    await writeFile(inside('empty-key/secret.key'), '')
    await expectRefusal({ DATA_DIR: inside('empty-key') }, /secret\.key does not contain a secret key/, ['migrate'])
    await mkdir(inside('odd-key/secret.key'), { recursive: true })
    await expectUnusable(inside('odd-key'))
  })

  test.if(engines.includes('postgres'))('matters with PostgreSQL too: files are kept there', async () => {
    const { settings, clear } = await newPlace('postgres')
    try {
      await expectRefusal({ ...settings, PORT: '0', DATA_DIR: '/proc/tossup' }, /^Cannot use DATA_DIR /)
    } finally {
      await clear()
    }
  })

  test('a folder that another server holds, until that server has ended in any way', async () => {
    const settings = { DATA_DIR: inside('held') }
    const first = await serve(settings)
    await expectRefusal({ ...settings, PORT: '0' }, /^Another Tossup server already uses DATA_DIR/)
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
    first.kill('SIGKILL')
    await first.ended
    const second = await serve(settings)
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
    second.kill('SIGTERM')
    expect((await second.ended).code).toBe(0)
  })
})

describe.each([...engines])('%s: SECRET_KEY', (engine) => {
  const NEW = 'a newer secret that is long enough as well'
  let place: Place
  beforeAll(async () => {
    place = await newPlace(engine)
  })
  afterAll(() => place.clear())

  test('a wrong key is refused and changes nothing; "new,old" re-wraps the data keys, and then "new" alone opens them', async () => {
    const settings = { ...place.settings, SECRET_KEY: TEST_SECRET }
    await openOnce(settings)
    const made = await tossupJson(['app', 'create', '--scopes', 'view'], settings)
    await expectRefusal({ ...place.settings, SECRET_KEY: NEW }, /^SECRET_KEY does not match this database/, [
      'app',
      'list',
    ])
    await openOnce(settings)
    await openOnce({ ...settings, SECRET_KEY: `${NEW}, ${TEST_SECRET}` })
    const listed = await tossup(['app', 'list'], { ...settings, SECRET_KEY: NEW })
    expect(listed.stdout).toContain(String(made['apiKeyId']))
    await expect(openOnce(settings)).rejects.toThrow(/^SECRET_KEY does not match this database/)
    const server = await serve({ ...place.settings, SECRET_KEY: NEW })
    const answer = await fetch(`${server.url}/api/rest/v1/auth/token`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-API-Key-ID': String(made['apiKeyId']),
        'X-API-Key-Secret': String(made['apiKeySecret']),
      },
      body: '{"externalDeviceId": "x"}',
    })
    server.kill('SIGTERM')
    await server.ended
    expect(answer.status).toBe(200)
  })
})

test('two servers never share a port, even of one user', async () => {
  const [one, two] = [await newPlace('sqlite'), await newPlace('sqlite')]
  const server = await serve(one.settings)
  try {
    const settings = { ...two.settings, PORT: new URL(server.url).port }
    await expectRefusal(settings, /^PORT \d+ on 127\.0\.0\.1 is already in use/, ['serve'])
  } finally {
    server.kill('SIGTERM')
    await server.ended
    await one.clear()
    await two.clear()
  }
})

test('SQLite: an empty or missing database beside a key and pictures is refused, and nothing is made', async () => {
  const { dataDir, settings, clear } = await newPlace('sqlite')
  try {
    await openOnce(settings)
    const path = join(dataDir, 'tossup.sqlite')
    const way =
      /^DATA_DIR .+: its database is lost\. Restore a backup .+ To begin a new service here, move .+ away first\.\n$/
    await writeFile(path, '')
    await expectRefusal(settings, /has secret\.key, but an empty tossup\.sqlite: its database is lost/, ['serve'])
    await mkdir(join(dataDir, 'files'), { recursive: true })
    await writeFile(join(dataDir, 'files', `${'A'.repeat(32)}.webp`), 'a picture')
    await expectRefusal(settings, /has secret\.key and files, but an empty tossup\.sqlite/, [
      'brand',
      'create',
      '--slug',
      'a',
      '--name',
      'A',
    ])
    await expectRefusal(settings, way, ['migrate'])
    await rm(path)
    await expectRefusal(settings, /has files, but no tossup\.sqlite/, ['serve'])
    expect(await readdir(dataDir)).not.toContain('tossup.sqlite')
    await rm(join(dataDir, 'files'), { recursive: true })
    // A key alone may have been put there for a new service.
    await openOnce(settings)
  } finally {
    await clear()
  }
})

test('SQLite: a key that others can read stops a server for visitors, and doctor --fix closes it', async () => {
  const { dataDir, settings, clear } = await newPlace('sqlite')
  try {
    await openOnce(settings)
    const path = join(dataDir, 'secret.key')
    await chmod(path, 0o644)
    const visited = { ...settings, PUBLIC_URL: 'https://polls.example.com' }
    await expectRefusal(
      visited,
      /^Other users of this machine can read .+secret\.key \(mode 644\)\. Run `tossup doctor --fix`/,
    )
    const server = await serve(settings)
    server.kill('SIGTERM')
    expect((await server.ended).stderr).toContain('Other users of this machine can read')
    const { code, stdout } = await tossup(['doctor'], settings)
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^FAULT {4}secret: .+mode 644.+tossup doctor --fix/m)])
    expect((await tossup(['doctor', '--fix'], settings)).stdout).toMatch(/^ok {7}secret: .+now has mode 600/m)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    // The group of a volume of Kubernetes.
    await chmod(path, 0o660)
    const again = await serve({ ...visited, PORT: '0' })
    again.kill('SIGTERM')
    expect((await again.ended).code).toBe(0)
  } finally {
    await clear()
  }
})

test('SQLite: the stored key opens the database, is private, and is replaced by SECRET_KEY only on request', async () => {
  const { dataDir, settings, clear } = await newPlace('sqlite')
  try {
    await openOnce(settings)
    const { mode, size } = await stat(join(dataDir, 'secret.key'))
    expect([mode & 0o777, size]).toEqual([0o600, 44])
    await tossupJson(['app', 'list'], settings)
    await expectRefusal({ ...settings, SECRET_KEY: TEST_SECRET }, /^SECRET_KEY does not match this database/, [
      'app',
      'list',
    ])
    const kept = (await readFile(join(dataDir, 'secret.key'), 'utf8')).trim()
    await tossupJson(['app', 'list'], { ...settings, SECRET_KEY: `${TEST_SECRET},${kept}` })
    await expectRefusal(settings, /secret\.key does not match this database, whose SECRET_KEY was changed\. /, [
      'app',
      'list',
    ])
    await rm(join(dataDir, 'secret.key'))
    await expectRefusal(settings, /^SECRET_KEY is not set, and .* has no secret.key/, ['app', 'list'])
    expect(await readdir(dataDir)).not.toContain('secret.key')
    await tossupJson(['app', 'list'], { ...settings, SECRET_KEY: TEST_SECRET })
  } finally {
    await clear()
  }
})

/** The URL of the real server, with one part wrong. */
const elsewhere = (wrong: Partial<Pick<URL, 'username' | 'pathname' | 'search'>>): string =>
  Object.assign(new URL(ADMIN_URL), { password: PASSWORD }, wrong).href

/** The part of PostgreSQL's protocol for a failed login: asks for the password, and refuses it. */
function refusingGate() {
  const passwords: string[] = []
  const refusal = errorMessage('28P01', 'password authentication failed for user "tossup"')
  const gate = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, data) {
        if (data[0] !== 'p'.charCodeAt(0)) return void socket.write(message('R', Buffer.from([0, 0, 0, 3])))
        passwords.push(data.toString('utf8', 5, data.length - 1))
        socket.end(refusal)
      },
    },
  })
  return { port: gate.port, passwords, [Symbol.asyncDispose]: async () => gate.stop(true) }
}

test('the log warns of a PUBLIC_URL that others on the way can read, and says how to get links without SMTP_URL', async () => {
  const plain = 'PUBLIC_URL is not encrypted'
  const expected: [url: string, isWarned: boolean][] = [
    ['http://polls.test', true],
    ['http://192.168.1.4:3000', true],
    ['http://localhost:3000', false],
    ['https://polls.test', false],
  ]
  for (const [url, isWarned] of expected) {
    const service = await startTestService('sqlite', { settings: { PUBLIC_URL: url, LOG_LEVEL: 'info' } })
    await service.stop()
    const log = service.logLines.join('')
    expect([url, log.includes(plain), log.includes('tossup member link')]).toEqual([url, isWarned, true])
  }
})
