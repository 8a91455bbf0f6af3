import { backoff, isPassing, retryAfterOf, sleep } from '../wire/retry.ts'
import { LogError } from './log-error.ts'
import type { Hash, ReadTile } from './tree.ts'

const MOST_JSON_BYTES = 1_000_000
const MOST_TILE_BYTES = 65_536
const MOST_BUNDLE_CHARACTERS = 400_000_000
const MOST_RESTARTS = 1_000
const ATTEMPTS = 5
const LONGEST_WAIT_MS = 30_000
const ONE_ANSWER_MS = 30_000
const PATIENCE_MS = 75_000
const LOOK_EVERY_MS = 2_000
/** A browser opens so many connections to one host. */
const AT_ONCE = 6
const ENTRIES_OF_A_TILE = 256

/** An earlier log of the same poll: how far it came, and when the next one began. */
export interface Restart {
  readonly origin: string
  readonly size: number
  readonly at: string
}

/** Tallies are exact at every vote: they are the sum of the first `optionA + optionB` entries. */
export interface LogTallies {
  readonly optionA: number
  readonly optionB: number
}

/** The poll as its service or its bundle describes it: no part of it is signed. */
interface LogPoll {
  readonly id: string
  readonly title: string
  readonly labels: readonly [string, string]
}

/** A log to check: one that a service serves, or a bundle. */
export interface LogSource {
  /** Where it is served, below which are its tiles; null for a bundle. */
  readonly address: string | null
  readonly poll: LogPoll
  readonly origin: string
  readonly publicKey: string
  /** The signed note. */
  readonly checkpoint: string
  readonly restarts: readonly Restart[]
  /** The result that the service publishes; null for a bundle. */
  readonly tallies: LogTallies | null
  /** The entries of a log of this size, in arrays of up to 256, from the tile with this number on. */
  entries(size: number, fromTile?: number): AsyncGenerator<readonly string[], void>
  /** Null for a bundle. */
  readonly readTile: ReadTile | null
}

export interface ReadOptions {
  /** Ends the work, with the signal's reason. */
  readonly signal?: AbortSignal
  readonly fetch?: typeof globalThis.fetch
  /** How long the votes of the published tally may take into a checkpoint. Default: 75 seconds. */
  readonly patienceMs?: number
  /** Called while it waits for them, with their number. */
  readonly onWait?: (missing: number) => void
}

const malformed = (what: string) => new LogError('MALFORMED', `${what} is not what a log of votes has there`)

/** Opens the log of a poll: by the address of its service and the poll's slug, shortId or id. */
export async function openLog(service: string, poll: string, options: ReadOptions = {}): Promise<LogSource> {
  const api = `${service.replace(/\/+$/, '')}/api/rest/v1/polls/${encodeURIComponent(poll)}`
  const read = reader(options)
  const json = async (address: string) => {
    const body = parsed(decoded(await read(address, MOST_JSON_BYTES)))
    return (body as { data?: unknown } | null)?.data as Record<string, unknown>
  }
  // The tally first: each checkpoint from now on will hold its votes.
  const { id, title, optionA, optionB, tallies } = (await json(api).catch(explainMissing)) as unknown as Served
  const published = talliesOf(tallies)
  const log = await json(`${api}/log`).catch(explainMissing)
  const described = describedBy(log)
  const { url } = log
  if (typeof url !== 'string' || !URL.canParse(url)) throw malformed('The address')
  // The service that was asked, under any of its names: no log leads this program to another host.
  const address = new URL(api).origin + new URL(url).pathname
  // Everybody who follows the log sees this one.
  const readCheckpoint = async () => decoded(await read(`${address}/checkpoint`, MOST_JSON_BYTES))
  const checkpoint = await awaitVotes(published.optionA + published.optionB, readCheckpoint, options)
  const readTile: ReadTile = async (level, number, width) =>
    hashesIn(await tile(read, `${address}/tile/${level}/${numbered(number)}`, width), width)
  return {
    ...described,
    address,
    checkpoint,
    poll: pollOf(id, title, [optionA?.label, optionB?.label]),
    tallies: published,
    readTile,
    entries: (size, fromTile = 0) => ahead(size, fromTile, (number, width) => entryTile(read, address, number, width)),
  }
}

