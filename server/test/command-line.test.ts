import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { newPlace, type Place, type Serving, serve, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'

// Processes take their time when the machine is busy.
setDefaultTimeout(30_000)

interface AppJson {
  appId: string
  apiKeyId: string
  apiKeySecret: string
  scopes: string[]
}

interface ListJson {
  apps: { appId: string; apiKeyId: string; brand: string | null; scopes: string[]; revokedAt: string | null }[]
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe.each([...engines])('%s: the command line beside a running server', (engine) => {
  let place: Place
  let server: Serving

  beforeAll(async () => {
    place = await newPlace(engine)
    server = await serve(place.settings)
  })
  afterAll(async () => {
    server.kill('SIGTERM')
    await server.ended
    await place.clear()
  })

  const run = (...words: string[]) => tossup(words, place.settings)
  const json = <Data = Record<string, unknown>>(...words: string[]) => tossupJson<Data>(words, place.settings)

  const exchange = ({ apiKeyId, apiKeySecret }: AppJson) =>
    fetch(`${server.url}/api/rest/v1/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key-ID': apiKeyId, 'X-API-Key-Secret': apiKeySecret },
      body: JSON.stringify({ externalDeviceId: 'x' }),
    })

  const feedStatus = async (slug: string) => (await fetch(`${server.url}/api/rest/v1/brands/${slug}/polls`)).status

  test('a brand, its app and the end of it: the server knows each at once', async () => {
    expect(await feedStatus('acme')).toBe(404)
    const brand = await json('brand', 'create', '--slug', 'acme', '--name', 'Acme Ünïcode')
    expect(brand).toEqual({ brandId: expect.stringMatching(UUID), slug: 'acme', name: 'Acme Ünïcode' })
    expect(await feedStatus('acme')).toBe(200)

    const app = await json<AppJson>('app', 'create', '--brand', 'acme', '--scopes', 'vote, manage,vote')
    expect(app).toEqual({
      appId: expect.stringMatching(UUID),
      apiKeyId: expect.stringMatching(/^tai_[A-Za-z0-9_-]{24}$/),
      apiKeySecret: expect.stringMatching(/^[0-9a-f]{64}$/),
      scopes: ['vote', 'manage'],
    })
    const answer = await exchange(app)
    expect(answer.status).toBe(200)
    const { data } = (await answer.json()) as { data: { accessToken: string } }
    const asBrand = { headers: { Authorization: `Bearer ${data.accessToken}` } }
    const ownPolls = async () => (await fetch(`${server.url}/api/rest/v1/brands/me/polls`, asBrand)).status
    expect(await ownPolls()).toBe(200)

    const { apps } = await json<ListJson>('app', 'list')
    expect(apps.find(({ appId }) => appId === app.appId)).toMatchObject({
      apiKeyId: app.apiKeyId,
      brand: 'acme',
      scopes: ['vote', 'manage'],
      revokedAt: null,
    })
    expect(JSON.stringify(apps)).not.toContain(app.apiKeySecret)

    expect(await json('app', 'revoke', app.apiKeyId)).toEqual({ revoked: true, app: app.apiKeyId })
    expect(await ownPolls()).toBe(401)
    expect((await exchange(app)).status).toBe(401)
    const revokedAt = async () =>
      (await json<ListJson>('app', 'list')).apps.find(({ appId }) => appId === app.appId)?.revokedAt
    const first = await revokedAt()
    expect(first).toMatch(/^\d{4}-.*Z$/)
    await json('app', 'revoke', app.appId)
    expect(await revokedAt()).toBe(first)
  })

  test('an app without a brand holds view and vote', async () => {
    const app = await json<AppJson>('app', 'create', '--scopes', 'view,vote')
    expect(app.scopes).toEqual(['view', 'vote'])
    expect((await exchange(app)).status).toBe(200)
  })

  test('a category, once', async () => {
    const words = ['category', 'create', '--slug', 'sport', '--name', 'Sport']
    expect(await json(...words)).toEqual({ id: expect.stringMatching(UUID), slug: 'sport', name: 'Sport' })
    const answer = await fetch(`${server.url}/api/rest/v1/categories`)
    expect(await answer.json()).toMatchObject({ data: [{ slug: 'sport', name: 'Sport' }] })
    expect((await run(...words)).code).toBe(1)
  })

  test('a person reads sentences, and the secret stands there once', async () => {
    expect((await run('brand', 'create', '--slug', 'human', '--name', 'Human')).stdout).toMatch(
      /^Created the brand human \(/,
    )
    const { stdout, code } = await run('app', 'create', '--brand', 'human', '--scopes', 'view')
    expect(code).toBe(0)
    expect(stdout.match(/[0-9a-f]{64}/g)).toHaveLength(1)
    expect(stdout).toContain('X-API-Key-ID:')
    const list = await run('app', 'list')
    expect(list.stdout).toContain('human  view  active')
    expect(list.stdout).not.toMatch(/[0-9a-f]{64}/)
  })

  const refused: [string, RegExp, string[]][] = [
    ['a taken slug', /taken/, ['brand', 'create', '--slug', 'taken', '--name', 'Taken']],
    ['the slug me', /reserved/, ['brand', 'create', '--slug', 'me', '--name', 'Me']],
    ['a slug in capitals', /slug takes/, ['brand', 'create', '--slug', 'Acme', '--name', 'Acme']],
    ['a slug that ends in a hyphen', /slug takes/, ['brand', 'create', '--slug', 'acme-', '--name', 'Acme']],
    ['a slug of 64', /slug takes/, ['brand', 'create', '--slug', 'a'.repeat(64), '--name', 'Acme']],
    ['a name of 81', /name takes/, ['brand', 'create', '--slug', 'long', '--name', 'a'.repeat(81)]],
    ['a name of spaces', /name takes/, ['brand', 'create', '--slug', 'blank', '--name', '   ']],
    ['an app of an unknown brand', /no brand nowhere/, ['app', 'create', '--brand', 'nowhere', '--scopes', 'view']],
    ['an unknown app', /no such app/, ['app', 'revoke', 'tai_nobody']],
  ]

  test('what cannot be done ends with 1 and one line', async () => {
    await json('brand', 'create', '--slug', 'taken', '--name', 'First')
    const ended = await Promise.all(refused.map(([, , words]) => run(...words, '--json')))
    for (const [i, [name, said]] of refused.entries()) {
      expect([name, ended[i]]).toEqual([
        name,
        {
          code: 1,
          stdout: expect.stringMatching(/^\{"error":".+"\}\n$/),
          stderr: expect.stringMatching(said),
        },
      ])
      expect(ended[i]?.stderr).toMatch(/^.+\n$/)
    }
  })

  test('migrate beside it finds nothing to do', async () => {
    expect(await json('migrate')).toEqual({ applied: [] })
    expect((await run('migrate')).stdout).toBe('The schema is up to date.\n')
  })
})

describe('wrong usage', () => {
  let place: Place
  beforeAll(async () => {
    place = await newPlace('sqlite')
  })
  afterAll(() => place.clear())

  const wrong: [string, RegExp, string[]][] = [
    ['an unknown command', /no such command/, ['frobnicate']],
    ['half a command', /no such command/, ['brand']],
    ['an option alone', /no such command/, ['--json']],
    ['an unknown option', /--colour/, ['migrate', '--colour']],
    ['a word too many', /too much/, ['serve', 'now']],
    ['a missing slug', /--slug/, ['brand', 'create', '--name', 'Acme']],
    ['a missing name', /--name/, ['brand', 'create', '--slug', 'acme']],
    ['an option without its value', /--slug/, ['brand', 'create', '--name', 'Acme', '--slug']],
    ['missing scopes', /--scopes/, ['app', 'create', '--brand', 'acme']],
    ['an unknown scope', /"fly" is not a scope/, ['app', 'create', '--brand', 'acme', '--scopes', 'view,fly']],
    ['an empty scope', /"" is not a scope/, ['app', 'create', '--brand', 'acme', '--scopes', 'view,']],
    ['manage without a brand', /without a brand/, ['app', 'create', '--scopes', 'view,manage']],
    ['analytics without a brand', /without a brand/, ['app', 'create', '--scopes', 'analytics']],
    // As from --brand "$BRAND" with the variable unset: an app without a brand is not what was meant.
    ['an empty brand', /--brand/, ['app', 'create', '--brand', '', '--scopes', 'view']],
    ['no app to revoke', /Name the app/, ['app', 'revoke']],
  ]

  test('ends with 2, says so, and touches nothing', async () => {
    const dataDir = `${place.dataDir}/untouched`
    const ended = await Promise.all(wrong.map(([, , words]) => tossup(words, { DATA_DIR: dataDir })))
    for (const [i, [name, said, words]] of wrong.entries()) {
      const stdout = words.includes('--json') ? expect.stringMatching(/^\{"error":".+"\}\n$/) : ''
      expect([name, ended[i]]).toEqual([name, { code: 2, stdout, stderr: expect.stringMatching(said) }])
    }
    expect(existsSync(dataDir)).toBe(false)
  })

  test('help names every command', async () => {
    const asked = await tossup(['help'], {})
    expect(asked.code).toBe(0)
    for (const words of [
      'serve',
      'migrate',
      'brand create',
      'app create',
      'app list',
      'app revoke',
      'category create',
    ]) {
      expect(asked.stdout).toContain(`tossup ${words}`)
    }
    const bare = await tossup([], {})
    expect([bare.code, bare.stdout]).toEqual([2, asked.stdout])
    const one = await tossup(['brand', 'create', '--help'], {})
    expect([one.code, one.stdout]).toEqual([0, expect.stringContaining('--slug SLUG --name NAME')])
  })
})

describe('a DATA_DIR without a database', () => {
  let place: Place
  beforeAll(async () => {
    place = await newPlace('sqlite')
  })
  afterAll(() => place.clear())

  test.each([
    [['app', 'create', '--scopes', 'view']],
    [['app', 'list']],
    [['app', 'revoke', 'tai_nobody']],
    [['category', 'create', '--slug', 'sport', '--name', 'Sport']],
    [['webhook', 'listen', '--brand', 'acme']],
    [['purge', '--older-than', '1']],
  ])('is a slip to %j: it ends with 1, says so, and makes none', async (words) => {
    const dataDir = `${place.dataDir}/elsewhere`
    const { code, stdout, stderr } = await tossup([...words, '--json'], { DATA_DIR: dataDir })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^DATA_DIR .*\/elsewhere holds no database\. .+\n$/)])
    expect(JSON.parse(stdout)).toEqual({ error: stderr.trim() })
    expect(existsSync(dataDir)).toBe(false)
  })

  test.each([[['migrate']], [['brand', 'create', '--slug', 'acme', '--name', 'Acme']]])(
    'is where %j may begin',
    async (words) => {
      const settings = { DATA_DIR: `${place.dataDir}/${words[0]}` }
      await tossupJson(words, settings)
      expect(await tossupJson(['app', 'list'], settings)).toEqual({ apps: [] })
    },
  )
})

describe.each([...engines])('%s: a database is made once', (engine) => {
  test('however many processes come first at once', async () => {
    const place = await newPlace(engine)
    try {
      const ended = await Promise.all(Array.from({ length: 5 }, () => tossup(['migrate', '--json'], place.settings)))
      expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(ended.map(() => [0, '']))
      const applied = ended.map(({ stdout }) => JSON.parse(stdout).applied as string[])
      expect(applied.filter((names) => names.length > 0)).toHaveLength(1)
      expect(await tossupJson(['migrate'], place.settings)).toEqual({ applied: [] })
    } finally {
      await place.clear()
    }
  })
})
