import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTools } from '../src/features/agents/tools.ts'
import { AGENT_SETTINGS, agentTokens } from './agents.ts'
import { ClientSite } from './client-site.ts'
import { tossupCommand } from './command.ts'
import { freePort } from './free-port.ts'
import { addMember, type TestMember } from './people.ts'
import { accessOf, startTestService, type TestBrand, type TestService } from './service.ts'
import { dataOf } from './tool-data.ts'

setDefaultTimeout(180_000)

const modules = join(process.env['MCP_TOOLS_DIR'] ?? '', 'node_modules/@modelcontextprotocol')
const CONFORMANCE = join(modules, 'conformance/dist/index.js')
const INSPECTOR = join(modules, 'inspector/clients/launcher/build/index.js')
const isThere = existsSync(CONFORMANCE) && existsSync(INSPECTOR)
if (!isThere) process.stderr.write('MCP_TOOLS_DIR names no conformance suite of MCP: its tests are skipped\n')

/** Why a check of the suite does not apply to this server, by `scenario check: message`. */
const INAPPLICABLE: Readonly<Record<string, RegExp>> = {
  'No extension is offered: the results of tools are ready at once.': /^tasks-/,
  'No tool asks the client for input, a model or its folders.': /^(?:input-required-result|elicitation)-/,
  "The check calls a tool of the suite's own server.":
    /: (?:Failed: (?:MCP error -32602: )?Unknown tool: test_\w+|Tool 'json_schema_2020_12_tool' not found.*)$/s,
  'The check needs a diagnostic tool, with which a server disobeys on request.':
    /: Not testable: server does not list the diagnostic tool/,
  'No argument of a tool is repeated in a header of its own.':
    /: Not testable: server exposes no tool with x-mcp-header/,
  'The server has tools alone: no prompts, resources, completion or messages of a log.':
    /: .*Unknown method: (?:prompts|resources|completion|logging)\/|^sep-2164-resource-not-found /,
  'The server has no sessions, so it has no stream to come back to.': /^server-sse-[\w-]+ [\w-]+-session: $/,
}

/** These must have at least one successful check, so that a suite that skips them is noticed. */
const APPLICABLE: Readonly<Record<string, readonly string[]>> = {
  '2026-07-28': ['server-stateless', 'tools-list', 'caching', 'http-header-validation', 'dns-rebinding-protection'],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
}

interface Check {
  readonly scenario: string
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

describe.if(isThere)('tools for the Model Context Protocol', () => {
  let folder: string
  let service: TestService
  let brand: TestBrand
  let owner: TestMember
  let site: ClientSite
  let door: ReturnType<typeof Bun.serve>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tossup-mcp-'))
    const port = freePort()
    service = await startTestService('sqlite', {
      settings: { ...AGENT_SETTINGS, PUBLIC_URL: `http://127.0.0.1:${port}` },
    })
    brand = await service.createBrand()
    owner = await addMember(service, brand, 'owner')
    site = new ClientSite()
    // The suite has no option for a token. It sends more than the 120 requests a minute of one agent.
    const tokens = await Promise.all([newToken(), newToken(), newToken(), newToken()])
    let asked = 0
    door = Bun.serve({
      port,
      hostname: '127.0.0.1',
      async fetch(request) {
        asked += 1
        const headers = new Headers(request.headers)
        headers.set('Authorization', `Bearer ${tokens[asked % tokens.length]}`)
        headers.set('Accept-Encoding', 'identity')
        const { method } = request
        const body = method === 'POST' ? { body: await request.text() } : {}
        return fetch(`${service.service.url}/mcp`, { method, headers, ...body })
      },
    })
  })
  afterAll(async () => {
    await door.stop(true)
    site.stop()
    await service.stop()
    await rm(folder, { recursive: true })
  })

  const newToken = async (): Promise<string> =>
    (await agentTokens(service, brand, owner, { clientId: site.add() })).access_token

  /** `HOME` is a folder of the test: the inspector keeps a list of servers there. */
  async function run(words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { PATH: process.env['PATH'], HOME: folder }
    const child = Bun.spawn([...words], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  }

  async function checksOf(revision: string): Promise<Check[]> {
    const results = join(folder, revision)
    const options = ['--url', `${door.url.origin}/mcp`, '--requirements', revision, '--output-dir', results]
    await run([process.execPath, CONFORMANCE, 'server', ...options])
    const checks = readdirSync(results).map(async (name) => {
      const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
      const found = (await Bun.file(join(results, name, 'checks.json')).json()) as Check[]
      return found.map((check) => ({ ...check, scenario }))
    })
    return (await Promise.all(checks)).flat()
  }

  test('the conformance suite finds no fault', async () => {
    const used = new Set<string>()
    for (const [revision, applicable] of Object.entries(APPLICABLE)) {
      const checks = await checksOf(revision)
      const failures = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      const texts = failures.map(({ scenario, id, errorMessage = '' }) => `${scenario} ${id}: ${errorMessage}`)
      const faults = texts.filter((text) => {
        const reason = Object.entries(INAPPLICABLE).find(([, pattern]) => pattern.test(text))?.[0]
        if (reason) used.add(reason)
        return !reason
      })
      expect(faults).toEqual([])
      const passed = checks.filter(({ status }) => status === 'SUCCESS').map(({ scenario }) => scenario)
      expect(passed).toEqual(expect.arrayContaining(applicable))
    }
    expect([...used].sort()).toEqual(Object.keys(INAPPLICABLE).sort())
  })

  const names = () => readTools().map(({ name }) => name)
  const inspect = async (words: readonly string[]) => {
    const { code, stdout, stderr } = await run(['node', INSPECTOR, '--cli', ...words])
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout) as { tools: { name: string }[] }
  }

  test('the command line of the inspector lists tools that every client can read, and calls one', async () => {
    const access = ['--transport', 'http', '--header', `Authorization: Bearer ${await newToken()}`]
    const at = [`${service.service.url}/mcp`, ...access]
    const { tools } = await inspect([...at, '--method', 'tools/list', '--strict'])
    expect(tools.map(({ name }) => name)).toEqual(names())
    const words = ['title=Tea or coffee?', 'optionA={"label":"Tea"}', 'optionB={"label":"Coffee"}']
    const made = await inspect([
      ...at,
      ...['--method', 'tools/call', '--tool-name', 'poll_draft', '--tool-arg', ...words],
    ])
    expect(dataOf(made).json).toMatchObject({ data: { title: 'Tea or coffee?', isDraft: true } })
  })

  test('the command line of the inspector starts `tossup mcp`', async () => {
    const access = accessOf(service.service.url, brand)
    const settings = Object.entries(access).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    const { tools } = await inspect([...settings, ...tossupCommand(['mcp', '--publish']), '--method', 'tools/list'])
    expect(tools.map(({ name }) => name)).toEqual(names())
  })
})
