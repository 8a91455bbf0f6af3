import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { OwnerClient } from '../../server/test/child-service.ts'
import { engines } from '../../server/test/engines.ts'
import { HOUR } from '../../server/test/polls.ts'
import { computedMs, residentBytes } from '../processes.ts'
import { spreadVotes, startTossup, type TossupSubject } from '../workloads/subjects.ts'

// Runs in a process of its own: its server computes for seconds, of which it measures memory and processor time.

setDefaultTimeout(120_000)

/** A quarter of 100,000, which must come in within a quarter of a minute. */
const VIEWS = 25_000
const MOST_COMPUTED_MS = 15_000
const AT_ONCE = 50
const MOST_MORE_BYTES = 96 * 1024 * 1024
const LOOKS = 30
const SOURCES = ['newsletter', 'poster', 'never-declared', '']

describe.each([...engines])('%s: 100,000 views a minute', (engine) => {
  let server: TossupSubject
  beforeAll(async () => {
    const made = await startTossup(engine)
    await made.pause()
    server = await made.restart({ TRUSTED_PROXIES: '127.0.0.1' })
  })
  afterAll(() => server.stop())

  async function view(path: string, i: number): Promise<void> {
    const source = SOURCES[i % SOURCES.length]
    const { status } = await fetch(`${server.url}${path}${source ? `?source=${source}` : ''}`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` },
    })
    if (status !== 204) throw new Error(`a view was answered with ${status}`)
  }

  test('are counted exactly, in little memory and time', async () => {
    const client = await OwnerClient.connect(server.url, server.owner)
    for (const name of ['newsletter', 'poster']) await client.write('POST', 'brands/me/source-names', { name })
    const paths = spreadVotes.map((path) => path.replace(/votes$/, 'views'))
    const pathOf = (i: number) => paths[i % paths.length] ?? ''
    // The first views load what all need.
    for (let i = 0; i < AT_ONCE; i++) await view(pathOf(i), i)
    const before = { bytes: residentBytes(server.pid) ?? 0, ms: computedMs(server.pid) }
    let sent = AT_ONCE
    const send = async () => {
      while (sent < VIEWS) {
        const i = sent++
        await view(pathOf(i), i)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, send))
    const ms = computedMs(server.pid) - before.ms
    const more = (residentBytes(server.pid) ?? 0) - before.bytes
    // Another end each time, because the answer is kept for a minute.
    const counted = async (hours: number) => {
      const to = new Date(Date.now() + hours * HOUR).toISOString()
      const rows = await client.read<{ views: number }[]>(`brands/me/sources?to=${to}`)
      return rows.reduce((sum, { views }) => sum + views, 0)
    }
    let stored = 0
    for (let look = 1; look <= LOOKS && stored !== VIEWS; look++) {
      // Real time: views are stored every five seconds.
      await Bun.sleep(1_000)
      stored = await counted(look)
    }
    expect(stored).toBe(VIEWS)
    process.stdout.write(
      `${engine}: ${Math.round((1e3 * ms) / (VIEWS - AT_ONCE))} µs of the main thread a view; ${Math.round(more / 2 ** 20)} MB more memory\n`,
    )
    expect(ms).toBeLessThan(MOST_COMPUTED_MS)
    expect(more).toBeLessThan(MOST_MORE_BYTES)
  })
})
