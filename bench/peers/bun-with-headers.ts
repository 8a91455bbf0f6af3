// What the contract costs Bun itself: like bare-bun.ts, but it reads the request headers that decide how Tossup answers, and sends
// every response header that Tossup sent for the same path, with a request id of its own. It checks and stores nothing.
import { randomUUID } from 'node:crypto'
import { ASKED_OF_ALL, ASKED_OF_VOTES } from './asked-headers.ts'

interface Constant {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

interface Constants {
  readonly reads: Readonly<Record<string, Constant & { readonly etag: string }>>
  readonly vote: string
  readonly voteHeaders: Readonly<Record<string, string>>
}

const constants: Constants = await Bun.file(process.argv[2] ?? '').json()
const reads = new Map(
  Object.entries(constants.reads).map(([path, { body, etag, headers }]) => [
    path,
    { body, etag, headers: new Headers(headers) },
  ]),
)
const voteHeaders = new Headers(constants.voteHeaders)

function answer(body: string | null, status: number, headers: Headers): Response {
  const response = new Response(body, { status, headers })
  response.headers.set('X-Request-Id', randomUUID())
  return response
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { headers } = request
    for (const name of ASKED_OF_ALL) headers.get(name)
    if (request.method === 'POST') {
      for (const name of ASKED_OF_VOTES) headers.get(name)
      headers.get('x-device-id')
      server.requestIP(request)
      const { option } = (await request.json()) as { option: string }
      return answer(option === 'A' || option === 'B' ? constants.vote : '{}', 201, voteHeaders)
    }
    const { pathname } = new URL(request.url)
    const read = reads.get(pathname)
    if (!read) return answer(null, 404, voteHeaders)
    if (headers.get('if-none-match') === read.etag) return answer(null, 304, read.headers)
    return answer(read.body, 200, read.headers)
  },
})

process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}` })}\n`)
