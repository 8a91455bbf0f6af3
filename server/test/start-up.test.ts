import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newPlace, type Place, type Settings, serve, TEST_SECRET, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { ADMIN_URL } from './own-database.ts'
import { errorMessage, message } from './postgres-wire.ts'

// Processes take their time when the machine is busy.
setDefaultTimeout(30_000)

const PASSWORD = 'hunter2-never-printed'
const SHORT_SECRET = 'short-never-printed'
const NOWHERE = `postgres://tossup:${PASSWORD}@127.0.0.1:1/tossup`

/** Ends at once with 1, one line on standard error that names the variable, and no value that is secret. */
async function expectRefusal(settings: Settings, said: RegExp, words = ['serve']): Promise<void> {
  const { code, stdout, stderr } = await tossup(words, settings)
  expect([stderr, code, stdout]).toEqual([expect.stringMatching(said), 1, ''])
  expect(stderr).toMatch(/^.+\n$/)
  for (const secret of [PASSWORD, SHORT_SECRET, TEST_SECRET]) expect(stderr).not.toContain(secret)
}

describe('a wrong variable stops the start with one line that names it', () => {
  const wrong: [string, string][] = [
    ['PORT', 'http'],
    ['HOST', 'no-such-host.invalid'],
    ['HOST', '203.0.113.7'],
    ['DATABASE_URL', `mysql://root:${PASSWORD}@127.0.0.1/x`],
    ['S3_URL', `s3+http://key:${PASSWORD}@127.0.0.1:1/bucket`],
    ['S3_URL', `s3://key:${PASSWORD}@127.0.0.1`],
    ['SECRET_KEY', SHORT_SECRET],
  ]
  let place: Place
  beforeAll(async () => {
    place = await newPlace('sqlite')
  })
  afterAll(() => place.clear())

  test('whichever it is (config.test.ts has them all)', async () => {
    const fresh = (i: number) => join(place.dataDir, String(i))
    await Promise.all(
      wrong.map(([name, value], i) =>
        expectRefusal({ PORT: '0', DATA_DIR: fresh(i), [name]: value }, new RegExp(`^${name} `)),
      ),
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
        expectRefusal(
          { DATA_DIR: dataDir, DATABASE_URL: url, SECRET_KEY: TEST_SECRET },
          /^DATABASE_URL cannot be used/,
        ),
      ),
    )
  })

  test('a wrong password', async () => {
    await using gate = refusingGate()
    const url = `postgres://tossup:${PASSWORD}@127.0.0.1:${gate.port}/tossup`
    const settings = { DATA_DIR: place.dataDir, DATABASE_URL: url, SECRET_KEY: TEST_SECRET }
    await expectRefusal(settings, /^DATABASE_URL cannot be used: password authentication failed/)
    expect(gate.passwords).toEqual([PASSWORD])
  })

  test('a Redis that does not answer', () =>
    expectRefusal({ DATA_DIR: place.dataDir, PORT: '0', REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:1` }, /^REDIS_URL/))

  test('a port that is taken', async () => {
    using other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
    const settings = { DATA_DIR: place.dataDir, PORT: String(other.port) }
    await expectRefusal(settings, new RegExp(`^PORT ${other.port} on 127.0.0.1 is already in use`))
    const metrics = { DATA_DIR: place.dataDir, PORT: '0', METRICS_PORT: String(other.port) }
    await expectRefusal(metrics, new RegExp(`^METRICS_PORT ${other.port} on 127.0.0.1 is already in use`))
  })
})

describe('a DATA_DIR that cannot be used', () => {
  let place: Place
  beforeAll(async () => {
    place = await newPlace('sqlite')
  })
  afterAll(() => place.clear())

  const inside = (name: string) => join(place.dataDir, name)
  const expectUnusable = (dataDir: string) =>
    Promise.all([
      expectRefusal({ DATA_DIR: dataDir, PORT: '0' }, /^DATA_DIR .* cannot be used/),
      expectRefusal({ DATA_DIR: dataDir }, /^DATA_DIR .* cannot be used/, ['migrate']),
    ])

  test('a file in its place, a path below a file, a place that takes no folder', async () => {
    await writeFile(inside('file'), '')
    await Promise.all([inside('file'), inside('file/below'), '/proc/tossup'].map(expectUnusable))
  })

  test('a database that is none, and one whose pages are spoiled', async () => {
    await mkdir(inside('noise'))
    await writeFile(inside('noise/tossup.sqlite'), randomBytes(8_192))
    await expectUnusable(inside('noise'))
    await tossupJson(['migrate'], { DATA_DIR: inside('whole') })
    const bytes = await Bun.file(inside('whole/tossup.sqlite')).bytes()
    await mkdir(inside('spoiled'))
    await cp(inside('whole/secret.key'), inside('spoiled/secret.key'))
    await writeFile(inside('spoiled/tossup.sqlite'), bytes.fill(0xff, 4_096))
    await expectUnusable(inside('spoiled'))
  })

  test('a kept key that is empty, or no file', async () => {
    await mkdir(inside('empty-key'))
    await writeFile(inside('empty-key/secret.key'), '')
    await expectRefusal({ DATA_DIR: inside('empty-key') }, /secret\.key does not hold a secret key/, ['migrate'])
    await mkdir(inside('odd-key/secret.key'), { recursive: true })
    await expectUnusable(inside('odd-key'))
  })

  test.if(engines.includes('postgres'))('matters with PostgreSQL too: files are kept there', async () => {
    const { settings, clear } = await newPlace('postgres')
    try {
      await expectRefusal({ ...settings, PORT: '0', DATA_DIR: '/proc/tossup' }, /^DATA_DIR .* cannot be used/)
    } finally {
      await clear()
    }
  })

  test('one that another server holds, until that is gone, however it went', async () => {
    const settings = { DATA_DIR: inside('held') }
    const first = await serve(settings)
    await expectRefusal({ ...settings, PORT: '0' }, /^Another Tossup is already serving from DATA_DIR/)
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

  const list = (secrets: string) => tossup(['app', 'list'], { ...place.settings, SECRET_KEY: secrets })

  test('a wrong one is refused and changes nothing; "new,old" wraps anew, and then "new" alone opens', async () => {
    const settings = { ...place.settings, SECRET_KEY: TEST_SECRET }
    await tossupJson(['migrate'], settings)
    const made = await tossupJson(['app', 'create', '--scopes', 'view'], settings)
    await expectRefusal({ ...place.settings, SECRET_KEY: NEW }, /^SECRET_KEY is not the one/, ['app', 'list'])
    expect((await list(TEST_SECRET)).code).toBe(0)
    expect((await list(`${NEW}, ${TEST_SECRET}`)).code).toBe(0)
    expect((await list(NEW)).stdout).toContain(String(made['apiKeyId']))
    expect((await list(TEST_SECRET)).stderr).toMatch(/^SECRET_KEY is not the one/)
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

test('two servers never share a port, be it of one user', async () => {
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

test('SQLite: the kept key opens the database, is private, and gives way to SECRET_KEY on request alone', async () => {
  const { dataDir, settings, clear } = await newPlace('sqlite')
  try {
    await tossupJson(['migrate'], settings)
    const { mode, size } = await stat(join(dataDir, 'secret.key'))
    expect([mode & 0o777, size]).toEqual([0o600, 44])
    await tossupJson(['app', 'list'], settings)
    await expectRefusal({ ...settings, SECRET_KEY: TEST_SECRET }, /^SECRET_KEY is not the one/, ['app', 'list'])
    const kept = (await readFile(join(dataDir, 'secret.key'), 'utf8')).trim()
    await tossupJson(['app', 'list'], { ...settings, SECRET_KEY: `${TEST_SECRET},${kept}` })
    await expectRefusal(settings, /^SECRET_KEY is not the one/, ['app', 'list'])
    await rm(join(dataDir, 'secret.key'))
    await expectRefusal(settings, /^SECRET_KEY is not set, and .* holds no secret.key/, ['app', 'list'])
    expect(await readdir(dataDir)).not.toContain('secret.key')
    await tossupJson(['app', 'list'], { ...settings, SECRET_KEY: TEST_SECRET })
  } finally {
    await clear()
  }
})

/** The address of the real server, wrong in one part. */
const elsewhere = (wrong: Partial<Pick<URL, 'username' | 'pathname' | 'search'>>): string =>
  Object.assign(new URL(ADMIN_URL), { password: PASSWORD }, wrong).href

/** Speaks as much of PostgreSQL's protocol as a login that fails: asks for the password, and refuses it. */
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
