// The Model Context Protocol without sessions: revision 2026-07-28, and the earlier ones, which begin with `initialize`.
import { type Arguments, INSTRUCTIONS, SERVER_INFO, type ToolResult } from './run-tool.ts'
import type { ToolWords } from './tools.ts'

const REVISION = '2026-07-28'
/** Newest first. Their clients send no envelope with each request. */
const EARLIER = ['2025-11-25', '2025-06-18', '2025-03-26'] as const
const SUPPORTED = [REVISION, ...EARLIER] as const
/** A client of an earlier revision that names none: the header came with the revision after it. */
const UNNAMED = '2025-03-26'

const META = 'io.modelcontextprotocol/'
const LIST_TTL_MS = 300_000

const CODES = {
  parse: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const

/** The headers of a request over HTTP, which must agree with its body. */
export interface ProtocolHeaders {
  readonly version: string | null
  readonly method: string | null
  readonly name: string | null
}

export interface ToolBox {
  readonly list: readonly ToolWords[]
  /** Null for an unknown tool. */
  call(name: string, given: Arguments): Promise<ToolResult> | null
}

export interface ProtocolReply {
  readonly status: number
  /** Null for a notification. */
  readonly body: object | null
}

type Id = string | number | null

class Refused extends Error {
  readonly code: number
  readonly status: number
  readonly data: object | undefined

  constructor(code: number, message: string, { status = 400, data }: { status?: number; data?: object } = {}) {
    super(message)
    this.code = code
    this.status = status
    this.data = data
  }
}

/** The answer to a message that is not JSON or not allowed. */
export const notJson = (message: string): ProtocolReply => ({
  status: 400,
  body: { jsonrpc: '2.0', id: null, error: { code: CODES.parse, message } },
})

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Answers one message. `headers` is null on standard input, which has none. */
export async function answerMessage(
  message: unknown,
  { headers, tools }: { headers: ProtocolHeaders | null; tools: ToolBox },
): Promise<ProtocolReply> {
  const id =
    isObject(message) && (typeof message['id'] === 'string' || Number.isSafeInteger(message['id']))
      ? (message['id'] as Id)
      : null
  try {
    const { method, params } = readMessage(message, id)
    const isModern = readRevision({ method, params, headers, isRequest: id !== null })
    if (id === null) return { status: 202, body: null }
    const result = await resultOf({ method, params, isModern, tools })
    return { status: 200, body: { jsonrpc: '2.0', id, result: isModern ? completed(result) : result } }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { code, status, data } = error
    return {
      status,
      body: { jsonrpc: '2.0', id, error: { code, message: error.message, ...(data ? { data } : {}) } },
    }
  }
}

function readMessage(message: unknown, id: Id): { method: string; params: Values } {
  if (Array.isArray(message)) throw new Refused(CODES.invalidRequest, 'Send one message: batches are not supported.')
  if (!isObject(message) || message['jsonrpc'] !== '2.0' || typeof message['method'] !== 'string')
    throw new Refused(CODES.invalidRequest, 'The body must be a JSON-RPC 2.0 request or notification.')
  if ('id' in message && id === null) throw new Refused(CODES.invalidRequest, 'The id must be a text or an integer.')
  const { method, params = {} } = message
  if (!isObject(params)) throw new Refused(CODES.invalidParams, 'params must be an object.')
  return { method: method as string, params }
}

interface Read {
  readonly method: string
  readonly params: Values
  readonly headers: ProtocolHeaders | null
  readonly isRequest: boolean
}

/** True for the revision with an envelope in each request. Throws where header and body disagree. */
function readRevision({ method, params, headers, isRequest }: Read): boolean {
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  const claimed = meta[`${META}protocolVersion`]
  if (claimed === undefined) {
    if (isRequest) refuseWithoutEnvelope(method, headers)
    return false
  }
  if (typeof claimed !== 'string') throw new Refused(CODES.invalidParams, `${META}protocolVersion must be a text.`)
  if (headers && isRequest) checkHeaders(headers, { claimed, method, params })
  if (claimed !== REVISION) throw unsupported(claimed)
  if (isRequest && !isObject(meta[`${META}clientCapabilities`]))
    throw new Refused(CODES.invalidParams, `The request lacks _meta["${META}clientCapabilities"].`)
  return true
}

function refuseWithoutEnvelope(method: string, headers: ProtocolHeaders | null): void {
  const named = headers?.version?.trim() ?? UNNAMED
  if (named === REVISION) throw new Refused(CODES.invalidParams, `The request lacks _meta["${META}protocolVersion"].`)
  if (method !== 'initialize' && !isEarlier(named)) throw unsupported(named)
}

const isEarlier = (revision: string): boolean => EARLIER.some((known) => known === revision)

const unsupported = (requested: string): Refused =>
  new Refused(CODES.unsupportedVersion, `Unsupported protocol version: ${requested.slice(0, 40)}`, {
    data: { supported: SUPPORTED, requested },
  })

function checkHeaders(
  headers: ProtocolHeaders,
  { claimed, method, params }: { claimed: string; method: string; params: Values },
): void {
  mustAgree('MCP-Protocol-Version', headers.version, claimed)
  mustAgree('Mcp-Method', headers.method, method)
  if (method === 'tools/call' && typeof params['name'] === 'string')
    mustAgree('Mcp-Name', decoded(headers.name), params['name'])
}

function mustAgree(name: string, given: string | null, inBody: string): void {
  if (given === null) throw new Refused(CODES.headerMismatch, `The header ${name} is missing.`)
  if (given.trim() !== inBody)
    throw new Refused(CODES.headerMismatch, `The header ${name} and the body disagree.`, {
      data: { mismatch: { header: given, body: inBody } },
    })
}

/** A name that no header can hold is sent as `=?base64?…?=`. */
function decoded(given: string | null): string | null {
  const coded = /^=\?base64\?(.*)\?=$/.exec(given?.trim() ?? '')?.[1]
  return coded === undefined ? given : Buffer.from(coded, 'base64').toString('utf8')
}

async function resultOf({
  method,
  params,
  isModern,
  tools,
}: {
  method: string
  params: Values
  isModern: boolean
  tools: ToolBox
}): Promise<object> {
  const capabilities = { tools: {} }
  if (isModern && method === 'server/discover')
    return { supportedVersions: SUPPORTED, capabilities, instructions: INSTRUCTIONS, ...listed }
  if (!isModern && method === 'initialize') {
    const asked = String(params['protocolVersion'])
    const protocolVersion = isEarlier(asked) ? asked : EARLIER[0]
    return { protocolVersion, capabilities, serverInfo: SERVER_INFO, instructions: INSTRUCTIONS }
  }
  if (!isModern && method === 'ping') return {}
  if (method === 'tools/list') return { tools: tools.list, ...(isModern ? listed : {}) }
  if (method === 'tools/call') return callTool(params, tools)
  throw new Refused(CODES.unknownMethod, `Unknown method: ${method.slice(0, 80)}`, { status: isModern ? 404 : 200 })
}

const listed = { ttlMs: LIST_TTL_MS, cacheScope: 'private' }

async function callTool({ name, arguments: given = {} }: Values, tools: ToolBox): Promise<ToolResult> {
  const called = typeof name === 'string' && isObject(given) ? tools.call(name, given) : null
  if (!called) throw new Refused(CODES.invalidParams, `Unknown tool: ${String(name).slice(0, 80)}`, { status: 200 })
  return called
}

const completed = (result: object): object => ({
  ...result,
  resultType: 'complete',
  _meta: { [`${META}serverInfo`]: SERVER_INFO },
})
