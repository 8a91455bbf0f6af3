import { afterEach, expect, test } from 'bun:test'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TcpProxy } from './tcp-proxy.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

/** A server that sends back what it gets, behind a proxy. */
async function throughProxy(roundTripMs: number): Promise<Socket> {
  const echo = createServer((socket) => void socket.pipe(socket))
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  undo.push(() => echo.close())
  const proxy = new TcpProxy(`tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`, { roundTripMs })
  await proxy.open()
  undo.push(() => proxy.close())
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1')
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  undo.push(() => socket.destroy())
  return socket
}

function read(socket: Socket, length: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let size = 0
    socket.on('data', (bytes) => {
      parts.push(Buffer.from(bytes))
      size += bytes.length
      if (size >= length) resolve(Buffer.concat(parts))
    })
  })
}

test('a round trip delays what is sent, and keeps its order', async () => {
  const socket = await throughProxy(60)
  const text = Array.from({ length: 500 }, (_, i) => `${i},`)
  const answer = read(socket, text.join('').length)
  const startedAt = performance.now()
  for (const part of text) {
    socket.write(part)
    // Real time: parts that leave at different moments must not overtake each other.
    if (part.endsWith('0,')) await Bun.sleep(1)
  }
  expect((await answer).toString()).toBe(text.join(''))
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(60)
})

test('a round trip does not limit the throughput', async () => {
  const socket = await throughProxy(100)
  const bytes = Buffer.alloc(8_000_000, 'tossup')
  const answer = read(socket, bytes.length)
  const startedAt = performance.now()
  socket.write(bytes)
  expect((await answer).equals(bytes)).toBe(true)
  // One part of 64 KiB for each round trip would take 12 s.
  expect(performance.now() - startedAt).toBeLessThan(6_000)
})
