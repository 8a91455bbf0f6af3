import { expect, setDefaultTimeout, test } from 'bun:test'
import { cpus, loadavg } from 'node:os'
import { hasChromium, openWholeBrowser } from '../../embed/test/browser.ts'
import { extendLogs } from '../../server/src/features/log/extend-logs.ts'
import { tossupCommand } from '../../server/test/command.ts'
import { engines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { freePort } from '../../server/test/free-port.ts'
import { addVotes, bytesOfLogs } from '../../server/test/many-votes.ts'
import { type PollData, startTestService, type TestService } from '../../server/test/service.ts'

// Runs alone: it measures time.
setDefaultTimeout(900_000)

const VOTES = 1_000_000
const COMMAND_MS = 10_000
const PAGE_MS = 20_000
const MOST_BYTES = 3

/** `server` and `counting` are processor time: on two cores that do nothing else, the larger one is how long it takes. */
interface Times {
  readonly wall: number
  readonly server: number
  readonly counting: number
}

async function timesOf(count: () => Promise<number>): Promise<Times> {
  const [begun, before] = [performance.now(), process.cpuUsage()]
  const counting = await count()
  const { user, system } = process.cpuUsage(before)
  return { wall: performance.now() - begun, server: (user + system) / 1_000, counting }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** Other work on the machine adds to the time on the clock, which is therefore compared on an idle machine alone. */
function expectWithin(most: number, name: string, { wall, server, counting }: Times): void {
  const isIdle = (loadavg()[0] ?? 0) < cpus().length
  process.stdout.write(
    `${name} counts a million votes in ${seconds(wall)}${isIdle ? '' : ' on a busy machine'}; ` +
      `processor time: ${seconds(counting)}, and ${seconds(server)} of the server\n`,
  )
  expect(Math.max(counting, server, isIdle ? wall : 0)).toBeLessThan(most)
}

/** Milliseconds of processor time. */
async function countByCommand(service: TestService, poll: PollData): Promise<number> {
  const page = `${service.service.url}/p/${poll.shortId}`
  const child = Bun.spawn(tossupCommand(['verify-log', page, '--json']), { env: {}, stdout: 'pipe', stderr: 'pipe' })
  const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect({ error, ...JSON.parse(out) }).toMatchObject({ error: '', isSound: true, size: VOTES })
  return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000
}

/**
 * Milliseconds of processor time of the page's thread. Playwright would record each request, which takes a quarter of it: the page
 * is opened and asked through a connection of its own.
 */
async function countInBrowser(service: TestService, poll: PollData): Promise<number> {
  const port = freePort()
  const browser = await openWholeBrowser([`--remote-debugging-port=${port}`])
  try {
    const url = `${service.service.url}/p/${poll.shortId}/check`
    const open = () => fetch(`http://127.0.0.1:${port}/json/new?${url}`, { method: 'PUT' })
    // Chromium may listen a moment later than Playwright has started it.
    const opened = await eventually(() => open().catch(() => null))
    const { webSocketDebuggerUrl } = (await opened.json()) as { webSocketDebuggerUrl: string }
    const page = await devTools(webSocketDebuggerUrl)
    await page('Performance.enable')
    const state = { expression: 'document.querySelector(".verdict")?.dataset.state' }
    const look = async () => (await page('Runtime.evaluate', state)).result?.value
    expect(await eventually(look, { withinMs: 300_000, everyMs: 250 })).toBe('sound')
    const { metrics = [] } = await page('Performance.getMetrics')
    return 1_000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN)
  } finally {
    await browser.close()
  }
}

interface Told {
  readonly result?: { readonly value?: string }
  readonly metrics?: readonly { readonly name: string; readonly value: number }[]
}

/** Sends commands of Chromium's developer tools, one after the other. */
async function devTools(url: string) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  let id = 0
  return (method: string, params = {}) =>
    new Promise<Told>((resolve, reject) => {
      socket.onclose = () => reject(new Error('Chromium has closed the page'))
      socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)).result)
      socket.send(JSON.stringify({ id: id++, method, params }))
    })
}

test.each([...engines])('%s: a million votes are counted again by the command, and by the page', async (engine) => {
  const service = await startTestService(engine, { jobs: 'by hand' })
  const poll = await service.createPoll(await service.createBrand())
  await addVotes(service, poll, { from: 0, to: VOTES })
  while (await extendLogs(service.deps));
  const bytes = (await bytesOfLogs(service)) / VOTES
  process.stdout.write(`${engine}: ${bytes.toFixed(2)} bytes a vote on the disk\n`)
  expect(bytes).toBeLessThan(MOST_BYTES)
  expectWithin(COMMAND_MS, `${engine}: verify-log`, await timesOf(() => countByCommand(service, poll)))
  if (hasChromium) expectWithin(PAGE_MS, `${engine}: the page`, await timesOf(() => countInBrowser(service, poll)))
  await service.stop()
})
