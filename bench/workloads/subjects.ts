import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
} from '../../server/test/child-service.ts'
import { ADMIN_URL, createDatabase } from '../../server/test/own-database.ts'
import { withClient } from '../../server/test/with-client.ts'
import type { EngineName } from '../arguments.ts'
import { atEnd } from '../clean-up.ts'
import { onServerCore } from '../processes.ts'
import { runLoad } from './load.ts'

export type SubjectName =
  | 'Tossup on SQLite'
  | 'Tossup on SQLite, network limit'
  | 'Tossup on PostgreSQL'
  | 'bare Bun'
  | 'by hand on PostgreSQL'

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
export const hotVotes = `${hotPoll}/votes`
export const hotStream = `${hotTallies}/stream`
export const spreadStreams = SPREAD.map((slug) => `${API}/polls/${slug}/tallies/stream`)
export const spreadVotes = SPREAD.map((slug) => `${API}/polls/${slug}/votes`)

export interface TossupSubject extends Subject {
  readonly home: Home
  readonly owner: Pick<Owner, 'brandSlug' | 'apiKeyId' | 'apiKeySecret'>
  /** Starts a new process on the same data. */
  restart(settings?: Readonly<Record<string, string>>): Promise<TossupSubject>
  /** Ends the process and keeps the data. */
  pause(): Promise<void>
}

/** Counts each vote for its network, as by default, without ever refusing one: all of the load comes from one network. */
const NETWORK_LIMIT = { NETWORK_VOTES_PER_MINUTE: '1000000' }

/** `program` is the command of another Tossup than this one. */
export async function startTossup(
  engine: EngineName,
  program: readonly string[] | null = null,
): Promise<TossupSubject> {
  const home = await createHome(engine === 'postgres' ? ADMIN_URL : null, { mustBeEmpty: program !== null })
  // Registered at once: an interruption during the start must not leave a database behind.
  atEnd(() => home.remove())
  const owner = program ? await createOwnerBy(program, home) : await createOwner(home, BRAND)
  const subject = await serve({ home, owner, program }, {})
  const client = await OwnerClient.connect(subject.url, owner)
  for (const slug of SLUGS) await client.createPoll(slug)
  return subject
}

export async function startWithNetworkLimit(): Promise<Subject> {
  const subject = await startTossup('sqlite')
  await subject.pause()
  return { ...(await subject.restart(NETWORK_LIMIT)), name: 'Tossup on SQLite, network limit' }
}

const SECRET = { SECRET_KEY: 'a secret of the bench for another program' }

/** Only by its commands, because its modules are not these. */
async function createOwnerBy(program: readonly string[], { dataDir, database }: Home): Promise<TossupSubject['owner']> {
  const url = database.engine === 'postgres' ? { DATABASE_URL: database.url } : {}
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, ...SECRET, ...url }
  const run = async (words: readonly string[]) => {
    const child = Bun.spawn([...program, ...words, '--json'], { env, stdout: 'pipe', stderr: 'inherit' })
    const answer = await child.stdout.text()
    if ((await child.exited) !== 0) throw new Error(`${[...program, ...words].join(' ')} failed`)
    return JSON.parse(answer)
  }
  await run(['brand', 'create', '--slug', BRAND, '--name', BRAND])
  const app = await run(['app', 'create', '--brand', BRAND, '--scopes', 'view,vote,manage,analytics'])
  return { ...app, brandSlug: BRAND }
}

type Origin = Pick<TossupSubject, 'home' | 'owner'> & { readonly program: readonly string[] | null }

async function serve(origin: Origin, settings: Readonly<Record<string, string>>): Promise<TossupSubject> {
  const { home, owner, program } = origin
  const other = program && { program: [...program, 'serve', '--json'], settings: { ...SECRET, ...settings } }
  const child = await ChildService.start(home, { before: onServerCore, settings, ...other })
  return {
    name: home.database.engine === 'postgres' ? 'Tossup on PostgreSQL' : 'Tossup on SQLite',
    url: child.url,
    pid: child.pid,
    home,
    owner,
    etag: (path) => plainTag(child.url + path),
    async stored() {
      const tallies = await shownVotes(child.url, '/tallies')
      return { rows: program ? tallies : await storedRows(home), tallies }
    },
    restart: (next = {}) => serve(origin, next),
    pause: () => child.stop(),
    async stop() {
      await child.stop()
      await home.remove()
    },
  }
}

const storedRows = (home: Home): Promise<number> =>
  inDatabase(home, async ({ engine: { db } }) => {
    const { votes } = await db
      .selectFrom('votes')
      .select((select) => select.fn.countAll<number>().as('votes'))
      .executeTakeFirstOrThrow()
    return Number(votes)
  })

/** A load that does not report for longer shows no progress. */
const FILL_AT_ONCE = 250_000

/** Stores votes over HTTP, half of them on one poll and the others over 100. */
export async function fill({ url }: Subject, votes: number, onStored: (votes: number) => void): Promise<void> {
  const votePaths = spreadVotes.flatMap((path) => [hotVotes, path])
  for (let stored = 0; stored < votes; stored += FILL_AT_ONCE) {
    const most = Math.min(FILL_AT_ONCE, votes - stored)
    const { refused, broken } = await runLoad({ url, plan: { reads: 0, votes: 1, votePaths, most }, seconds: 3_600 })
    if (refused + broken > 0) throw new Error(`${refused + broken} votes failed while ${url} was filled`)
    onStored(most)
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

/** Repeats the answers that `first` gives now. */
export async function startBareBun(first: Subject): Promise<Subject> {
  const reads: Record<string, { body: string; etag: string }> = {}
  for (const path of [hotPoll, hotTallies, firstFeedPage]) {
    const answer = await fetch(first.url + path, { headers: { 'Accept-Encoding': 'identity' } })
    reads[path] = { body: await answer.text(), etag: await first.etag(path) }
  }
  const vote = await fetch(first.url + hotVotes, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() },
    body: '{"option":"A"}',
  })
  const folder = await mkdtemp(join(tmpdir(), 'tossup-bench-'))
  const file = join(folder, 'constants.json')
  await writeFile(file, JSON.stringify({ reads, vote: JSON.stringify(await expectStatus(vote, 201)) }))
  const peer = await startPeer('bare-bun.ts', [file])
  return {
    name: 'bare Bun',
    ...peer,
    etag: async (path) => reads[path]?.etag ?? '',
    stored: async () => null,
    async stop() {
      await peer.stop()
      await rm(folder, { recursive: true, force: true })
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
      const { rows } = await withClient(database.url, (client) =>
        client.query<{ votes: string }>('select count(*) as votes from votes'),
      )
      return { rows: Number(rows[0]?.votes), tallies: await shownVotes(peer.url, '') }
    },
    async stop() {
      await peer.stop()
      await database.drop()
    },
  }
}

async function startPeer(file: string, args: readonly string[]) {
  const path = new URL(`../peers/${file}`, import.meta.url).pathname
  const command = [process.execPath, '--no-env-file', '--no-install', '--no-orphans', path, ...args]
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = Bun.spawn([...onServerCore, ...command], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
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
