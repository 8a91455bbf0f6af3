import { expect, test } from 'bun:test'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { eventually } from '../../../../test/eventually.ts'
import type { Deps } from '../../deps.ts'
import { Mailer, sendSignInLink } from './mailer.ts'

test('looks the address up only after the answer has been sent', async () => {
  const asked: unknown[] = []
  const db = new Proxy({}, { get: (_, name) => void asked.push(name) })
  const followed: Promise<unknown>[] = []
  const mailer = { isOn: true, follow: (work: Promise<unknown>) => void followed.push(work) }
  const limiter = { take: () => [{ isAllowed: true }] }
  const deps = { engine: { db }, keys: { network: new Uint8Array(32) }, limiter } as unknown as Deps
  sendSignInLink(deps, mailer as unknown as Mailer, { email: 'ada@example.com', lang: 'en' })
  // A turn of the event loop: the answer has been written by then.
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toEqual([])
  await Promise.allSettled(followed)
  expect(asked).toEqual(['selectFrom'])
})

/** A mail server that never says anything whole: `speak` begins with each connection. */
async function open(speak: (socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    sockets.push(socket)
    speak(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    config: { smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom: null, publicUrl: 'https://polls.test' },
    sockets,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const drip = (socket: Socket) => {
  const timer = setInterval(() => socket.write('220-x\r\n'), 50)
  socket.on('close', () => clearInterval(timer))
}

const message = { to: 'ada@people.test', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }

test('a mail server that only drips holds back neither other mails nor the stop', async () => {
  const server = await open(drip)
  let failures = 0
  const mailer = new Mailer(server.config, { warn: () => void failures++ }, 1_000)
  for (let i = 0; i < 12; i++) mailer.send(message)
  await eventually(() => failures === 12)
  await eventually(() => server.sockets.length === 12)
  const patient = new Mailer(server.config, { warn: () => void failures++ })
  for (let i = 0; i < 12; i++) patient.send(message)
  await patient.close()
  expect(failures).toBe(24)
  server.close()
})

test('a reply without an end is given up', async () => {
  const server = await open((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(`220-${'x'.repeat(4_000)}\r\n`));
    }
    socket.on('drain', more)
    more()
  })
  let failures = 0
  const mailer = new Mailer(server.config, { warn: () => void failures++ })
  mailer.send(message)
  await eventually(() => failures === 1)
  await mailer.close()
  server.close()
})
