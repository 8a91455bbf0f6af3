import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { tossup, tossupCommand } from './command.ts'
import { accessOf, startTestService, type TestBrand, type TestService } from './service.ts'
import { dataOf } from './tool-data.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const READING = ['activity', 'campaign_results', 'campaigns_list', 'poll_get', 'poll_results', 'polls_list', 'summary']
const DRAFTING = ['campaign_draft', 'poll_draft', 'poll_update']
const PUBLISHING = ['campaign_publish', 'poll_archive', 'poll_close', 'poll_publish', 'theme_update']

describe('tossup mcp', () => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const access = () => accessOf(service.service.url, brand)

  async function connected<T>(
    words: string[],
    mode: 'legacy' | 'auto',
    work: (client: Client) => Promise<T>,
  ): Promise<T> {
    const [command = '', ...args] = tossupCommand(['mcp', ...words])
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(
      new StdioClientTransport({ command, args, env: { PATH: process.env['PATH'] ?? '', ...access() } }),
    )
    try {
      return await work(client)
    } finally {
      await client.close()
    }
  }
  const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).toSorted()

  test.each([
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
  ] as const)('the official client (%s) drafts a poll and reads its results', async (mode, revision) => {
    await connected([], mode, async (client) => {
      expect(client.getNegotiatedProtocolVersion()).toBe(revision)
      expect(client.getServerVersion()?.name).toBe('tossup')
      expect(await namesOf(client)).toEqual([...READING, ...DRAFTING].toSorted())
      const made = dataOf(
        await client.callTool({
          name: 'poll_draft',
          arguments: { title: 'Cat or dog?', optionA: { label: 'Cat' }, optionB: { label: 'Dog' } },
        }),
      )
      expect(made.json).toMatchObject({ data: { title: 'Cat or dog?', isDraft: true } })
      const { slug } = made.json.data as { slug: string }
      const renamed = await client.callTool({ name: 'poll_update', arguments: { slug, title: 'Dog or cat?' } })
      expect(dataOf(renamed).json).toMatchObject({ data: { title: 'Dog or cat?', isDraft: true } })
      const results = await client.callTool({ name: 'poll_results', arguments: { slug } })
      expect(dataOf(results).json).toMatchObject({ data: { votes: 0, verdict: 'no_votes' } })
      const listed = await client.callTool({ name: 'polls_list', arguments: { isDraft: true, limit: 1 } })
      expect(dataOf(listed).json).toMatchObject({ data: [{ slug }] })
    })
  })

  test('publishes only with --publish, and drafts nothing with --read-only', async () => {
    const { slug } = await service.createPoll(brand, { isDraft: true })
    await connected(['--read-only'], 'auto', async (client) => expect(await namesOf(client)).toEqual(READING))
    await connected([], 'auto', async (client) => {
      const published = client.callTool({ name: 'poll_publish', arguments: { slug } })
      await expect(published).rejects.toThrow('Unknown tool: poll_publish')
    })
    await connected(['--publish'], 'auto', async (client) => {
      expect(await namesOf(client)).toEqual([...READING, ...DRAFTING, ...PUBLISHING].toSorted())
      const published = dataOf(await client.callTool({ name: 'poll_publish', arguments: { slug } }))
      expect(published.json).toMatchObject({ data: { isDraft: false, status: 'open' } })
    })
    await connected([], 'auto', async (client) => {
      const changed = dataOf(await client.callTool({ name: 'poll_update', arguments: { slug, title: 'Now?' } }))
      expect([changed.isError, changed.text]).toEqual([true, expect.stringContaining('permission to publish')])
    })
  })

  test('a drafting tool takes no field that publishes, hides or admits', async () => {
    await connected(['--publish'], 'auto', async (client) => {
      const { tools } = await client.listTools()
      for (const name of ['poll_draft', 'poll_update', 'campaign_draft', 'poll_publish', 'theme_update']) {
        const { inputSchema } = tools.find((tool) => tool.name === name) ?? {}
        expect(Object.keys(inputSchema?.properties ?? {})).not.toContainAnyValues([
          ...[
            'isDraft',
            'isPrivate',
            'status',
            'state',
            'isPublic',
            'archived',
            'resultsVisibility',
            'resultsBeforeVote',
          ],
          ...['challenge', 'codeListId', 'embedOrigins', 'embedStorage', 'customCss', 'shareResults'],
        ])
      }
      const poll = { title: 'A or B?', optionA: { label: 'A' }, optionB: { label: 'B' } }
      for (const field of [{ isDraft: false }, { resultsVisibility: 'never' }, { codeListId: null }, { toString: 1 }]) {
        const refused = dataOf(await client.callTool({ name: 'poll_draft', arguments: { ...poll, ...field } }))
        expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining(Object.keys(field)[0] ?? '')])
      }
    })
  })

  test('tells of a refusal, of a service that does not answer, and of lines that are no messages', async () => {
    await connected([], 'auto', async (client) => {
      const missing = dataOf(await client.callTool({ name: 'poll_get', arguments: { slug: 'no-such-poll' } }))
      expect([missing.isError, missing.json]).toMatchObject([true, { error: { code: 'NOT_FOUND' } }])
      const strange = dataOf(await client.callTool({ name: 'poll_get', arguments: { slug: '../campaigns' } }))
      expect([strange.isError, strange.json]).toMatchObject([
        true,
        { error: { details: { fields: [{ path: 'slug' }] } } },
      ])
    })
    const child = Bun.spawn(tossupCommand(['mcp']), {
      env: { PATH: process.env['PATH'] ?? '', ...access(), TOSSUP_URL: 'http://127.0.0.1:9' },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'summary' } }
    for (const line of ['no JSON', '[]', '', '{"jsonrpc":"2.0","id":2,"method":"nonsense"}', JSON.stringify(call)])
      child.stdin.write(`${line}\n`)
    await child.stdin.end()
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([code, stderr]).toEqual([0, ''])
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.map(({ error }) => error?.code).slice(0, 3)).toEqual([-32700, -32600, -32601])
    expect(answers[3]).toMatchObject({ id: 1, result: { isError: true } })
  })

  test('needs the key of an app, and knows its options', async () => {
    expect(await tossup(['mcp'], {})).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Set TOSSUP_API_KEY_ID'),
    })
    expect((await tossup(['mcp', '--all'], access())).code).toBe(2)
  })
})
