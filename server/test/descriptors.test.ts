import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { ChildService, createHome, createOwner, type Home, OwnerClient } from './child-service.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { ADMIN_URL } from './own-database.ts'

// PostgreSQL connections: 15

setDefaultTimeout(60_000)

const EXHAUSTED_SERVER = new URL('exhausted-server.ts', import.meta.url).pathname
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

/** How often the event loop has blocked. An event loop that retries an accept in every turn never blocks. */
async function waitsOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/task/${pid}/status`, 'utf8')
  return Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1])
}

describe.if(process.platform === 'linux').each([...engines])(
  '%s: with more connections than file descriptors',
  (engine) => {
    let home: Home
    let server: ChildService
    beforeAll(async () => {
      home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
      const owner = await createOwner(home, 'brand')
      server = await ChildService.start(home, { before: LIMITED })
      await (await OwnerClient.connect(server.url, owner)).createPoll(POLL)
    })
    afterAll(async () => {
      await server.stop()
      await home.remove()
    })

    const said = (text: string) => server.lastLines().some((line) => line.includes(text))

    test('it closes idle connections before none are left, and takes the votes of others', async () => {
      const kept = new KeptConnection(server.url)
      expect(await kept.ask(voteRequest())).toBe(201)
      const idle = Array.from({ length: CONNECTIONS }, () => new KeptConnection(server.url))
      for (const connection of idle) connection.send(HEALTH)
      await eventually(() => said('too many connections'))
      for (let i = 0; i < 20; i++) {
        const voter = new KeptConnection(server.url)
        expect(await voter.ask(voteRequest())).toBe(201)
        voter.close()
      }
      await eventually(() => idle.filter(({ isOpen }) => isOpen).length < 0.7 * DESCRIPTORS)
      for (const connection of [kept, ...idle]) connection.close()
    })
  },
)

describe.if(process.platform === 'linux')('a server that has used up its file descriptors', () => {
  let home: Home
  let server: ChildService
  beforeAll(async () => {
    home = await createHome(null)
    const program = [process.execPath, '--no-env-file', '--no-install', EXHAUSTED_SERVER]
    server = await ChildService.start(home, { before: LIMITED, program })
  })
  afterAll(async () => {
    await server.stop()
    await home.remove()
  })

  const said = (text: string) => server.lastLines().some((line) => line.includes(text))

  test('answers on the connections it has, says what is wrong, rests, and accepts others when there is room', async () => {
    const kept = new KeptConnection(server.url)
    expect(await kept.ask(HEALTH)).toBe(200)
    const idle = Array.from({ length: CONNECTIONS }, () => new KeptConnection(server.url))
    for (const connection of idle) connection.send(HEALTH)
    await eventually(() => said('out of file descriptors'))

    const before = await waitsOf(server.pid)
    // Real time: the server's CPU use during this time is the subject.
    await Bun.sleep(2_000)
    expect((await waitsOf(server.pid)) - before).toBeGreaterThan(50)
    expect(await kept.ask(HEALTH)).toBe(200)

    for (const connection of idle) connection.close()
    await eventually(() => said('file descriptors are available again'), { withinMs: 40_000 })
    const later = new KeptConnection(server.url)
    expect(await later.ask(HEALTH)).toBe(200)
    expect(await kept.ask(HEALTH)).toBe(200)
    for (const connection of [kept, later]) connection.close()
  })
})
