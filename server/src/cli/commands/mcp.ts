// The MCP server on standard input and output: one JSON-RPC message a line. It acts as an app, through the interface.
import { createInterface } from 'node:readline'
import { isTossupError } from '../../../../sdk/src/errors.ts'
import { PlainFailure } from '../../base/errors.ts'
import { readApiAccess } from '../../config/config.ts'
import { answerMessage, notJson, type ToolBox } from '../../features/agents/protocol.ts'
import { runTool, type ToolAnswer, type ToolRequest } from '../../features/agents/run-tool.ts'
import { LEAVES, type Leave, readTools } from '../../features/agents/tools.ts'
import type { Arguments, Command } from '../command.ts'
import { ApiClient } from './api.ts'

const MOST_LINE = 64 * 1_024

export const mcpCommand: Command = {
  words: 'mcp',
  usage: '[--read-only | --publish]',
  summary: 'Serve the tools for agents on standard input and output, as an app of any server',
  options: {
    'read-only': { type: 'boolean', about: 'Offer only the tools that read' },
    publish: { type: 'boolean', about: 'Also offer the tools that publish, close and archive, and change the theme' },
  },
  details: [
    'For clients of the Model Context Protocol that start a program. By default an agent reads and drafts. The environment says',
    'where and as whom: TOSSUP_URL (default http://127.0.0.1:3000), TOSSUP_API_KEY_ID and TOSSUP_API_KEY_SECRET. The app',
    'needs the scopes manage and analytics. Clients that connect to an address use /mcp of the server instead.',
  ].join('\n'),
  async run({ values }) {
    const access = readApiAccess()
    if (!access.key) {
      throw new PlainFailure(
        'Set TOSSUP_API_KEY_ID and TOSSUP_API_KEY_SECRET to the keys of an app. `tossup app create` makes one.',
      )
    }
    const client = new ApiClient(access, 'tossup-mcp')
    const leaves = leavesOf(values)
    const known = readTools().filter(({ leave }) => leaves.includes(leave))
    await answerLines({
      list: known.map(({ words }) => words),
      call(name, given) {
        const tool = known.find((each) => each.name === name)
        if (!tool) return null
        const caller = { leaves, now: Date.now, send: (request: ToolRequest) => sendAs(client, request) }
        return runTool(tool, given, caller).then((outcome) =>
          'lacks' in outcome ? lacking(outcome.lacks) : outcome.result,
        )
      },
    })
    return null
  },
}

function leavesOf(values: Arguments['values']): readonly Leave[] {
  if (values['read-only'] === true) return ['read']
  return values['publish'] === true ? LEAVES : ['read', 'draft']
}

/** Answers as they are ready: a client tells them apart by their ids. */
async function answerLines(tools: ToolBox): Promise<void> {
  const open = new Set<Promise<void>>()
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    const answering: Promise<void> = answerTo(line, tools)
      .then((text) => {
        if (text !== null) process.stdout.write(`${text}\n`)
      })
      .finally(() => open.delete(answering))
    open.add(answering)
  }
  await Promise.all(open)
}

async function answerTo(line: string, tools: ToolBox): Promise<string | null> {
  const message = parsed(line)
  const { body } =
    message === undefined ? notJson(TOO_LONG_OR_BROKEN) : await answerMessage(message, { headers: null, tools })
  return body === null ? null : JSON.stringify(body)
}

const TOO_LONG_OR_BROKEN = `Each line must be one JSON message of at most ${MOST_LINE} characters.`

function parsed(line: string): unknown {
  if (line.length > MOST_LINE) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const lacking = (leave: string) => ({
  content: [{ type: 'text' as const, text: `Not allowed: tossup mcp runs without the permission to ${leave}.` }],
  isError: true as const,
})

async function sendAs(client: ApiClient, request: ToolRequest): Promise<ToolAnswer> {
  try {
    const response = await client.request({ ...request, accept: 'application/json', idempotencyKey: null })
    return { status: response.status, body: await response.text(), etag: response.headers.get('etag') }
  } catch (error) {
    if (!isTossupError(error)) throw error
    const { code, status, message, details, requestId } = error
    return { status: status || 503, body: JSON.stringify({ error: { code, message, details, requestId } }), etag: null }
  }
}
