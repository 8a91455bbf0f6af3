import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { openDatabase } from '../src/db/open.ts'
import { newPlace, type Place, type Serving, serve, TEST_SECRET, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

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

  test('the server knows a new brand, its app and a revoked app at once', async () => {
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

  test('an app without a brand has the scopes view and vote', async () => {
    const app = await json<AppJson>('app', 'create', '--scopes', 'view,vote')
    expect(app.scopes).toEqual(['view', 'vote'])
    expect((await exchange(app)).status).toBe(200)
  })

  test('a category is created once', async () => {
    const words = ['category', 'create', '--slug', 'sport', '--name', 'Sport']
    expect(await json(...words)).toEqual({ id: expect.stringMatching(UUID), slug: 'sport', name: 'Sport' })
    const answer = await fetch(`${server.url}/api/rest/v1/categories`)
    expect(await answer.json()).toMatchObject({ data: [{ slug: 'sport', name: 'Sport' }] })
    expect((await run(...words)).code).toBe(1)
  })

  test('a category is listed, renamed and deleted, and the running server shows it', async () => {
    const shown = async () => {
      const answer = await fetch(`${server.url}/api/rest/v1/categories`)
      return ((await answer.json()) as { data: { slug: string; name: string }[] }).data.map(({ slug, name }) => [
        slug,
        name,
      ])
    }
    await json('category', 'create', '--slug', 'film', '--name', 'Film')
    const { categories } = await json<{ categories: { slug: string; polls: number }[] }>('category', 'list')
    expect(categories.find(({ slug }) => slug === 'film')).toMatchObject({ slug: 'film', polls: 0 })
    const renamed = await json('category', 'rename', 'film', '--name', 'Cinema', '--new-slug', 'cinema')
    expect(renamed).toMatchObject({ slug: 'cinema', name: 'Cinema', polls: 0 })
    expect(await shown()).toContainEqual(['cinema', 'Cinema'])
    const unasked = await run('category', 'delete', 'cinema')
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('Add --yes to do it.')])
    expect(await json('category', 'delete', 'cinema', '--yes')).toMatchObject({ deleted: true, polls: 0 })
    expect((await shown()).flat()).not.toContain('cinema')
  })

  test('a name cannot forge a line or move the cursor of a terminal, in text or in JSON', async () => {
    const name = 'Real\u001b[2J\u009b31m\r\nforged  Forged  9 polls\u202e\u2028'
    const secretKeys = engine === 'postgres' ? [TEST_SECRET] : []
    const { DATABASE_URL: url = '' } = place.settings
    const database = engine === 'postgres' ? { engine, url } : { engine, dataDir: place.dataDir }
    const { engine: opened } = await openDatabase({ database, secretKeys })
    await opened.db.updateTable('brands').set({ name }).where('slug', '=', 'acme').execute()
    await opened.close()
    const listed = await run('brand', 'list')
    const shown = 'Real\\u{1b}[2J\\u{9b}31m\\u{d}\\u{a}forged  Forged  9 polls\\u{202e}\\u{2028}'
    expect(listed.stdout.split('\n').find((line) => line.startsWith('acme  '))).toBe(`acme  ${shown}  0 polls`)
    const { stdout } = await run('brand', 'list', '--json')
    expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
    const { brands } = JSON.parse(stdout) as { brands: { slug: string; name: string }[] }
    expect(brands.find(({ slug }) => slug === 'acme')?.name).toBe(name)
  })

  test('output for people is sentences, with the secret once', async () => {
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
    ['a taken slug', /already in use/, ['brand', 'create', '--slug', 'taken', '--name', 'Taken']],
    ['the slug me', /reserved/, ['brand', 'create', '--slug', 'me', '--name', 'Me']],
    [
      'an app of an unknown brand',
      /no brand with the slug nowhere/,
      ['app', 'create', '--brand', 'nowhere', '--scopes', 'view'],
    ],
    ['an unknown category', /no category/, ['category', 'rename', 'nowhere', '--name', 'x']],
    ['a category to delete that is not there', /no category/, ['category', 'delete', 'nowhere', '--yes']],
    ['an unknown app', /No app has this id/, ['app', 'revoke', 'tai_nobody']],
  ]

  const malformed: [string, RegExp, string[]][] = [
    ['a slug in capitals', /--slug must have/, ['brand', 'create', '--slug', 'Acme', '--name', 'Acme']],
    ['a slug that ends in a hyphen', /--slug must have/, ['brand', 'create', '--slug', 'acme-', '--name', 'Acme']],
    ['a slug of 64', /--slug must have/, ['brand', 'create', '--slug', 'a'.repeat(64), '--name', 'Acme']],
    ['a name of 81', /--name must have/, ['brand', 'create', '--slug', 'long', '--name', 'a'.repeat(81)]],
    ['a name of spaces', /--name must have/, ['brand', 'create', '--slug', 'blank', '--name', '   ']],
    ['a slug of a category', /--slug must have/, ['category', 'create', '--slug', 'Sport', '--name', 'Sport']],
    [
      'a time of a poll',
      /--closes: /,
      [...'poll create --brand acme --title T --a A --b B --closes tomorrow'.split(' ')],
    ],
  ]

  test.each(malformed)('%s that is malformed is wrong usage: 2', async (_, said, words) => {
    const { code, stdout, stderr } = await run(...words, '--json')
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)])
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'USAGE',
      message: stderr.trim(),
      details: {},
      requestId: null,
    })
  })

  test('a command that fails exits with 1 and prints one line', async () => {
    await json('brand', 'create', '--slug', 'taken', '--name', 'First')
    const ended = await Promise.all(refused.map(([, , words]) => run(...words, '--json')))
    for (const [i, [name, said]] of refused.entries()) {
      expect([name, ended[i]]).toEqual([
        name,
        {
          code: 1,
          stdout: expect.stringMatching(
            /^\{"error":\{"code":"FAILED","message":".+","details":\{\},"requestId":null\}\}\n$/,
          ),
          stderr: expect.stringMatching(said),
        },
      ])
      expect(ended[i]?.stderr).toMatch(/^.+\n$/)
    }
  })

  test('migrate beside a running server finds nothing to do', async () => {
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
    ['an unknown command', /Unknown command/, ['frobnicate']],
    ['half a command', /After "brand" comes one of: create/, ['brand']],
    ['an option alone', /Unknown command/, ['--json']],
    ['an unknown option', /--colour/, ['migrate', '--colour']],
    ['a word too many', /Unexpected argument "now"/, ['serve', 'now']],
    ['a missing slug', /--slug/, ['brand', 'create', '--name', 'Acme']],
    ['a missing name', /--name/, ['brand', 'create', '--slug', 'acme']],
    ['an option without its value', /--slug/, ['brand', 'create', '--name', 'Acme', '--slug']],
    ['missing scopes', /--scopes/, ['app', 'create', '--brand', 'acme']],
    ['an unknown scope', /"fly" is not a scope/, ['app', 'create', '--brand', 'acme', '--scopes', 'view,fly']],
    ['an empty scope', /"" is not a scope/, ['app', 'create', '--brand', 'acme', '--scopes', 'view,']],
    ['manage without a brand', /without a brand/, ['app', 'create', '--scopes', 'view,manage']],
    ['analytics without a brand', /without a brand/, ['app', 'create', '--scopes', 'analytics']],
    // Simulates --brand "$BRAND" with an unset variable: an app without a brand was not intended.
    ['an empty brand', /--brand/, ['app', 'create', '--brand', '', '--scopes', 'view']],
    ['no app to revoke', /APP_ID_OR_KEY_ID is missing/, ['app', 'revoke']],
  ]

  test('exits with 2, prints what is wrong, and changes nothing', async () => {
    const dataDir = `${place.dataDir}/untouched`
    const ended = await Promise.all(wrong.map(([, , words]) => tossup(words, { DATA_DIR: dataDir })))
    for (const [i, [name, said, words]] of wrong.entries()) {
      const stdout = words.includes('--json') ? expect.stringMatching(/^\{"error":\{"code":"USAGE",.+\}\}\n$/) : ''
      expect([name, ended[i]]).toEqual([name, { code: 2, stdout, stderr: expect.stringMatching(said) }])
    }
    expect(existsSync(dataDir)).toBe(false)
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
  ])('%j exits with 1 and prints so, and creates no database', async (words) => {
    const dataDir = `${place.dataDir}/elsewhere`
    const { code, stdout, stderr } = await tossup([...words, '--json'], { DATA_DIR: dataDir })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^DATA_DIR .*\/elsewhere has no database\. .+\n$/)])
    const error = { code: 'FAILED', message: stderr.trim(), details: {}, requestId: null }
    expect(JSON.parse(stdout)).toEqual({ error })
    expect(existsSync(dataDir)).toBe(false)
  })

  test.each([[['migrate']], [['brand', 'create', '--slug', 'acme', '--name', 'Acme']]])(
    '%j creates the database',
    async (words) => {
      const settings = { DATA_DIR: `${place.dataDir}/${words[0]}` }
      await tossupJson(words, settings)
      expect(await tossupJson(['app', 'list'], settings)).toEqual({ apps: [] })
    },
  )
})

describe.each([...engines])('%s: a database is made once', (engine) => {
  test('by however many processes that start at once', async () => {
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
