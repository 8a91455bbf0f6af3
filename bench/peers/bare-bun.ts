// The yardstick for everything above the socket: Bun.serve with constant answers. Reads answer what Tossup answered for
// the same path; a vote's JSON is parsed, and nothing is stored.

interface Constants {
  readonly reads: Readonly<Record<string, { readonly body: string; readonly etag: string }>>
  readonly vote: string
}

const constants: Constants = await Bun.file(process.argv[2] ?? '').json()
const { reads, vote } = constants
const json = { headers: { 'Content-Type': 'application/json' } }
const created = { ...json, status: 201 }

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    if (request.method === 'POST') {
      const { option } = (await request.json()) as { option: string }
      return new Response(option === 'A' || option === 'B' ? vote : '{}', created)
    }
    const { pathname } = new URL(request.url)
    const read = reads[pathname]
    if (!read) return new Response(null, { status: 404 })
    if (request.headers.get('if-none-match') === read.etag) return new Response(null, { status: 304 })
    return new Response(read.body, json)
  },
})

process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}` })}\n`)
