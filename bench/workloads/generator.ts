import { percentile } from '../statistics.ts'
import { CONNECTIONS, type LoadResult } from './load.ts'

// Used where wrk is not installed: the same load from Bun's own sockets, with the same output as wrk/load.lua.

const [, , url = '', seconds = '1', ...words] = process.argv
const plan = Object.fromEntries(
  words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
)
const { hostname, port } = new URL(url)

const host = `Host: ${hostname}:${port}\r\n`
const etag = plan['etag'] ? `If-None-Match: ${plan['etag']}\r\n` : ''
const read = `GET ${plan['readPath']} HTTP/1.1\r\n${host}${etag}\r\n`
const heads = (plan['votePaths'] ?? '')
  .split(',')
  .map(
    (path) => `POST ${path} HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 14\r\nX-Device-Id: `,
  )

const run = plan['run'] ?? ''
const votesInTurn = Number(plan['votes'])
const turn = Number(plan['reads']) + votesInTurn
const most = Number(plan['most'] ?? 0)
const latencies: number[] = []
let at = 0
let votesSent = 0
let refused = 0
let broken = 0
let isOver = false

function vote(): string {
  votesSent++
  if (most > 0 && votesSent >= most) isOver = true
  const random = Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
  const device = `${random}-${run.slice(0, 4)}-4${run.slice(4, 7)}-8000-${votesSent.toString(16).padStart(12, '0')}`
  return `${heads[(votesSent - 1) % heads.length]}${device}\r\n\r\n{"option":"${votesSent % 5 < 3 ? 'A' : 'B'}"}`
}

const next = (): string => (at++ % turn < votesInTurn ? vote() : read)

interface Line {
  sentAt: number
  unread: string
}

/** The status of a complete answer at the beginning of the text, and where it ends; null if bytes are missing. */
function firstAnswer(text: string): { status: number; end: number } | null {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const status = Number(text.slice(9, 12))
  const length = text.slice(0, headEnd).match(/\r\ncontent-length: *(\d+)/i)?.[1] ?? '0'
  const end = headEnd + 4 + (status === 304 ? 0 : Number(length))
  return text.length < end ? null : { status, end }
}

function send(socket: Bun.Socket<Line>): void {
  if (isOver) return
  socket.data.sentAt = performance.now()
  socket.write(next())
}

async function connect(): Promise<Bun.Socket<Line>> {
  return Bun.connect<Line>({
    hostname,
    port: Number(port),
    data: { sentAt: 0, unread: '' },
    socket: {
      open: send,
      data(socket, chunk) {
        // One character for each byte, so that string lengths are byte lengths.
        socket.data.unread += chunk.toString('latin1')
        const answer = firstAnswer(socket.data.unread)
        if (!answer || isOver) return
        socket.data.unread = socket.data.unread.slice(answer.end)
        if (answer.status >= 400) refused++
        latencies.push(performance.now() - socket.data.sentAt)
        send(socket)
      },
      close() {
        if (!isOver) broken++
      },
    },
  })
}

process.once('SIGINT', () => {
  isOver = true
})
const startedAt = performance.now()
const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, connect))
while (!isOver && performance.now() - startedAt < Number(seconds) * 1000) await Bun.sleep(5)
isOver = true
const took = (performance.now() - startedAt) / 1000
for (const socket of sockets) socket.end()
const sorted = Float64Array.from(latencies).sort()
const result: LoadResult = {
  requests: latencies.length,
  seconds: took,
  refused,
  broken,
  votesSent,
  p50: percentile(sorted, 50),
  p99: percentile(sorted, 99),
}
process.stdout.write(`load ${JSON.stringify(result)}\n`)
process.exit(0)
