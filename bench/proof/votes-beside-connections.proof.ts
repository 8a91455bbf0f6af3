import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { ChildService, createHome, createOwner, type Home, OwnerClient } from '../../server/test/child-service.ts'

setDefaultTimeout(120_000)

const DESCRIPTORS = 1_024
const POLL = 'tea-or-coffee'
const VOTE_EVERY_MS = 25
const VOTES = 200
const PROMPT_MS = 500
/** The machine has other work too. */
const MOST_LATE = 1
const GIVEN_UP_MS = 10_000
/** They come within this time; all in one moment would fill the kernel's queue of connections that wait for any server. */
const GATHER_MS = 2_000
/** When the server closes a connection of an attacker, the attacker opens another. */
const AGAIN_MS = 1_000
/** As our client library does after an answer of 503. */
const STREAM_AGAIN_MS = 5_000
const SLOW_MS = 1_000

interface Crowd {
  readonly count: number
  /** Sent after connecting. */
  readonly first: (pollId: string) => string
  /** Sent again and again, slowly. */
  readonly more?: string
  readonly againMs?: number
  readonly voteEveryMs?: number
}

const keepAlive = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'

const quiet: Record<string, Crowd> = {
  '1,500 connections that send nothing': { count: 1_500, first: () => '' },
  '1,500 idle connections': { count: 1_500, first: () => keepAlive },
}

const slow: Record<string, Crowd> = {
  '2,000 connections that send their headers slowly': {
    count: 2_000,
    first: () => 'GET /livez HTTP/1.1\r\nX-',
    more: 'a',
  },
  '2,000 connections that send their bodies slowly': {
    count: 2_000,
    first: () =>
      `POST /api/rest/v1/polls/${POLL}/votes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{`,
    more: ' ',
  },
}

const streams: Record<string, Crowd> = {
  '5,000 idle streams': {
    count: 5_000,
    againMs: STREAM_AGAIN_MS,
    // Long enough for all of them to come again.
    voteEveryMs: 50,
    first: () =>
      `GET /api/rest/v1/polls/${POLL}/tallies/stream HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`,
  },
}

/** The returned function sends the crowd away. */
function gather({ port, pollId }: Target, { count, first, more, againMs = AGAIN_MS }: Crowd): () => void {
  let isOver = false
  const sockets = new Set<Socket>()
  const open = () => {
    if (isOver) return
    const socket = connect(port, '127.0.0.1', () => socket.write(first(pollId)))
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      // Real time: as their clients do.
      setTimeout(open, againMs)
    })
  }
  // Real time: they come one after the other.
  for (let i = 0; i < count; i++) setTimeout(open, (i / count) * GATHER_MS)
  const drip = setInterval(() => {
    if (more !== undefined) for (const socket of sockets) socket.write(more)
  }, SLOW_MS)
  return () => {
    isOver = true
    clearInterval(drip)
    for (const socket of sockets) socket.destroy()
  }
}

/** How long a vote on a connection of its own takes; infinite if it fails. */
function vote(port: number): Promise<number> {
  const body = '{"option":"A"}'
  const head = `POST /api/rest/v1/polls/${POLL}/votes HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Device-Id: ${randomUUID()}`
  const rest = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n${rest}`))
    const end = (ms: number) => {
      socket.destroy()
      resolve(ms)
    }
    // Real time: a deadline.
    socket.setTimeout(GIVEN_UP_MS, () => end(Number.POSITIVE_INFINITY))
    socket.on('error', () => end(Number.POSITIVE_INFINITY))
    socket.on('close', () => end(Number.POSITIVE_INFINITY))
    socket.on('data', (data) =>
      end(String(data).startsWith('HTTP/1.1 201') ? performance.now() - startedAt : Number.POSITIVE_INFINITY),
    )
  })
}

interface Target {
  readonly port: number
  readonly pollId: string
}

/** `undo` gets what has to be done at the end. */
async function start(undo: (() => unknown)[]): Promise<Target> {
  const home: Home = await createHome(null)
  undo.push(() => home.remove())
  const owner = await createOwner(home, 'brand')
  const limit = `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`
  const server = await ChildService.start(home, { before: ['prlimit', limit] })
  undo.push(() => server.stop())
  const pollId = await (await OwnerClient.connect(server.url, owner)).createPoll(POLL)
  return { port: Number(new URL(server.url).port), pollId }
}

async function voteBeside(crowd: Crowd): Promise<number[]> {
  const undo: (() => unknown)[] = []
  try {
    const target = await start(undo)
    undo.push(gather(target, crowd))
    const votes: Promise<number>[] = []
    for (let i = 0; i < VOTES; i++) {
      votes.push(vote(target.port))
      // Real time: a rate of votes.
      await Bun.sleep(crowd.voteEveryMs ?? VOTE_EVERY_MS)
    }
    return await Promise.all(votes)
  } finally {
    for (const step of undo.reverse()) await step()
  }
}

describe.if(process.platform === 'linux')(`with ${DESCRIPTORS} file descriptors`, () => {
  const isPrompt = async (_: string, crowd: Crowd) => {
    const waits = await voteBeside(crowd)
    const late = waits.filter((ms) => ms >= PROMPT_MS)
    expect([late, late.every(Number.isFinite) && late.length <= MOST_LATE]).toEqual([late, true])
  }
  const title = 'voters succeed beside %s'

  // Two servers at once use less than a core; the streams, which use most, have the machine to themselves between them.
  test.concurrent.each(Object.entries(quiet))(title, isPrompt)
  test.each(Object.entries(streams))(title, isPrompt)
  test.concurrent.each(Object.entries(slow))(title, isPrompt)
})
