import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transaction } from '../src/db/transaction.ts'
import { addMember, addPerson } from '../src/features/people/links.ts'
import { newPlace, type Place, TEST_SECRET, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { startTestService, type TestService } from './service.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(240_000)

type Json = Record<string, string>

/** Every command, and what the list of activity says of it. Null: it changes no brand. */
const COMMANDS: Readonly<Record<string, string | null>> = {
  serve: null,
  migrate: null,
  'brand create': 'brand.created',
  // The list of activity goes with the brand.
  'brand delete': null,
  'brand export': null,
  'log mirror': null,
  'verify-log': null,
  'brand import': 'brand.created',
  'brand list': null,
  'brand rename': 'brand.updated',
  'app create': 'app.created',
  'app list': null,
  'app rotate': 'app.secret_rotated',
  'app revoke': 'app.revoked',
  'category create': null,
  'category delete': null,
  'category list': null,
  'category rename': null,
  'code-list create': 'code_list.created',
  'code-list delete': 'code_list.deleted',
  'code-list list': null,
  'code issue': 'codes.issued',
  'code revoke': 'codes.revoked',
  'member invite': 'invitation.created',
  'member link': null,
  'member list': null,
  // Operators belong to the service, not to a brand.
  'member operator': null,
  'member remove': 'member.removed',
  'storage move': null,
  api: null,
  mcp: null,
  backup: null,
  doctor: null,
  health: null,
  restore: null,
  verify: null,
  version: null,
  'poll create': 'poll.created',
  'log restart': null,
  'webhook listen': null,
  purge: null,
}

test('every command is known here', () => {
  const folder = new URL('../src/cli/', import.meta.url).pathname
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(folder + name, 'utf8'))
    .join('')
  const words = [...source.matchAll(/^ {2}words: '(.+)',$/gm)].map(([, found]) => found ?? '')
  expect(words.toSorted()).toEqual(Object.keys(COMMANDS).toSorted())
})

