import { afterEach, describe, expect, test } from 'bun:test'
import type { LookupAddress } from 'node:dns'
import { selfSigned } from '../../../../../test/certificate.ts'
import { failureOf } from './exchange.ts'
import type { Resolve } from './name-lookups.ts'
import { createPost, type Posting } from './post.ts'

const NAME = 'hooks.example'
const LOOPBACK = { address: '127.0.0.1', family: 4 }
const rules = { isPrivateWebhookAllowed: true, webhookPorts: [] }
/** No post takes it: a slow machine has this time. */
const LONG_MS = 20_000

const { key, cert } = selfSigned([NAME])
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0)) await step()
})

const to = (...addresses: LookupAddress[]): Resolve => {
  return async () => addresses
}

interface Sending {
  readonly timeoutMs?: number
  readonly resolve?: Resolve
  readonly signal?: AbortSignal
  readonly headers?: Posting['headers']
}

function post(url: string, { timeoutMs = LONG_MS, resolve = to(LOOPBACK), ...more }: Sending = {}) {
  const send = createPost({ rules, timeoutMs, resolve, ca: cert })
  return send({ brandKey: 1, url, headers: {}, body: '{"a":"ü"}', signal: new AbortController().signal, ...more })
}

const outcome = async (posted: ReturnType<typeof post>): Promise<string> => {
  try {
    return String((await posted).status)
  } catch (error) {
    return failureOf(error)
  }
}

interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

function serve(answer: (seen: Seen) => Response | Promise<Response>, isSecure = true) {
  const seen: Seen[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    ...(isSecure ? { tls: { key, cert } } : {}),
    async fetch(request) {
      const url = new URL(request.url)
      const one = {
        method: request.method,
        path: url.pathname + url.search,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      }
      seen.push(one)
      return answer(one)
    },
  })
  undo.push(() => server.stop(true))
  const scheme = isSecure ? 'https' : 'http'
  const port = Number(server.port)
  return { seen, port, url: `${scheme}://${NAME}:${port}` }
}

/** Answers with these parts, one at a time, and then sends nothing more. */
function serveBytes(...parts: (string | Uint8Array)[]) {
  let written = 0
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async data(socket) {
        for (const part of parts) {
          socket.write(part)
          written++
          // Real time: the parts must arrive one by one.
          await Bun.sleep(5)
        }
      },
      error() {},
    },
  })
  undo.push(() => server.stop(true))
  return { url: `http://${NAME}:${server.port}/`, written: () => written }
}

