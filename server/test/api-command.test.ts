import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiClient, type ApiRequest } from '../src/cli/commands/api.ts'
import { tossup } from './command.ts'
import { accessOf, startTestService, type TestBrand, type TestService } from './service.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const NOBODY = 'http://127.0.0.1:9'

describe('tossup api', () => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const access = () => accessOf(service.service.url, brand)
  const api = (...words: string[]) => tossup(['api', ...words], access())
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await api(...words)
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }

  test('creates, changes, reads and deletes a poll', async () => {
    const made = await json('POST', '/brands/me/polls', 'title=Cat or dog?', 'optionA.label=Cat', 'optionB.label=Dog')
    expect(made.data).toMatchObject({ title: 'Cat or dog?', optionA: { label: 'Cat' }, optionB: { label: 'Dog' } })
    const path = `/brands/me/polls/${made.data.slug}`
    const changed = await json('patch', path, 'tags=["pets"]', 'title="2026"')
    expect(changed.data).toMatchObject({ tags: ['pets'], title: '2026' })
    expect((await json('GET', `/api/rest/v1${path}`)).data.title).toBe('2026')
    expect(await api('DELETE', path)).toEqual({ code: 0, stdout: '', stderr: '' })
    const missing = await api('GET', path)
    expect([missing.code, missing.stdout]).toEqual([1, ''])
    expect(missing.stderr).toMatch(/^404 NOT_FOUND: .+ \(request [0-9a-f-]{36}\)\n$/)
    const envelope = await api('GET', path, '--json')
    expect([envelope.code, JSON.parse(envelope.stdout)]).toEqual([
      1,
      {
        error: {
          code: 'NOT_FOUND',
          message: expect.any(String),
          details: {},
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      },
    ])
  })

  test('reads all pages', async () => {
    const titles = ['One?', 'Two?', 'Three?', 'Four?', 'Five?']
    for (const title of titles) await service.createPoll(brand, { title, tags: ['pages'] })
    const page = await json('GET', '/brands/me/polls', 'limit=2', 'tag=pages')
    expect([page.data.length, page.hasMore]).toEqual([2, true])
    const whole = await json('GET', '/brands/me/polls?limit=2', 'tag=pages', '--all')
    expect(whole.data.map(({ title }: { title: string }) => title)).toEqual(titles.toReversed())
    const single = await api('GET', '/brands/me', '--all')
    expect([single.code, single.stderr]).toEqual([1, '/brands/me is no list, so it has no pages.\n'])
  })

  test('prints an answer that is not JSON as it is', async () => {
    const poll = await service.createPoll(brand)
    await service.vote(poll.slug, 'A')
    const { stdout } = await api('GET', `/brands/me/polls/${poll.slug}/voters`, '--accept', 'text/csv')
    expect(stdout).toMatch(
      /^respondentId,option,votedAt,position,label,title\r\n[\w-]+,A,[^,]+,1,Tea,Tea or coffee\?\r\n$/,
    )
  })

  test('repeats a write under its key without doing it twice', async () => {
    const words = [
      'POST',
      '/brands/me/polls',
      'title=Again?',
      'optionA.label=Yes',
      'optionB.label=No',
      '--key',
      'again-and-again',
    ]
    expect(await json(...words)).toEqual(await json(...words))
  })

  test('sends a body from standard input or from a file', async () => {
    expect((await api('POST', '/brands/me/polls', '@nowhere.json')).stderr).toBe('Cannot read nowhere.json.\n')
    const file = join(tmpdir(), `body-${process.pid}.json`)
    await Bun.write(file, JSON.stringify({ title: 'File?', optionA: { label: 'Yes' }, optionB: { label: 'No' } }))
    expect((await json('POST', '/brands/me/polls', `@${file}`)).data.title).toBe('File?')
    await Bun.file(file).delete()
  })

  test('shows a refusal with its code and details on standard error', async () => {
    const { code, stdout, stderr } = await api('POST', '/brands/me/polls', 'title=x')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toStartWith('422 VALIDATION_ERROR: ')
    expect(stderr).toContain('"path": "optionA"')
  })

  test('reads public paths without a key', async () => {
    const poll = await service.createPoll(brand)
    const { stdout } = await tossup(['api', 'GET', `/polls/${poll.slug}`], { TOSSUP_URL: service.service.url })
    expect(JSON.parse(stdout).data.slug).toBe(poll.slug)
  })

  test.each([
    [['GET', '/brands/me'], { TOSSUP_URL: NOBODY }, 1, 'Set TOSSUP_API_KEY_ID and TOSSUP_API_KEY_SECRET'],
    [['GET', '/polls/x'], { TOSSUP_URL: NOBODY }, 1, `No answer from ${NOBODY}. Set TOSSUP_URL`],
    [['GET', '/polls/x'], { TOSSUP_URL: 'file:///x' }, 1, 'TOSSUP_URL must be an address'],
    [['GET', '/polls/x'], { TOSSUP_API_KEY_ID: 'x' }, 1, 'belong together'],
    [['PUT', '/polls/x'], {}, 2, '"PUT" is not a method. Use one of: GET, POST, PATCH, DELETE.'],
    [['GET', 'https://example.com/x'], {}, 2, '"https://example.com/x" is not a path'],
    [['GET', '/polls', '@x'], {}, 2, 'A GET has no body'],
    [['POST', '/polls', '@x', 'a=1'], {}, 2, 'no field can stand beside it'],
    [['POST', '/polls', '--all'], {}, 2, '--all is for GET only'],
  ])('%j is refused', async (words, settings, expected, said) => {
    const { code, stdout, stderr } = await tossup(['api', ...words], settings as Record<string, string>)
    expect([code, stdout]).toEqual([expected, ''])
    expect(stderr).toContain(said)
  })

  test('a wrong key is named, and its secret is not', async () => {
    const secret = 'f'.repeat(64)
    const wrong = { ...access(), TOSSUP_API_KEY_SECRET: secret }
    const { code, stdout, stderr } = await tossup(['api', 'GET', '/brands/me'], wrong)
    expect(code).toBe(1)
    expect(stderr).toContain('401 INVALID_API_KEY: ')
    expect(stdout + stderr).not.toContain(secret)
  })

  test('exchanges the key again when the token has expired', async () => {
    const client = new ApiClient(
      { url: service.service.url, key: { id: brand.apiKeyId, secret: brand.apiKeySecret } },
      'a-test',
    )
    const profile: ApiRequest = {
      method: 'GET',
      path: '/brands/me',
      query: [],
      body: null,
      accept: null,
      idempotencyKey: null,
    }
    expect((await client.send(profile)).status).toBe(200)
    service.clock.advance(3_600_000)
    expect((await client.send(profile)).status).toBe(200)
  })
})
