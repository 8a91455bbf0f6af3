// The least that a durable vote costs with our headers: like bun-with-headers.ts, but it stores each vote in SQLite before it answers,
// each device once, in groups with one sync each. It keeps the device as it came, limits nobody, forgets who voted when it ends, and knows
// neither polls that close nor campaigns, events, deletion or a failing disk.
import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { fdatasync, openSync } from 'node:fs'
import type { OptionName } from '../../server/src/db/tables.ts'
import { COUNTED_WIDTHS } from '../../server/src/db/vote-store.ts'
import { ASKED_OF_ALL, ASKED_OF_VOTES } from './asked-headers.ts'

interface Poll {
  readonly key: number
  A: number
  B: number
}

interface Vote {
  readonly poll: Poll
  readonly device: Buffer
  readonly option: OptionName
  readonly answer: (response: Response) => void
}

/** Enough for all votes of a run. */
const PLACES = 2 ** 23

const [, , constants = '', path = '', ...slugs] = process.argv
const { voteHeaders } = (await Bun.file(constants).json()) as { readonly voteHeaders: Record<string, string> }
const created = { status: 201, headers: new Headers(voteHeaders) }

const file = new Database(path, { create: true, strict: true })
file.run('pragma journal_mode = wal')
// The log is synced on another thread.
file.run('pragma synchronous = normal')
file.run('pragma wal_autocheckpoint = 16384')
file.run(`create table votes (poll_key int, device blob, option text, voted_at int, position int,
  primary key (poll_key, position)) strict, without rowid`)
file.run(`create table vote_counts (poll_key int, width int, at int, option_a int, option_b int,
  primary key (poll_key, width, at)) strict, without rowid`)
file.run('create table tallies (poll_key integer primary key, option_a int, option_b int, updated_at int) strict')
const addVote = file.query('insert into votes values (?, ?, ?, ?, ?)')
const setTally = file.query('update tallies set option_a = ?, option_b = ?, updated_at = ? where poll_key = ?')
const addCount = file.query(`insert into vote_counts values (?, ?, ?, ?, ?)
  on conflict do update set option_a = option_a + excluded.option_a, option_b = option_b + excluded.option_b`)
const polls = new Map(slugs.map((slug, i): [string, Poll] => [slug, { key: i + 1, A: 0, B: 0 }]))
for (const { key } of polls.values()) file.run('insert into tallies values (?, 0, 0, 0)', [key])
const log = openSync(`${path}-wal`, 'r+')

/** 64 bits of each voter in turn, in a hash table with open addressing. Its second word is never 0. */
const voters = new Uint32Array(2 * PLACES)

/** False if this device has voted on the poll. */
function remember({ poll, device }: Vote): boolean {
  const first = (device.readUInt32LE(0) ^ Math.imul(poll.key, 0x9e3779b1)) >>> 0
  const second = device.readUInt32LE(12) | 1
  for (let place = first % PLACES; ; place = (place + 1) % PLACES) {
    if (voters[2 * place + 1] === 0) {
      voters[2 * place] = first
      voters[2 * place + 1] = second
      return true
    }
    if (voters[2 * place] === first && voters[2 * place + 1] === second >>> 0) return false
  }
}

let waiting: Vote[] = []

function cast(vote: Vote): void {
  if (waiting.push(vote) === 1) setImmediate(gather, 0)
}

/** Every turn of the event loop that brings more votes makes the group larger. */
function gather(before: number): void {
  if (waiting.length > before) {
    setImmediate(gather, waiting.length)
    return
  }
  const group = waiting
  waiting = []
  store(group)
}

function store(group: readonly Vote[]): void {
  const now = Date.now()
  const gains = new Map<Poll, Record<OptionName, number>>()
  file.run('begin immediate')
  const isNew = group.map((vote) => {
    if (!remember(vote)) return false
    const { poll, device, option } = vote
    poll[option]++
    addVote.run(poll.key, device, option, now, poll.A + poll.B)
    const gain = gains.get(poll) ?? { A: 0, B: 0 }
    gain[option]++
    gains.set(poll, gain)
    return true
  })
  for (const [{ key, A, B }, gain] of gains) {
    setTally.run(A, B, now, key)
    for (const width of COUNTED_WIDTHS) addCount.run(key, width, now - (now % width), gain.A, gain.B)
  }
  file.run('commit')
  const answers = answersAt(now)
  fdatasync(log, (error) => {
    if (error) throw error
    for (const [i, { poll, option, answer }] of group.entries()) answer(isNew[i] ? answers(poll, option) : refused())
  })
}

/** Votes of a group on one poll for one option share their body. */
function answersAt(now: number) {
  const votedAt = new Date(now).toISOString()
  const bodies = new Map<string, string>()
  return ({ key, A, B }: Poll, option: OptionName): Response => {
    const name = key + option
    const tallies = { optionA: A, optionB: B, total: A + B }
    const body = bodies.get(name) ?? JSON.stringify({ data: { option, votedAt, tallies } })
    bodies.set(name, body)
    const response = new Response(body, created)
    response.headers.set('X-Request-Id', randomUUID())
    return response
  }
}

const refused = () => Response.json({ error: { code: 'VOTE_ALREADY_CAST' } }, { status: 409 })

const PREFIX = '/api/rest/v1/polls/'

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { headers, url } = request
    for (const name of ASKED_OF_ALL) headers.get(name)
    const [slug = '', rest] = url.slice(url.indexOf(PREFIX) + PREFIX.length).split('/')
    const poll = polls.get(slug)
    if (!poll) return new Response(null, { status: 404 })
    if (rest !== 'votes') return Response.json({ data: { tallies: { total: poll.A + poll.B } } })
    for (const name of ASKED_OF_VOTES) headers.get(name)
    server.requestIP(request)
    const device = Buffer.from((headers.get('x-device-id') ?? '').replaceAll('-', ''), 'hex')
    const { option } = (await request.json()) as { option: unknown }
    if (device.length !== 16 || (option !== 'A' && option !== 'B')) return new Response(null, { status: 422 })
    return new Promise<Response>((answer) => cast({ poll, device, option, answer }))
  },
})

process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}` })}\n`)
