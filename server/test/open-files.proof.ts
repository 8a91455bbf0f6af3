import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { ChildService, createHome, createOwner, OwnerClient } from './child-service.ts'
import { type EngineName, engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { ADMIN_URL } from './own-database.ts'

setDefaultTimeout(180_000)

const DESCRIPTORS = 128
const CONNECTIONS = 150
const LIMITED = ['prlimit', `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`]
const POLL = 'tea-or-coffee'
const HEALTH = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'

/** A keep-alive connection for several requests in a row. */
class KeptConnection {
  readonly #socket: Socket
  #text = ''
  isOpen = true

  constructor(url: string) {
    this.#socket = connect(Number(new URL(url).port), '127.0.0.1')
    this.#socket.on('data', (data) => {
      this.#text += data
    })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => {
      this.isOpen = false
    })
  }

  get isAnswered(): boolean {
    return this.#text !== ''
  }

  send(request: string): void {
    this.#socket.write(request)
  }

  /** The status of the answer. */
  async ask(request: string): Promise<number> {
    this.#text = ''
    this.send(request)
    await eventually(() => this.#text.includes('\r\n\r\n'))
    return Number(this.#text.split(' ')[1])
  }

  close(): void {
    this.#socket.destroy()
  }
}

function voteRequest(): string {
  const body = '{"option":"A"}'
  const headers = `Host: x\r\nX-Device-Id: ${randomUUID()}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /api/rest/v1/polls/${POLL}/votes HTTP/1.1\r\n${headers}\r\n\r\n${body}`
}

const undo: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const work of undo.toReversed()) await work()
})

async function startLimited(engine: EngineName): Promise<ChildService> {
  const home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
  undo.push(() => home.remove())
  const owner = await createOwner(home, 'brand')
  const server = await ChildService.start(home, { before: LIMITED })
  undo.push(() => server.stop())
  await (await OwnerClient.connect(server.url, owner)).createPoll(POLL)
  return server
}

// At the same time, because a minute of each is the wait for the idle timeout.
test.if(process.platform === 'linux').concurrent.each([...engines])(
  '%s: with more connections than open files, votes on open connections are stored, and idle connections end by themselves',
  async (engine) => {
    const server = await startLimited(engine)
    expect(server.lastLines().some((line) => line.includes('Raise the limit: `ulimit -n 65536`'))).toBe(true)
    const kept = new KeptConnection(server.url)
    expect(await kept.ask(voteRequest())).toBe(201)
    const idle = Array.from({ length: CONNECTIONS }, () => new KeptConnection(server.url))
    for (const connection of idle) connection.send(HEALTH)
    const answered = () => idle.filter(({ isAnswered }) => isAnswered).length
    await eventually(() => answered() > 0.5 * DESCRIPTORS)
    expect(answered()).toBeLessThan(CONNECTIONS)
    for (let i = 0; i < 20; i++) expect(await kept.ask(voteRequest())).toBe(201)
    // All of them, in turn: also those that had to wait.
    await eventually(() => answered() === CONNECTIONS, { withinMs: 60_000 })
    await eventually(() => idle.every(({ isOpen }) => !isOpen), { withinMs: 60_000 })
    const later = new KeptConnection(server.url)
    expect(await later.ask(voteRequest())).toBe(201)
    later.close()
  },
)
