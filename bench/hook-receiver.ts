// A brand's server that takes every delivery at once and remembers its id. A process of its own, so that its work is
// not taken for the server's. Each line on standard input asks for a report.

export interface HookReport {
  readonly url: string
  readonly attempts: number
  /** Each event once, however often it came. */
  readonly events: number
}

const seen = new Set<string>()
let attempts = 0

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    await request.arrayBuffer()
    attempts++
    seen.add(request.headers.get('webhook-id') ?? '')
    return new Response(null, { status: 204 })
  },
})

function report(): void {
  const url = `http://127.0.0.1:${server.port}/`
  process.stdout.write(`${JSON.stringify({ url, attempts, events: seen.size } satisfies HookReport)}\n`)
}

report()
for await (const _ of console) report()
process.exit(0)