describe('a post', () => {
  test('sends the body and our headers to the named host, over TLS', async () => {
    const { seen, port, url } = serve(() => new Response('thanks', { status: 202, headers: { 'Retry-After': '7' } }))
    const posted = await post(`${url}/a%20b?c=d#e`, { headers: { 'webhook-id': 'x1' } })
    expect(posted).toEqual({ status: 202, retryAfter: '7', text: 'thanks' })
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/a%20b?c=d', body: '{"a":"ü"}' })
    expect(seen[0]?.headers).toMatchObject({
      host: `${NAME}:${port}`,
      'content-type': 'application/json',
      'content-length': '10',
      'webhook-id': 'x1',
      'user-agent': expect.stringMatching(/^Tossup\/\d/),
      'accept-encoding': 'identity',
      connection: 'close',
    })
  })

  test.each([200, 201, 204, 400, 404, 410, 429, 500, 503])('returns the status %p', async (status) => {
    const { url } = serve(() => new Response(status === 204 ? null : 'x', { status }))
    expect(await outcome(post(url))).toBe(String(status))
  })

  test('does not follow a redirect', async () => {
    const other = serve(() => new Response('reached'))
    const { url } = serve(() => new Response(null, { status: 307, headers: { Location: other.url } }))
    expect(await outcome(post(url))).toBe('307')
    expect(other.seen).toEqual([])
  })

  test('is not sent where the certificate is for another name, or from an unknown authority', async () => {
    const { seen, port } = serve(() => new Response('x'))
    expect(await outcome(post(`https://other.example:${port}/`))).toBe('tls_failed')
    expect(await outcome(post(`https://127.0.0.1:${port}/`))).toBe('tls_failed')
    const unknown = createPost({ rules, timeoutMs: LONG_MS, resolve: to(LOOPBACK) })
    const sent = unknown({
      brandKey: 1,
      url: `https://${NAME}:${port}`,
      headers: {},
      body: '',
      signal: new AbortController().signal,
    })
    expect(await outcome(sent)).toBe('tls_failed')
    expect(seen).toEqual([])
  })

  test('to a server without TLS, or without HTTP, fails with that error', async () => {
    const plain = serve(() => new Response('x'), false)
    expect(await outcome(post(plain.url.replace('http:', 'https:')))).toMatch(/^(tls_failed|connection_failed)$/)
    expect(await outcome(post(serveBytes('SSH-2.0-OpenSSH_9.2\r\n\r\n').url))).toBe('malformed_answer')
    expect(await outcome(post(serveBytes('HTTP/1.1 abc\r\n\r\n').url))).toBe('malformed_answer')
    for (const header of ['', 'Upgrade: x\r\nConnection: upgrade\r\n']) {
      const switching = serveBytes(`HTTP/1.1 101 Switching Protocols\r\n${header}\r\n`, 'x'.repeat(100))
      expect(await outcome(post(switching.url))).toBe('malformed_answer')
    }
  })

  test('to a closed port fails, and so does one whose answer is cut off', async () => {
    // No other program takes this port meanwhile.
    expect(await outcome(post(`http://${NAME}:1/`))).toBe('connection_failed')
    const cut = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end('HTTP/1.1 2') },
    })
    undo.push(() => cut.stop(true))
    expect(await outcome(post(`http://${NAME}:${cut.port}/`))).toMatch(/^(connection_failed|malformed_answer)$/)
  })

  test('whose long answer arrives at once, with the end of the connection, is read to its end', async () => {
    for (const end of ['end', 'terminate'] as const) {
      const answer = `HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(9_000)}\r\nRetry-After: 7\r\n\r\n${'b'.repeat(9_000)}`
      const brief = Bun.listen({
        hostname: '127.0.0.1',
        port: 0,
        socket: {
          data(socket) {
            socket.write(answer)
            socket[end]()
          },
        },
      })
      undo.push(() => brief.stop(true))
      const posted = await post(`http://${NAME}:${brief.port}/`)
      expect(posted).toEqual({ status: 200, retryAfter: '7', text: 'b'.repeat(1_024) })
    }
  })

  test('tries the next address where the first does not answer', async () => {
    const { url } = serve(() => new Response('x'))
    expect(await outcome(post(url, { resolve: to({ address: '::1', family: 6 }, LOOPBACK) }))).toBe('200')
  })

  test('to a name without an address, or whose resolver fails, is address_refused', async () => {
    const failing: Resolve = () => Promise.reject(new Error('NXDOMAIN'))
    for (const resolve of [to(), failing]) {
      expect(await outcome(post(`https://${NAME}`, { timeoutMs: 100, resolve }))).toBe('address_refused')
    }
  })

  test('fails alike, and after the same time, whether an internal name exists or not', async () => {
    const resolve: Resolve = async (hostname) => {
      // Real time: name servers that take their time.
      if (hostname.includes('slow')) await Bun.sleep(200)
      if (hostname.includes('never')) await new Promise(() => undefined)
      if (hostname.includes('missing')) throw new Error('NXDOMAIN')
      return hostname.includes('empty') ? [] : [{ address: '10.0.0.7', family: 4 }]
    }
    const outside = { isPrivateWebhookAllowed: false, webhookPorts: [443] }
    // The smallest difference of up to five looks: a busy machine can only enlarge it.
    let apartMs = Number.POSITIVE_INFINITY
    for (let look = 0; look < 5 && apartMs >= 60; look++) {
      const send = createPost({ rules: outside, timeoutMs: 1_000, resolve })
      const ends = ['there', 'missing', 'empty', 'slow-there', 'slow-missing', 'slow-empty', 'never'].map(
        async (host) => {
          const startedAt = performance.now()
          const posting = {
            brandKey: 1,
            url: `https://${host}.example`,
            headers: {},
            body: '',
            signal: new AbortController().signal,
          }
          const error: unknown = await send(posting).catch((failure) => failure)
          return { ms: performance.now() - startedAt, said: `${failureOf(error)}: ${error}` }
        },
      )
      const seen = await Promise.all(ends)
      expect(new Set(seen.map(({ said }) => said)).size).toBe(1)
      const times = seen.map(({ ms }) => ms)
      expect(Math.min(...times)).toBeGreaterThan(390)
      apartMs = Math.min(apartMs, Math.max(...times) - Math.min(...times))
    }
    expect(apartMs).toBeLessThan(60)
  })
})

