// Listeners to live tallies: a number of open streams, spread evenly over the paths. A separate process, so that its
// memory and CPU time are not counted as the server's. Each line on standard input requests a report.

const OPENED_AT_ONCE = 200
const WITHIN_MS = 60_000
/** Longer than an event: the part of the stream to keep while an event is incomplete. */
const KEPT = 500

const [, , url = '', count = '0', ...paths] = process.argv
const { hostname, port } = new URL(url)

interface Listener {
  readonly path: string
  /** The end of the received text. */
  unread: string
  /** The total of the last event; null before the first one. */
  total: number | null
}

export interface CrowdReport {
  readonly open: number
  readonly refused: number
  readonly events: number
  /** For each path, the number of listeners by the last total that they received. */
  readonly totals: Record<string, Record<string, number>>
}

const listeners: Listener[] = []
let open = 0
let refused = 0
let events = 0

function take(listener: Listener, bytes: Uint8Array): void {
  const text = listener.unread + Buffer.from(bytes).toString('latin1')
  if (listener.total === null && /^HTTP\/1\.1 (?!200)/.test(text)) refused++
  let end = 0
  for (const found of text.matchAll(/"total":(\d+)[^\n]*\n\n/g)) {
    listener.total = Number(found[1])
    events++
    end = found.index + found[0].length
  }
  listener.unread = text.slice(Math.max(end, text.length - KEPT))
}

function connect(path: string): Promise<unknown> {
  const listener: Listener = { path, unread: '', total: null }
  listeners.push(listener)
  return Bun.connect<Listener>({
    hostname,
    port: Number(port),
    data: listener,
    socket: {
      open(socket) {
        open++
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept: text/event-stream\r\n\r\n`)
      },
      data: (socket, bytes) => take(socket.data, bytes),
      close: () => void open--,
      error: () => undefined,
    },
  })
}

function report(): void {
  const totals: Record<string, Record<string, number>> = {}
  for (const { path, total } of listeners) {
    const ofPath = totals[path] ?? {}
    totals[path] = { ...ofPath, [String(total)]: (ofPath[String(total)] ?? 0) + 1 }
  }
  process.stdout.write(`${JSON.stringify({ open, refused, events, totals } satisfies CrowdReport)}\n`)
}

for (let opened = 0; opened < Number(count); opened += OPENED_AT_ONCE) {
  const size = Math.min(OPENED_AT_ONCE, Number(count) - opened)
  await Promise.all(Array.from({ length: size }, (_, i) => connect(paths[(opened + i) % paths.length] ?? '')))
}
const deadline = performance.now() + WITHIN_MS
while (listeners.some(({ total }) => total === null) && refused === 0 && performance.now() < deadline) {
  await Bun.sleep(20)
}
report()
for await (const _ of console) report()
process.exit(0)
