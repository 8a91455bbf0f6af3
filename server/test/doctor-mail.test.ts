import { afterAll, expect, test } from 'bun:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { examineMail } from '../src/cli/doctor/examine-services.ts'
import { selfSigned } from './certificate.ts'

const LONG_MS = 20_000
const certificate = selfSigned(['127.0.0.1'])
const opened: { close(): unknown }[] = []
afterAll(() => {
  for (const server of opened) server.close()
})

/** A mail server that knows the password of one user; returns its port. */
async function listen(options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    ...certificate,
    onAuth: ({ username, password }, _session, done) =>
      username === 'polls@example.com' && password === 'right'
        ? done(null, { user: username })
        : done(Object.assign(new Error('no such user'), { responseCode: 535 })),
    ...options,
  })
  server.on('error', () => undefined)
  opened.push(server)
  const { promise, resolve } = Promise.withResolvers<number>()
  const listener = server.listen(0, '127.0.0.1', () => {
    const address = listener.address()
    resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
  })
  return promise
}

const USER = 'polls%40example.com:right@'
const TRUSTING = '?tls.rejectUnauthorized=false'
const examined = async (smtpUrl: string, withinMs = LONG_MS) => {
  const [finding, ...others] = await examineMail({ smtpUrl }, withinMs)
  expect(others).toEqual([])
  return finding
}

test('without SMTP_URL there is nothing to say', async () => {
  expect(await examineMail({ smtpUrl: null })).toEqual([])
})

test('a server with STARTTLS, with TLS, and without either', async () => {
  const mails: unknown[] = []
  const onMailFrom: SMTPServerOptions['onMailFrom'] = (address, _session, done) => {
    mails.push(address)
    done()
  }
  const [port, securePort] = await Promise.all([listen({ onMailFrom }), listen({ onMailFrom, secure: true })])
  for (const url of [
    `smtp://${USER}127.0.0.1:${port}${TRUSTING}`,
    `smtps://${USER}127.0.0.1:${securePort}${TRUSTING}`,
  ]) {
    expect(await examined(url)).toMatchObject({
      status: 'ok',
      found: expect.stringMatching(/ takes the user and the password, encrypted$/),
    })
  }
  const plain = await listen({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, authOptional: true })
  expect(await examined(`smtp://${USER}127.0.0.1:${plain}`)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('not encrypted'),
  })
  expect(await examined(`smtp://127.0.0.1:${plain}`)).toMatchObject({
    found: expect.stringContaining('SMTP_URL has no user'),
  })
  expect(mails).toEqual([])
})

test('a wrong password, a certificate that nobody signed, and a server that refuses', async () => {
  const port = await listen()
  const wrong = await examined(`smtp://${USER.replace('right', 'hunter2')}127.0.0.1:${port}${TRUSTING}`)
  expect(wrong).toMatchObject({ status: 'fault', advice: expect.stringContaining('Correct the user and the password') })
  expect(JSON.stringify(wrong)).not.toContain('hunter2')
  const untrusted = await examined(`smtp://${USER}127.0.0.1:${port}`)
  expect(untrusted).toMatchObject({ status: 'fault', advice: expect.stringContaining('Check the certificate') })
  const full = await listen({
    onConnect: (_session, done) => done(Object.assign(new Error('not today'), { responseCode: 554 })),
  })
  expect(await examined(`smtp://127.0.0.1:${full}`)).toMatchObject({
    status: 'fault',
    found: expect.stringContaining('not today'),
  })
})

test('nothing listens, and a server that says nothing or too little is left in time', async () => {
  const closed = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  closed.stop(true)
  expect(await examined(`smtp://127.0.0.1:${closed.port}`)).toMatchObject({ status: 'fault' })
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  const slow = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: () => undefined,
      open(socket) {
        const timer = setInterval(() => socket.write('220-still thinking\r\n') || clearInterval(timer), 50)
        timer.unref()
      },
    },
  })
  opened.push({ close: () => silent.stop(true) }, { close: () => slow.stop(true) })
  // Real time: the limit is the subject.
  for (const { port } of [silent, slow]) {
    const startedAt = performance.now()
    expect(await examined(`smtp://127.0.0.1:${port}`, 500)).toMatchObject({ status: 'fault' })
    expect(performance.now() - startedAt).toBeLessThan(LONG_MS)
  }
})