describe('the time of a post', () => {
  test('runs out during the lookup of the name', async () => {
    const never: Resolve = () => new Promise(() => undefined)
    expect(await outcome(post(`https://${NAME}`, { timeoutMs: 50, resolve: never }))).toBe('address_refused')
  })

  test('runs out while the server is silent, or sends its head a byte at a time', async () => {
    expect(await outcome(post(serveBytes().url, { timeoutMs: 100 }))).toBe('timeout')
    const slow = serveBytes(...Array.from({ length: 100 }, () => 'H'))
    expect(await outcome(post(slow.url, { timeoutMs: 100 }))).toMatch(/^(timeout|malformed_answer)$/)
    // The time of all reads together, long before the last part.
    expect(slow.written()).toBeLessThan(100)
    const head = serveBytes('HTTP/1.1 200 OK\r\n', ...Array.from({ length: 100 }, (_, i) => `X-${i}: y\r\n`))
    expect(await outcome(post(head.url, { timeoutMs: 100 }))).toBe('timeout')
    expect(head.written()).toBeLessThan(100)
  })

  test('runs out after early hints, which are no answer', async () => {
    const hints = serveBytes('HTTP/1.1 103 Early Hints\r\n\r\n')
    expect(await outcome(post(hints.url, { timeoutMs: 100 }))).toMatch(/^(timeout|connection_failed)$/)
    const late = serveBytes('HTTP/1.1 103 Early Hints\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    expect(await outcome(post(late.url))).toBe('200')
  })

  test('keeps a status that has arrived, though its body never ends', async () => {
    const hanging = serveBytes('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nso far')
    expect(await post(hanging.url, { timeoutMs: 1_000 })).toEqual({ status: 200, retryAfter: null, text: 'so far' })
  })

  test('ends at once when the service stops', async () => {
    const stopping = new AbortController()
    const posted = post(serveBytes().url, { signal: stopping.signal })
    // Real time: stopped while the request is under way.
    setTimeout(() => stopping.abort(new Error('stopping')), 20)
    await expect(posted).rejects.toThrow('stopping')
    await expect(post(serveBytes().url, { signal: stopping.signal })).rejects.toThrow('stopping')
  })
})

describe('the answer to a post', () => {
  const withBody = async (body: string | Uint8Array) => {
    const { url } = serve(() => new Response(body))
    return (await post(url)).text
  }

  test('is kept up to one KiB, as valid text', async () => {
    expect(await withBody('')).toBe('')
    expect(await withBody('x'.repeat(2_000))).toBe('x'.repeat(1_024))
    expect(await withBody(`x${'€'.repeat(400)}`)).toBe(`x${'€'.repeat(341)}`)
    expect(await withBody(new Uint8Array([97, 0, 255, 98]))).toBe('a\ufffd\ufffdb')
  })

  test('is read up to 64 KiB, however long it is', async () => {
    let sent = 0
    const endless = new ReadableStream({
      async pull(controller) {
        sent += 16_384
        controller.enqueue(new Uint8Array(16_384).fill(120))
        // Real time: an endless answer, sent as fast as it is read.
        await Bun.sleep(1)
      },
    })
    const { url } = serve(() => new Response(endless))
    expect((await post(url)).text).toBe('x'.repeat(1_024))
    const atTheEnd = sent
    // Real time: long enough to show that the rest of the body is not read.
    await Bun.sleep(100)
    expect(sent).toBeLessThan(8_000_000)
    expect(sent - atTheEnd).toBeLessThan(1_000_000)
  })

  test('that claims to be compressed is kept as it is', async () => {
    const bomb = Bun.gzipSync(new Uint8Array(10_000_000))
    const { url } = serve(() => new Response(bomb, { headers: { 'Content-Encoding': 'gzip' } }))
    expect(await outcome(post(url))).toBe('200')
  })
})

describe('the way of a post', () => {
  test('is the address that was checked, even if the name resolves to another later', async () => {
    let asked = 0
    let reached = 0
    const { seen, url, port } = serve(() => new Response('x'))
    const elsewhere = Bun.listen({
      hostname: '127.0.0.2',
      port,
      socket: { open: () => void reached++, data() {} },
    })
    undo.push(() => elsewhere.stop(true))
    const rebinding: Resolve = async () => {
      asked++
      return [asked === 1 ? LOOPBACK : { address: '127.0.0.2', family: 4 }]
    }
    expect(await outcome(post(url, { resolve: rebinding }))).toBe('200')
    expect([asked, seen.length, reached]).toEqual([1, 1, 0])
  })

  test('uses no proxy of the environment', async () => {
    const { seen, url } = serve(() => new Response('x'), false)
    const canary = serve(() => new Response('reached'), false)
    const proxy = `http://127.0.0.1:${canary.port}`
    const script = `
      const { createPost } = await import(${JSON.stringify(new URL('./post.ts', import.meta.url).pathname)})
      const post = createPost({ rules: ${JSON.stringify(rules)}, timeoutMs: ${LONG_MS},
        resolve: async () => [${JSON.stringify(LOOPBACK)}] })
      const { status } = await post({ brandKey: 1, url: ${JSON.stringify(url)}, headers: {}, body: '', signal: new AbortController().signal })
      console.log(status)`
    const names = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()])
    const child = Bun.spawn([process.execPath, '-e', script], {
      env: { ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: '1' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    expect([await child.stdout.text(), await child.stderr.text()]).toEqual(['200\n', ''])
    expect([seen.length, canary.seen.length]).toEqual([1, 0])
  })
})
