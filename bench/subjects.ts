import { Database } from 'bun:sqlite'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import {
  ChildService,
  createHome,
  createOwner,
  expectStatus,
  firstLine,
  type Home,
  inDatabase,
  type Owner,
  OwnerClient,
} from '../server/test/child-service.ts'
import { ADMIN_URL, createDatabase } from '../server/test/own-database.ts'
import type { EngineName } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { onServerCore } from './processes.ts'

export type SubjectName =
  | 'Tossup on SQLite'
  | 'Tossup on SQLite, network limit'
  | 'Tossup on PostgreSQL'
  | 'bare Bun'
  | 'Bun with our headers'
  | 'by hand on SQLite'
  | 'by hand on PostgreSQL'
  | 'votes parsed on threads'

export interface Stored {
  readonly rows: number
  readonly tallies: number
}

/** A server that answers the requests of the load. */
export interface Subject {
  readonly name: SubjectName
  readonly url: string
  readonly pid: number
  etag(path: string): Promise<string>
  /** All stored votes, by the rows in its database and by its tallies; null if it stores none. */
  stored(): Promise<Stored | null>
  stop(): Promise<void>
}

const BRAND = 'bench'
const API = '/api/rest/v1'
const HOT = 'hot'
const SPREAD = Array.from({ length: 100 }, (_, i) => `spread-${String(i).padStart(2, '0')}`)
const SLUGS = [HOT, ...SPREAD]

export const hotPoll = `${API}/polls/${HOT}`
export const hotTallies = `${hotPoll}/tallies`
export const firstFeedPage = `${API}/brands/${BRAND}/polls`
export const hotUploads = `${API}/brands/me/polls/${HOT}/images/upload-url`
export const hotVotes = `${hotPoll}/votes`
export const hotStream = `${hotTallies}/stream`
export const spreadStreams = SPREAD.map((slug) => `${API}/polls/${slug}/tallies/stream`)
export const spreadVotes = SPREAD.map((slug) => `${API}/polls/${slug}/votes`)
export const VOTE_LOADS = [
  { title: 'on one poll', votePaths: [hotVotes] },
  { title: 'over 100 polls', votePaths: spreadVotes },
] as const

export interface TossupSubject extends Subject {
  readonly home: Home
  readonly owner: Owner
  /** Starts a new process on the same data. */
  restart(settings?: Readonly<Record<string, string>>): Promise<TossupSubject>
  /** Ends the process and keeps the data. */
  pause(): Promise<void>
}

/** Counts each vote for its network, as by default, without ever refusing one: all of the load comes from one network. */
const NETWORK_LIMIT = { NETWORK_VOTES_PER_MINUTE: '1000000' }

export async function startTossup(engine: EngineName): Promise<TossupSubject> {
  return startTossupAt(await createHome(engine === 'postgres' ? ADMIN_URL : null))
}

export async function startTossupAt(home: Home): Promise<TossupSubject> {
  // Registered at once: an interruption during the start must not leave a database behind.
  atEnd(() => home.remove())
  const owner = await createOwner(home, BRAND)
  const subject = await serve(home, owner, {})
  const client = await OwnerClient.connect(subject.url, owner)
  for (const slug of SLUGS) await client.createPoll(slug)
  return subject
}

export async function startWithNetworkLimit(): Promise<Subject> {
  const subject = await startTossup('sqlite')
  await subject.pause()
  return { ...(await subject.restart(NETWORK_LIMIT)), name: 'Tossup on SQLite, network limit' }
}

async function serve(home: Home, owner: Owner, settings: Readonly<Record<string, string>>): Promise<TossupSubject> {
  const child = await ChildService.start(home, { before: onServerCore, settings })
  return {
    name: home.database.engine === 'postgres' ? 'Tossup on PostgreSQL' : 'Tossup on SQLite',
    url: child.url,
    pid: child.pid,
    home,
    owner,
    etag: (path) => plainTag(child.url + path),
    async stored() {
      const rows = await inDatabase(home, async ({ engine: { db } }) => {
        const { votes } = await db
          .selectFrom('votes')
          .select((select) => select.fn.countAll<number>().as('votes'))
          .executeTakeFirstOrThrow()
        return Number(votes)
      })
      return { rows, tallies: await shownVotes(child.url, '/tallies') }
    },
    restart: (next = {}) => serve(home, owner, next),
    pause: () => child.stop(),
    async stop() {
      await child.stop()
      await home.remove()
    },
  }
}

/** The tag that the load is sent, which accepts no coding: `fetch` alone would get the tag of a compressed body. */
async function plainTag(url: string): Promise<string> {
  const { headers } = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } })
  return headers.get('etag') ?? ''
}

