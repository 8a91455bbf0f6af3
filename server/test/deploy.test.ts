import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSigned } from './certificate.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { findProgram } from './programs.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(60_000)

const DEPLOY = join(import.meta.dir, '../../deploy')
const NAME = 'polls.example.com'
/** Addresses of visitors; the proxy itself connects from 127.0.0.1. */
const [ANN, BEN] = ['127.0.0.2', '127.0.0.3'] as const
const PICTURE_BYTES = 5 * 1024 * 1024

interface Place {
  readonly folder: string
  readonly port: number
  readonly server: string
}

/** The file as it is shipped, with the addresses of this test. Each replacement must apply. */
async function shipped(name: string, replaced: readonly (readonly [string, string])[]): Promise<string> {
  let text = await Bun.file(join(DEPLOY, name)).text()
  for (const [from, to] of replaced) {
    if (!text.includes(from)) throw new Error(`${name} has no ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

async function nginx({ folder, port, server }: Place): Promise<string[]> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const made = selfSigned([NAME])
  await Bun.write(key, made.key)
  await Bun.write(certificate, made.cert)
  const site = await shipped('nginx.conf', [
    ['server 127.0.0.1:3000;', `server ${server};`],
    ['  listen [::]:80;\n', ''],
    ['  listen [::]:443 ssl http2;\n', ''],
    ['listen 80;', `listen 127.0.0.1:${freePort()};`],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    [`/etc/letsencrypt/live/${NAME}/fullchain.pem`, certificate],
    [`/etc/letsencrypt/live/${NAME}/privkey.pem`, key],
  ])
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const http = `http { access_log off; ${temporary.join(' ')}\n${site}}`
  await Bun.write(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}\n${http}`,
  )
  return ['nginx', '-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')]
}

async function caddy({ folder, port, server }: Place): Promise<string[]> {
  const site = await shipped('Caddyfile', [
    [`\n${NAME} {`, `\nhttps://${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls internal`],
    ['127.0.0.1:3000', server],
  ])
  const options = ['admin off', `default_sni ${NAME}`, 'auto_https disable_redirects', 'skip_install_trust']
  const storage = `storage file_system ${folder}/caddy`
  await Bun.write(join(folder, 'Caddyfile'), `{\n${[...options, storage].join('\n')}\n}\n${site}`)
  return ['caddy', 'run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
}

const PROXIES = { nginx, caddy } as const

describe.each(Object.keys(PROXIES) as (keyof typeof PROXIES)[])('behind %s', (name) => {
  const isThere = findProgram(name) !== null
  let service: TestService
  let brand: TestBrand
  let folder: string
  let port: number
  let proxy: Bun.Subprocess
  beforeAll(async () => {
    if (!isThere) return
    const settings = {
      TRUSTED_PROXIES: '127.0.0.1',
      PUBLIC_URL: `https://${NAME}`,
      NETWORK_VOTES_PER_MINUTE: '3',
    }
    service = await startTestService('sqlite', { settings })
    brand = await service.createBrand()
    folder = await mkdtemp(join(tmpdir(), 'tossup-proxy-'))
    port = freePort()
    const command = await PROXIES[name]({ folder, port, server: new URL(service.service.url).host })
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    proxy = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'ignore' })
    // Refused connections until it listens.
    const status = () =>
      ask({ path: '/readyz' }).then(
        (answer) => answer.status,
        () => null,
      )
    await eventually(async () => (await status()) === 200)
  })
  afterAll(async () => {
    if (!isThere) return
    proxy.kill()
    await proxy.exited
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  })

  interface Asked {
    readonly path: string
    readonly from?: string
    readonly method?: string
    readonly headers?: Record<string, string>
    readonly body?: string | Uint8Array
    /** Ends the answer at the first text that has this. */
    readonly until?: string
  }

  function ask({ path, from = ANN, method = 'GET', headers = {}, body, until }: Asked) {
    return new Promise<{ status: number; text: string; headers: IncomingHttpHeaders }>((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        path,
        method,
        localAddress: from,
        rejectUnauthorized: false,
        agent: false,
      }
      const sent = request({ ...options, headers: { Host: NAME, ...headers } }, (answer) => {
        let text = ''
        const end = () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers })
        answer.setEncoding('utf8').on('data', (part) => {
          text += part
          if (until === undefined || !text.includes(until)) return
          end()
          sent.destroy()
        })
        answer.on('end', end).on('error', reject)
      })
      sent.on('error', reject).end(body)
    })
  }

  const vote = ({ slug }: PollData, from: string, headers: Record<string, string> = {}) =>
    ask({
      path: `/api/rest/v1/polls/${slug}/votes`,
      from,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Device-Id': randomUUID(), ...headers },
      body: '{"option":"A"}',
    })

  test.if(isThere)('limits count the networks of visitors and ignore the addresses that they claim', async () => {
    const poll = await service.createPoll(brand)
    for (let i = 0; i < 3; i++) expect((await vote(poll, ANN)).status).toBe(201)
    expect((await vote(poll, ANN)).status).toBe(429)
    expect((await vote(poll, ANN, { 'X-Forwarded-For': '203.0.113.9' })).status).toBe(429)
    expect((await vote(poll, BEN)).status).toBe(201)
  })

  test.if(isThere)('a live stream sends a vote while it is open', async () => {
    const poll = await service.createPoll(brand)
    const path = `/api/rest/v1/polls/${poll.slug}/tallies/stream`
    const first = await ask({ path, until: '"total":0' })
    expect(first.status).toBe(200)
    const told = ask({ path, until: '"total":1' })
    expect((await vote(poll, BEN)).status).toBe(201)
    expect((await told).text).toContain('"total":1')
  })

  test.if(isThere)('a picture of the largest size reaches the service', async () => {
    const path = `/uploads/${'A'.repeat(32)}.png?signature=${'A'.repeat(43)}`
    const headers = { 'Content-Type': 'image/png' }
    const { status, text } = await ask({ path, method: 'PUT', headers, body: new Uint8Array(PICTURE_BYTES) })
    expect([status, JSON.parse(text).error.code]).toEqual([404, 'NOT_FOUND'])
  })

  test.if(isThere)('browsers are told to use https alone, also by an error', async () => {
    const answers = [await ask({ path: '/readyz' }), await ask({ path: '/p/nothing' })]
    expect(answers.map(({ status, headers }) => [status, headers['strict-transport-security']])).toEqual([
      [200, 'max-age=31536000'],
      [404, 'max-age=31536000'],
    ])
  })

  test.if(isThere)('pages name the public address', async () => {
    const poll = await service.createPoll(brand)
    const { text } = await ask({ path: `/p/${poll.slug}` })
    expect(/rel="canonical" href="([^"]*)\/p\//.exec(text)?.[1]).toBe(`https://${NAME}`)
  })
})

test.if(findProgram('systemd-analyze') !== null)(
  'the unit of systemd is valid, and its sandbox is rated well',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tossup-unit-'))
    const unit = join(folder, 'tossup.service')
    // The program must exist where the unit names it.
    await Bun.write(unit, await shipped('tossup.service', [['/usr/bin/node', process.execPath]]))
    const verified = Bun.spawnSync(['systemd-analyze', 'verify', '--man=no', unit])
    expect([verified.exitCode, verified.stderr.toString()]).toEqual([0, ''])
    const rated = Bun.spawnSync(['systemd-analyze', 'security', '--offline=true', '--threshold=20', unit])
    expect(rated.exitCode).toBe(0)
    await rm(folder, { recursive: true })
  },
)
