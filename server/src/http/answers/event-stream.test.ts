import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '../../../test/eventually.ts'
import { EventStream } from './event-stream.ts'

// Runs in a process of its own: it measures the memory of it.

setDefaultTimeout(60_000)

/** More than a connection buffers for a client that does not read, and little enough to hold in memory. */
const A_LOT = 64 * 2 ** 20
const CHUNK = Buffer.alloc(4_096, 'x')

describe('an event stream', () => {
  let server: ReturnType<typeof Bun.serve>
  let streams: EventStream[]
  let told: string[]
  let sockets: Socket[]
  /** Called with the stream before the response is sent. */
  let before: (stream: EventStream) => void

  beforeEach(() => {
    streams = []
    told = []
    sockets = []
    before = () => undefined
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      development: false,
      fetch() {
        const stream: EventStream = new EventStream({
          opened() {
            told.push('opened')
            stream.write('hello\n\n')
          },
          gone: () => void told.push('gone'),
        })
        streams.push(stream)
        before(stream)
        return new Response(stream.body, { headers: { Connection: 'close' } })
      },
    })
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await server.stop(true)
  })

  function ask(method = 'GET') {
    const socket = connect(server.port ?? 0, '127.0.0.1')
    sockets.push(socket)
    const client = { socket, received: '', isClosed: false }
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      client.received += text
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      client.isClosed = true
    })
    socket.write(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`)
    return client
  }

  const until = (isTrue: () => boolean) => eventually(isTrue)

  async function opened(): Promise<{ client: ReturnType<typeof ask>; stream: EventStream }> {
    const client = ask()
    await until(() => client.received.includes('hello'))
    return { client, stream: streams[0] as EventStream }
  }

  test('is open from its first byte to its end, which both sides see', async () => {
    const { client, stream } = await opened()
    expect(stream.write('one\n\n')).toBe(true)
    expect(stream.write(Buffer.from('two\n\n'))).toBe(true)
    await until(() => client.received.includes('two'))
    expect(told).toEqual(['opened'])
    stream.end()
    stream.end()
    await until(() => client.isClosed)
    expect(client.received).toEndWith('0\r\n\r\n')
    expect(told).toEqual(['opened', 'gone'])
    expect(stream.write('three')).toBe(true)
    expect(server.pendingRequests).toBe(0)
  })

  test.each(['end', 'resetAndDestroy'] as const)(
    'ends when its reader leaves (%s), and may still be written to',
    async (how) => {
      const { client, stream } = await opened()
      client.socket[how]()
      while (told.length < 2) {
        expect(stream.write('x')).toBe(true)
        // Real time: the connection notices only at a later write that the client is gone.
        await Bun.sleep(1)
      }
      expect(told).toEqual(['opened', 'gone'])
      expect(stream.write('x')).toBe(true)
      stream.end()
      expect(told).toEqual(['opened', 'gone'])
    },
  )

  test('that ended before its answer is answered empty', async () => {
    before = (stream) => stream.end()
    const client = ask()
    await until(() => client.isClosed)
    expect(client.received).toStartWith('HTTP/1.1 200 ')
    expect(client.received).not.toContain('hello')
    expect(told).toEqual(['gone'])
  })

  test('asked for by HEAD never opens, and ends', async () => {
    const client = ask('HEAD')
    await until(() => told.length > 0)
    expect(told).toEqual(['gone'])
    // The stream is reported as over before the response headers have been sent.
    await until(() => client.received !== '')
    expect(client.received).toStartWith('HTTP/1.1 200 ')
  })

  test('cuts off a reader that does not read, and keeps nothing of it', async () => {
    const { client, stream } = await opened()
    client.socket.pause()
    const atFirst = process.memoryUsage.rss()
    let written = 0
    while (stream.write(CHUNK)) {
      written += CHUNK.length
      if (written > A_LOT) throw new Error('a reader that takes nothing is written to for ever')
      // Real time: the connection accepts writes until its buffers are full.
      if (written % 2 ** 20 === 0) await Bun.sleep(1)
    }
    expect(told).toEqual(['opened', 'gone'])
    await until(() => server.pendingRequests === 0)
    expect(process.memoryUsage.rss() - atFirst).toBeLessThan(A_LOT / 2)
    client.socket.resume()
    await until(() => client.isClosed)
    expect(client.received).not.toContain('0\r\n\r\n')
  })

  test('ends at a stop although another stream is slow', async () => {
    const { client, stream } = await opened()
    client.socket.pause()
    while (stream.write(CHUNK));
    const start = performance.now()
    await server.stop()
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})
