import { pauseAfterRefusal, pauseAfterSilence } from './show-voter.ts'

// The voters of a show. Each vote is sent when it is due, whether or not the server keeps up, and again after a 503 as an embed
// does. A separate process, so that a busy server does not slow the arrivals. It prints one line when every vote is answered.

export interface CrowdPlan {
  readonly path: string
  /** Votes by the tick. */
  readonly votes: readonly number[]
  readonly tickMs: number
  /** Opened before the first vote. A vote that finds none free waits for one. */
  readonly connections: number
}

export interface CrowdResult {
  /** Votes by the tick in which they were really sent first: a busy machine delays a generator, too. */
  readonly sent: readonly number[]
  /** Answered 201, or 409 after an answer that was lost. */
  readonly stored: number
  readonly storedWithinSecond: number
  readonly refusals: number
  /** Connections that ended without an answer. */
  readonly silences: number
  /** Answers with any other status. */
  readonly wrong: number
  /** Votes without an answer, long after the last one was sent. */
  readonly unanswered: number
  readonly longestWaitSeconds: number
  readonly meanWaitSeconds: number
  readonly lastStoredSecond: number
  /** When the last vote was stored that had waited more than a second; null if none had. */
  readonly lastLateSecond: number | null
  /** How late the generator sent a vote, at most. */
  readonly latestSeconds: number
}

interface Vote {
  readonly number: number
  /** When it was sent first, or first waited for a connection, by `performance.now()`. */
  readonly first: number
  refusals: number
}

interface Line {
  vote: Vote | null
  unread: string
}

const SECOND = 1_000
/** After the last vote is sent. */
const GIVE_UP_MS = 60_000
const OPENED_AT_ONCE = 200
const VOTES_BETWEEN_READS = 128
const [, , url = '', given = '{}'] = process.argv
const { hostname, port } = new URL(url)
const plan = JSON.parse(given) as CrowdPlan
const run = crypto.randomUUID().slice(0, 23)
const head = `POST ${plan.path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: 14\r\nX-Device-Id: `

const idle: Bun.Socket<Line>[] = []
/** Votes without a connection, in their order from `heldFrom` on. */
const held: Vote[] = []
let heldFrom = 0
const sent: number[] = []
const sum = { stored: 0, storedWithinSecond: 0, refusals: 0, silences: 0, wrong: 0 }
let arrived = 0
let longestWait = 0
let waited = 0
let lastStored = 0
let lastLate: number | null = null
let latest = 0

function send(vote: Vote): void {
  const socket = idle.pop()
  if (socket) write(socket, vote)
  else held.push(vote)
}

function sendHeld(): void {
  while (heldFrom < held.length && idle.length > 0) send(held[heldFrom++] as Vote)
}

function write(socket: Bun.Socket<Line>, vote: Vote): void {
  socket.data.vote = vote
  const device = `${run}-${vote.number.toString(16).padStart(12, '0')}`
  socket.write(`${head}${device}\r\n\r\n{"option":"${vote.number % 5 < 3 ? 'A' : 'B'}"}`)
}

async function connect(): Promise<void> {
  const socket = await Bun.connect<Line>({
    hostname,
    port: Number(port),
    data: { vote: null, unread: '' },
    socket: { data: read, close: lost, error: () => undefined },
  })
  idle.push(socket)
  sendHeld()
}

function lost(socket: Bun.Socket<Line>): void {
  const { vote } = socket.data
  const at = idle.indexOf(socket)
  if (at >= 0) idle.splice(at, 1)
  if (vote) {
    sum.silences++
    vote.refusals++
    setTimeout(send, pauseAfterSilence(vote.refusals), vote)
  }
  void connect()
}

function read(socket: Bun.Socket<Line>, chunk: Buffer): void {
  const { data } = socket
  // One character for each byte, so that string lengths are byte lengths.
  data.unread += chunk.toString('latin1')
  const headEnd = data.unread.indexOf('\r\n\r\n')
  const length = Number(data.unread.slice(0, Math.max(0, headEnd)).match(/\r\ncontent-length: *(\d+)/i)?.[1] ?? 0)
  if (headEnd < 0 || data.unread.length < headEnd + 4 + length) return
  const status = Number(data.unread.slice(9, 12))
  const { vote } = data
  data.unread = ''
  data.vote = null
  if (vote) settle(vote, status)
  idle.push(socket)
  sendHeld()
}

function settle(vote: Vote, status: number): void {
  if (status === 503) {
    sum.refusals++
    vote.refusals++
    setTimeout(send, pauseAfterRefusal(vote.refusals), vote)
    return
  }
  if (status !== 201 && !(status === 409 && vote.refusals > 0)) {
    sum.wrong++
    return
  }
  const now = performance.now()
  sum.stored++
  if (now - vote.first <= SECOND) sum.storedWithinSecond++
  else lastLate = now - startsAt
  longestWait = Math.max(longestWait, now - vote.first)
  waited += now - vote.first
  lastStored = now - startsAt
}

function* dueTimes(): Generator<number> {
  for (const [tick, votes] of plan.votes.entries()) {
    for (let i = 0; i < votes; i++) yield startsAt + (tick + (i + 0.5) / votes) * plan.tickMs
  }
}

for (let opened = 0; opened < plan.connections; opened += OPENED_AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(OPENED_AT_ONCE, plan.connections - opened) }, connect))
}
const startsAt = performance.now()
// Answers are read between two looks at the clock.
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 1))
for (const due of dueTimes()) {
  while (performance.now() < due) await pause()
  const now = performance.now()
  const tick = Math.floor((now - startsAt) / plan.tickMs)
  sent[tick] = (sent[tick] ?? 0) + 1
  latest = Math.max(latest, now - due)
  arrived++
  send({ number: arrived, first: now, refusals: 0 })
  // A generator that is late catches up, but goes on to read.
  if (arrived % VOTES_BETWEEN_READS === 0) await pause()
}
const endsBy = performance.now() + GIVE_UP_MS
while (sum.stored + sum.wrong < arrived && performance.now() < endsBy) await pause()
const result: CrowdResult = {
  ...sum,
  sent: Array.from(sent, (votes = 0) => votes),
  longestWaitSeconds: longestWait / SECOND,
  meanWaitSeconds: waited / SECOND / Math.max(1, sum.stored),
  unanswered: arrived - sum.stored - sum.wrong,
  lastStoredSecond: lastStored / SECOND,
  lastLateSecond: lastLate === null ? null : lastLate / SECOND,
  latestSeconds: latest / SECOND,
}
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