/** The current answer to GET, by the path of each poll's stream. */
export async function shownTotals(url: string): Promise<Map<string, number>> {
  const totals = new Map<string, number>()
  for (const slug of SLUGS) {
    const path = `${API}/polls/${slug}/tallies`
    const { data } = (await expectStatus(await fetch(url + path), 200)) as { data: { tallies: { total: number } } }
    totals.set(`${path}/stream`, data.tallies.total)
  }
  return totals
}

async function shownVotes(url: string, rest: string): Promise<number> {
  let total = 0
  for (const slug of SLUGS) {
    const answer = await fetch(`${url}${API}/polls/${slug}${rest}`)
    total += ((await expectStatus(answer, 200)) as { data: { tallies: { total: number } } }).data.tallies.total
  }
  return total
}

export const startBareBun = (first: Subject): Promise<Subject> => startRepeating(first, 'bare Bun', 'bare-bun.ts')

export const startBunWithHeaders = (first: Subject): Promise<Subject> =>
  startRepeating(first, 'Bun with our headers', 'bun-with-headers.ts')

/** What Bun adds by itself, and the id that each answer has of its own. */
const OWN_HEADERS = ['connection', 'content-length', 'date', 'x-request-id']

const repeatable = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !OWN_HEADERS.includes(name)))

/** The peer repeats the answers that `first` gives now. */
async function startRepeating(first: Subject, name: SubjectName, program: string): Promise<Subject> {
  const { file, reads, remove } = await writeConstants(first)
  const peer = await startPeer(program, [file])
  return {
    name,
    ...peer,
    etag: async (path) => reads[path]?.etag ?? '',
    stored: async () => null,
    async stop() {
      await peer.stop()
      await remove()
    },
  }
}

interface Read {
  readonly body: string
  readonly etag: string
  readonly headers: Record<string, string>
}

/** What `first` answers now, in a file. */
async function writeConstants({ url, etag }: Subject) {
  const reads: Record<string, Read> = {}
  for (const path of [hotPoll, hotTallies, firstFeedPage]) {
    const answer = await fetch(url + path, { headers: { 'Accept-Encoding': 'identity' } })
    reads[path] = { body: await answer.text(), etag: await etag(path), headers: repeatable(answer) }
  }
  const vote = await fetch(`${url}${spreadVotes[0]}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() },
    body: '{"option":"A"}',
  })
  const folder = await mkdtemp(join(tmpdir(), 'tossup-bench-'))
  const file = join(folder, 'constants.json')
  const voteHeaders = repeatable(vote)
  await writeFile(file, JSON.stringify({ reads, vote: JSON.stringify(await expectStatus(vote, 201)), voteHeaders }))
  return { folder, file, reads, remove: () => rm(folder, { recursive: true, force: true }) }
}

export async function startByHandOnSqlite(first: Subject): Promise<Subject> {
  const { folder, file, remove } = await writeConstants(first)
  const path = join(folder, 'votes.db')
  const peer = await startPeer('sqlite-by-hand.ts', [file, path, ...SLUGS])
  return {
    name: 'by hand on SQLite',
    ...peer,
    etag: async () => '',
    async stored() {
      const database = new Database(path, { readonly: true })
      const rows = database.query<{ votes: number }, []>('select count(*) as votes from votes').get()?.votes ?? 0
      database.close()
      return { rows, tallies: await shownVotes(peer.url, '') }
    },
    async stop() {
      await peer.stop()
      await remove()
    },
  }
}

export async function startByHandOnPostgres(): Promise<Subject> {
  const database = await createDatabase(ADMIN_URL, { mustBeEmpty: true })
  atEnd(() => database.drop())
  const peer = await startPeer('postgres-by-hand.ts', [database.url, ...SLUGS])
  return {
    name: 'by hand on PostgreSQL',
    ...peer,
    etag: async () => '',
    async stored() {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      const { rows } = await client.query<{ votes: string }>('select count(*) as votes from votes')
      await client.end()
      return { rows: Number(rows[0]?.votes), tallies: await shownVotes(peer.url, '') }
    },
    async stop() {
      await peer.stop()
      await database.drop()
    },
  }
}

/** `before` are the words of a command that starts it. */
export async function startPeer(
  file: string,
  args: readonly string[],
  { before = onServerCore }: { readonly before?: readonly string[] } = {},
) {
  const path = new URL(`peers/${file}`, import.meta.url).pathname
  const command = [process.execPath, '--no-env-file', '--no-install', '--no-orphans', path, ...args]
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = Bun.spawn([...before, ...command], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  const line = await firstLine(child.stdout)
  if (line === null) throw new Error(`bench/peers/${file} did not start`)
  return {
    url: String(JSON.parse(line).url),
    pid: child.pid,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
