import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Hostility, Ports } from '../../../../../test/hostile-receiver.ts'
import { startHostileReceivers } from '../../../../../test/hostile-receivers.ts'
import { failureOf } from './exchange.ts'
import { createPost, type Post } from './post.ts'

// Runs in a process of its own: it measures the processor time of it.

setDefaultTimeout(60_000)

const TIMEOUT_MS = 1_000
const HONEST_ATTEMPTS = 50
const RECEIVERS = 400
/** An endless answer is read up to 64 KiB or 128 reads; an honest one has some 50 bytes in one read. */
const MOST_RATIO = 40
/** Processor time of the event loop between two of its turns, in which votes wait. */
const LONGEST_SLICE_MS = 150
/** For each of hundreds at once, which share the turns of the event loop. How long they take in all says nothing. */
const MOST_RATIO_TOGETHER = 10

const ends: Record<Exclude<Hostility, 'honest'>, RegExp> = {
  continue: /^malformed_answer$/,
  'early hints': /^malformed_answer$/,
  headers: /^malformed_answer$/,
  'one header': /^malformed_answer$/,
  'one status line': /^malformed_answer$/,
  'folded header': /^malformed_answer$/,
  body: /^200 b{1024}$/,
  'chunk extensions': /^200 $/,
  'tiny chunks': /^200 x{1024}$/,
  trailers: /^200 $/,
  // Fails at the limit of reads or of time, at the one that comes first.
  'pieces of a head': /^(malformed_answer|timeout)$/,
  'pieces of a body': /^200 b+$/,
  'slow continue': /^malformed_answer$/,
  'slow headers': /^timeout$/,
  'slow bytes': /^malformed_answer$/,
  'slow body': /^200 b+$/,
  silence: /^timeout$/,
}
const kinds = Object.keys(ends) as (keyof typeof ends)[]

let receivers: { ports: Ports; stop(): Promise<void> }
beforeAll(async () => {
  receivers = await startHostileReceivers()
})
afterAll(() => receivers.stop())

const rules = { isPrivateWebhookAllowed: true, webhookPorts: [] }

async function attempt(post: Post, kind: Hostility, scheme = 'http'): Promise<string> {
  const url = `${scheme}://127.0.0.1:${receivers.ports[kind]}/`
  try {
    const { status, text } = await post({
      brandKey: 1,
      url,
      headers: {},
      body: '{}',
      signal: new AbortController().signal,
    })
    return `${status} ${text}`
  } catch (error) {
    return failureOf(error)
  }
}

const processorMs = (since?: NodeJS.CpuUsage): NodeJS.CpuUsage & { ms: number } => {
  const usage = process.cpuUsage(since)
  return { ...usage, ms: (usage.user + usage.system) / 1_000 }
}

let honestMs = 0
beforeAll(async () => {
  const post = createPost({ rules, timeoutMs: TIMEOUT_MS })
  // Once for the compiler, once for the measurement.
  for (let round = 0; round < 2; round++) {
    const before = processorMs()
    for (let i = 0; i < HONEST_ATTEMPTS; i++) expect(await attempt(post, 'honest')).toBe('200 ok')
    honestMs = processorMs(before).ms / HONEST_ATTEMPTS
  }
})

describe('a receiver that answers without end', () => {
  /** Processor time or duration, as a part of what is allowed. */
  async function costOf(kind: (typeof kinds)[number]): Promise<number> {
    const post = createPost({ rules, timeoutMs: TIMEOUT_MS })
    const startedAt = performance.now()
    const before = processorMs()
    const said = await attempt(post, kind)
    const { ms } = processorMs(before)
    expect(said).toMatch(ends[kind])
    return Math.max(ms / (MOST_RATIO * honestMs), (performance.now() - startedAt) / (2 * TIMEOUT_MS))
  }

  test.each(kinds)('(%s) gets a result in time, for the processor time of a few honest attempts', async (kind) => {
    // The smallest cost of up to three attempts: a busy machine can only make an attempt more expensive.
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3 && least >= 1; i++) least = Math.min(least, await costOf(kind))
    expect(least).toBeLessThan(1)
  })
})

test.each(['continue', 'silence', 'slow bytes'] as const)(
  'a TLS handshake with such bytes (%s) fails in time',
  async (kind) => {
    // The shortest of up to three attempts, for the same reason.
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3 && least >= 2 * TIMEOUT_MS; i++) {
      const startedAt = performance.now()
      const said = await attempt(createPost({ rules, timeoutMs: TIMEOUT_MS }), kind, 'https')
      expect(said).toMatch(/^(tls_failed|connection_failed|timeout)$/)
      least = Math.min(least, performance.now() - startedAt)
    }
    expect(least).toBeLessThan(2 * TIMEOUT_MS)
  },
)

describe('hundreds of such receivers at once', () => {
  test('leave the event loop to others, and delay an honest receiver no longer than the timeout', async () => {
    const post = createPost({ rules, timeoutMs: 10_000 })
    let longestMs = 0
    // The compiler and the garbage collector have threads of their own, which delay no turn of the event loop.
    let last = process.threadCpuUsage()
    const turns = setInterval(() => {
      const { user, system } = process.threadCpuUsage(last)
      longestMs = Math.max(longestMs, (user + system) / 1_000)
      last = process.threadCpuUsage()
    }, 5)
    const loud = kinds.filter((kind) => !/slow|silence|pieces/.test(kind))
    const before = processorMs()
    const attempts: Promise<string>[] = []
    for (let i = 0; i < RECEIVERS; i++) {
      attempts.push(attempt(post, loud[i % loud.length] ?? 'body'))
      // Deliveries start so: of each webhook at most five, after a query of its own.
      if (i % 5 === 4) await nextTurn()
    }
    expect(await attempt(post, 'honest')).toBe('200 ok')
    const said = await Promise.all(attempts)
    clearInterval(turns)
    const ratio = processorMs(before).ms / RECEIVERS / honestMs
    expect(said.every((each, i) => ends[loud[i % loud.length] ?? 'body'].test(each))).toBe(true)
    expect(longestMs).toBeLessThan(LONGEST_SLICE_MS)
    expect(ratio).toBeLessThan(MOST_RATIO_TOGETHER)
  })
})