function explainMissing(error: LogError): never {
  if (error.code !== 'TILE_MISSING') throw error
  throw new LogError('UNREACHABLE', 'The poll has no public log: its results are hidden, or its log has not begun')
}

interface Served {
  readonly id: unknown
  readonly title: unknown
  readonly optionA?: { readonly label: unknown }
  readonly optionB?: { readonly label: unknown }
  readonly tallies?: { readonly optionA: unknown; readonly optionB: unknown }
}

/** The first checkpoint with so many votes, or the last one before the patience ends. */
async function awaitVotes(
  votes: number,
  read: () => Promise<string>,
  { patienceMs = PATIENCE_MS, signal, onWait }: ReadOptions,
) {
  const end = performance.now() + patienceMs
  for (;;) {
    const note = await read()
    const missing = votes - Number(/^[^\n]*\n(\d{1,9})\n/.exec(note)?.[1] ?? votes)
    if (missing <= 0 || performance.now() > end) return note
    onWait?.(missing)
    await sleep(LOOK_EVERY_MS, signal)
  }
}

/** A bundle that was downloaded before: `tossup-log-bundle/1`. */
export function readBundle(text: string): LogSource {
  if (text.length > MOST_BUNDLE_CHARACTERS)
    throw new LogError('MALFORMED', 'The file is larger than this library reads: check the log by its address')
  const bundle = parsed(text) as Record<string, unknown> | null
  const { format, poll, entries, checkpoint } = bundle ?? {}
  if (format !== 'tossup-log-bundle/1' || typeof checkpoint !== 'string' || !Array.isArray(entries))
    throw malformed('The file')
  const { id, title, optionA, optionB } = (poll ?? {}) as Record<string, unknown>
  return {
    ...describedBy(bundle as Record<string, unknown>),
    address: null,
    checkpoint,
    poll: pollOf(id, title, [optionA, optionB]),
    tallies: null,
    readTile: null,
    async *entries(_, fromTile = 0) {
      for (let at = fromTile * ENTRIES_OF_A_TILE; at < entries.length; at += ENTRIES_OF_A_TILE) {
        yield entries.slice(at, at + ENTRIES_OF_A_TILE).map(String)
      }
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('The document')
  }
}

function describedBy(described: Record<string, unknown> | null): Pick<LogSource, 'origin' | 'publicKey' | 'restarts'> {
  const { origin, publicKey, restarts = [] } = described ?? {}
  const isFine = typeof origin === 'string' && typeof publicKey === 'string' && Array.isArray(restarts)
  if (!isFine || restarts.length > MOST_RESTARTS || !restarts.every(isRestart)) throw malformed('The description')
  return { origin, publicKey, restarts }
}

function isRestart(given: Partial<Restart> | null): given is Restart {
  return typeof given?.origin === 'string' && Number.isSafeInteger(given.size) && typeof given.at === 'string'
}

function pollOf(id: unknown, title: unknown, labels: readonly unknown[]): LogPoll {
  if (typeof id !== 'string') throw malformed('The poll')
  return { id, title: String(title ?? ''), labels: [String(labels[0] ?? 'A'), String(labels[1] ?? 'B')] }
}

function talliesOf(tallies: Served['tallies']): LogTallies {
  const { optionA, optionB } = tallies ?? {}
  if (!(Number.isSafeInteger(optionA) && Number.isSafeInteger(optionB))) throw malformed('The tally')
  return { optionA: optionA as number, optionB: optionB as number }
}

type Read = (address: string, mostBytes: number) => Promise<Hash>

/** Browsers take longer to make a decoder than to decode an entry. */
const decoder = new TextDecoder()
const decoded = (bytes: Uint8Array): string => decoder.decode(bytes)

/** Reads an address, with retries. `TILE_MISSING` if the service says that it has nothing there. */
function reader(options: ReadOptions): Read {
  return async (address, mostBytes) => {
    for (let failures = 1; ; failures++) {
      const { status, bytes, waitMs } = await ask(address, mostBytes, options)
      if (bytes) return bytes
      const isLasting = status > 0 && !isPassing(status, '')
      if (isLasting || failures === ATTEMPTS) throw failureOf(address, status)
      await sleep(Math.min(waitMs, LONGEST_WAIT_MS) + backoff(failures), options.signal)
    }
  }
}

const failureOf = (address: string, status: number): LogError =>
  status === 404
    ? new LogError('TILE_MISSING', `Not there: ${address}`)
    : new LogError('UNREACHABLE', `No answer from ${address} (${status || 'no network'})`)

interface Asked {
  /** 0 without an answer. */
  readonly status: number
  readonly bytes: Hash | null
  readonly waitMs: number
}

async function ask(
  address: string,
  mostBytes: number,
  { fetch = globalThis.fetch, signal }: ReadOptions,
): Promise<Asked> {
  const late = AbortSignal.timeout(ONE_ANSWER_MS)
  const either = signal ? AbortSignal.any([signal, late]) : late
  // A checkpoint must be the present one; the address of a complete tile never has other bytes.
  const cache = address.includes('/tile/') ? 'default' : 'no-store'
  try {
    const response = await fetch(address, { cache, credentials: 'omit', redirect: 'error', signal: either })
    const { status, ok, headers } = response
    return { status, bytes: ok ? await capped(response, mostBytes) : null, waitMs: retryAfterOf(headers) ?? 0 }
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof LogError) throw error
    return { status: 0, bytes: null, waitMs: 0 }
  }
}

