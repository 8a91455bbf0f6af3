// A brand's server that accepts every delivery at once and records its id. A separate process, so that its CPU time is
// not counted as the server's. Each line on standard input requests a report.

export interface HookReport {
  readonly url: string
  readonly attempts: number
  /** Counts each event once, however often it arrived. */
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