describe.each([...engines])('%s: a command that writes for a brand', (engine) => {
  let place: Place
  beforeAll(async () => {
    const made = await newPlace(engine)
    place = { ...made, settings: { ...made.settings, SECRET_KEY: TEST_SECRET } }
  })
  afterAll(() => place.clear())

  const json = (...words: string[]) => tossupJson<Json>(words, place.settings)
  const code = async (...words: string[]) => (await tossup([...words, '--json'], place.settings)).code

  test('leaves one entry of the operator, and none if it is refused', async () => {
    await json('brand', 'create', '--slug', 'acme', '--name', 'Acme')
    const {
      appId = '',
      apiKeyId = '',
      apiKeySecret,
    } = await json('app', 'create', '--brand', 'acme', '--name', 'Shop', '--scopes', 'view,manage')
    const rotated = await json('app', 'rotate', apiKeyId, '--overlap', '60')
    expect([rotated['appId'], rotated['apiKeySecret'] === apiKeySecret]).toEqual([appId, false])
    const poll = [
      'poll',
      'create',
      '--brand',
      'acme',
      '--title',
      'Tea or coffee?',
      '--a',
      'Tea',
      '--b',
      'Coffee',
      '--slug',
      'tea',
    ]
    expect(await json(...poll)).toMatchObject({ slug: 'tea', shareUrl: expect.stringContaining('/p/') })
    expect(await json('brand', 'rename', 'acme', '--name', 'Acme & Co')).toMatchObject({
      slug: 'acme',
      name: 'Acme & Co',
    })
    const { codeListId = '' } = await json('code-list', 'create', '--brand', 'acme', '--name', 'Members')
    const { codes } = (await json('code', 'issue', codeListId, '--count', '3')) as unknown as {
      codes: { code: string }[]
    }
    const file = join(mkdtempSync(join(tmpdir(), 'tossup-codes-')), 'codes.csv')
    await json('code', 'issue', codeListId, '--count', '2', '--out', file)
    const written = readFileSync(file, 'utf8')
    expect(written).toMatch(/^code\r\n(?:[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\r\n){2}$/)
    writeFileSync(file, `${written}${codes[0]?.code}\nTEA\n`)
    expect(await json('code', 'revoke', codeListId, file)).toMatchObject({ revoked: 3, unknown: 1 })
    const lists = (await json('code-list', 'list', '--brand', 'acme')) as unknown as { codeLists: Json[] }
    expect(lists.codeLists).toMatchObject([{ name: 'Members', issued: 5, revoked: 3, used: 0, polls: 0 }])
    expect(await code('code', 'issue', codeListId, '--count', '1', '--out', file)).toBe(1)
    await json('code-list', 'delete', codeListId, '--yes')
    await json('app', 'revoke', appId)
    await json('app', 'revoke', appId)
    await json('member', 'invite', '--brand', 'acme', '--email', 'ada@example.com', '--role', 'editor')
    await inDatabase((service) => joinAcme(service, 'ben@example.com'))
    await json('member', 'remove', '--brand', 'acme', '--email', 'ben@example.com')
    const { brands } = (await json('brand', 'list')) as unknown as { brands: Json[] }
    expect(brands).toMatchObject([{ slug: 'acme', name: 'Acme & Co', polls: 1 }])
    const refused = [
      poll,
      ['poll', 'create', '--brand', 'nobody', '--title', 'x', '--a', 'x', '--b', 'y'],
      ['brand', 'rename', 'nobody', '--name', 'x'],
      ['brand', 'create', '--slug', 'acme', '--name', 'Acme'],
      ['app', 'rotate', appId],
      ['member', 'invite', '--brand', 'nobody', '--email', 'ada@example.com', '--role', 'editor'],
      ['member', 'remove', '--brand', 'acme', '--email', 'ben@example.com'],
      ['app', 'rotate', 'tai_nobody'],
      ['code-list', 'create', '--brand', 'nobody', '--name', 'x'],
      ['code-list', 'delete', codeListId, '--yes'],
      ['code', 'issue', codeListId, '--count', '1'],
      ['code', 'revoke', codeListId, file],
    ]
    expect(await Promise.all(refused.map((words) => code(...words)))).toEqual(refused.map(() => 1))
    const wrong = [
      ['app', 'rotate'],
      ['app', 'rotate', appId, '--overlap', '86401'],
      ['brand', 'rename', '--name', 'x'],
      ['poll', 'create', '--brand', 'acme', '--title', 'x', '--a', 'x'],
      ['poll', 'create', '--brand', 'acme', '--title', 'x', '--a', 'x'.repeat(81), '--b', 'y'],
      ['poll', 'create', '--brand', 'acme', '--title', 'x', '--a', 'x', '--b', 'y', '--closes', 'tomorrow'],
      ['brand', 'rename', 'acme', '--name', ' '],
      ['code-list', 'create', '--brand', 'acme', '--name', ' '],
      ['code', 'issue', codeListId, '--count', '200001'],
      ['code', 'issue', codeListId, '--count', '1', '--poll', 'tea', '--campaign', 'x'],
      ['code', 'revoke', codeListId],
    ]
    expect(await Promise.all(wrong.map((words) => code(...words)))).toEqual(wrong.map(() => 2))
    const entries = await inDatabase(({ db }) => db.selectFrom('activity').selectAll().orderBy('key').execute())
    expect(entries.map(({ action, subject_title, actor_kind }) => [action, subject_title, actor_kind])).toEqual([
      ['brand.created', 'Acme', 'operator'],
      ['app.created', 'Shop', 'operator'],
      ['app.secret_rotated', 'Shop', 'operator'],
      ['poll.created', 'Tea or coffee?', 'operator'],
      ['brand.updated', 'Acme & Co', 'operator'],
      ['code_list.created', 'Members', 'operator'],
      ['codes.issued', 'Members', 'operator'],
      ['codes.issued', 'Members', 'operator'],
      ['codes.revoked', 'Members', 'operator'],
      ['code_list.deleted', 'Members', 'operator'],
      ['app.revoked', 'Shop', 'operator'],
      ['invitation.created', 'ada@example.com', 'operator'],
      ['member.joined', 'ben@example.com', 'member'],
      ['member.removed', 'ben@example.com', 'operator'],
    ])
    const byOperator = entries.filter(({ actor_kind }) => actor_kind === 'operator')
    expect(new Set(byOperator.map(({ action }) => action))).toEqual(
      new Set(Object.values(COMMANDS).filter((action) => action !== null)),
    )
  })

  async function joinAcme({ deps, db }: TestService, email: string) {
    const { key: brandKey } = await db
      .selectFrom('brands')
      .select('key')
      .where('slug', '=', 'acme')
      .executeTakeFirstOrThrow()
    await transaction(deps.engine, async (tx) => {
      const personKey = await addPerson(tx, { email, emailKey: email, isProven: true, now: Date.now() })
      await addMember(tx, { brandKey, personKey: personKey ?? 0, role: 'editor', now: Date.now() })
    })
  }

  async function inDatabase<T>(work: (service: TestService) => Promise<T>): Promise<T> {
    const url = place.settings['DATABASE_URL']
    const service = await startTestService(engine, {
      settings: { ...place.settings },
      keepsData: true,
      ...(url === undefined ? {} : { database: { url, drop: async () => undefined } }),
    })
    try {
      return await work(service)
    } finally {
      await service.stop()
    }
  }
})
