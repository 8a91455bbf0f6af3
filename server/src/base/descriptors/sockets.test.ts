import { afterEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '../../../test/eventually.ts'
import { openSockets } from './sockets.ts'

const MOST_DESCRIPTORS = 1_024
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0)) await step()
})

describe.if(process.platform === 'linux').each(['127.0.0.1', '::1', '::'])(
  'the connections of a server on %s',
  (hostname) => {
    test('are listed with what they have sent, and can be closed', async () => {
      const sockets = openSockets()
      if (!sockets) throw new Error('no C library')
      const server = Bun.serve({ port: 0, hostname, fetch: () => new Response('x') })
      undo.push(() => server.stop(true))
      const port = server.port ?? 0
      const isOpen: boolean[] = []
      const open = (text: string, i: number): Socket => {
        const socket = connect(port, hostname === '::' ? '127.0.0.1' : hostname, () => socket.write(text))
        isOpen[i] = true
        socket.on('error', () => undefined)
        socket.on('data', () => undefined)
        socket.on('close', () => {
          isOpen[i] = false
        })
        undo.push(() => socket.destroy())
        return socket
      }
      const clients = ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'GET / HTTP/1.1\r\nHo'].map(open)
      const seen = () => sockets.connections(port, 0, MOST_DESCRIPTORS)
      await eventually(() => seen().length === 2 && seen().some(({ isAnswered }) => isAnswered))
      const ports = clients.map(({ localPort }) => localPort)
      const [answered, waiting] = ports.map((each) => seen().find(({ peerPort }) => peerPort === each))
      const peer = hostname === '::1' ? '0000:0000:0000:0000:0000:0000:0000:0001' : '127.0.0.1'
      expect(answered).toMatchObject({ peer, hasSent: true, isAnswered: true, receivedBytes: 27 })
      expect(waiting).toMatchObject({ peer, hasSent: true, isAnswered: false, receivedBytes: 18 })
      for (const each of seen()) expect(sockets.end(each)).toBe(true)
      await eventually(() => !isOpen[0] && !isOpen[1])
      await eventually(() => seen().length === 0)
      if (answered) expect(sockets.end(answered)).toBe(false)
      expect(await (await fetch(`http://${hostname.includes(':') ? '[::1]' : hostname}:${port}/`)).text()).toBe('x')
    })
  },
)