/** The body, of which no more is read than it may have. */
async function capped({ body }: Response, mostBytes: number): Promise<Hash> {
  const parts: Uint8Array[] = []
  let length = 0
  const stream = body?.getReader()
  for (;;) {
    const { value, done } = (await stream?.read()) ?? { value: undefined, done: true }
    if (done || !value) break
    length += value.length
    if (length > mostBytes) {
      await stream?.cancel()
      throw malformed('The size of an answer')
    }
    parts.push(value)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The number of a tile in addresses (C2SP tlog-tiles): 1234067 is x001/x234/067. */
export function numbered(number: number): string {
  const digits = String(number).padStart(Math.ceil(String(number).length / 3) * 3, '0')
  return digits.replace(/\d{3}(?=\d)/g, 'x$&/')
}

/** A log that has grown may have the complete tile only. */
async function tile(read: Read, address: string, width: number): Promise<Hash> {
  if (width === ENTRIES_OF_A_TILE) return read(address, MOST_TILE_BYTES)
  return read(`${address}.p/${width}`, MOST_TILE_BYTES).catch((error: unknown) => {
    if ((error as LogError).code === 'TILE_MISSING') return read(address, MOST_TILE_BYTES)
    throw error
  })
}

function hashesIn(bytes: Hash, width: number): Hash[] {
  if (bytes.length < 32 * width) throw new LogError('TILE_MISSING', 'A tile of hashes is too short')
  return Array.from({ length: width }, (_, i) => bytes.slice(32 * i, 32 * i + 32))
}

async function entryTile(read: Read, url: string, number: number, width: number): Promise<string[]> {
  const bytes = await tile(read, `${url}/tile/entries/${numbered(number)}`, width)
  return entriesIn(bytes).slice(0, width)
}

/** The entries of a tile, each behind its length of two bytes. */
export function entriesIn(bytes: Uint8Array): string[] {
  const entries: string[] = []
  // Taken from one text, which costs less than decoding each, wherever each byte is a character of it.
  const text = decoded(bytes)
  const isPlain = text.length === bytes.length
  for (let at = 0; at < bytes.length; ) {
    const end = at + 2 + 256 * (bytes[at] as number) + (bytes[at + 1] ?? 0)
    if (end > bytes.length) throw new LogError('ENTRY_ALTERED', 'A tile ends within an entry')
    entries.push(isPlain ? text.slice(at + 2, end) : decoded(bytes.subarray(at + 2, end)))
    at = end
  }
  return entries
}

/** The tiles of a log in order, several on their way at once. */
async function* ahead(size: number, fromTile: number, read: (number: number, width: number) => Promise<string[]>) {
  const waiting: Promise<string[]>[] = []
  const tiles = Math.ceil(size / ENTRIES_OF_A_TILE)
  for (let number = fromTile; number < tiles || waiting.length > 0; number++) {
    if (number < tiles) {
      const next = read(number, Math.min(ENTRIES_OF_A_TILE, size - number * ENTRIES_OF_A_TILE))
      // A failure is told when its turn comes.
      next.catch(() => null)
      waiting.push(next)
      if (waiting.length < AT_ONCE && number < tiles - 1) continue
    }
    yield await (waiting.shift() as Promise<string[]>)
  }
}
