import { afterAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { redisUrl } from '../../../test/engines.ts'
import { TcpProxy } from '../../../test/tcp-proxy.ts'
import { createLog } from '../../base/log.ts'
import type { Claim, Limiter, Verdict } from './limits.ts'
import { MemoryLimiter } from './memory-limiter.ts'
import { RedisLimiter } from './redis-limiter.ts'

const log = createLog('silent')
const fallback: Limiter = {
  take: () => Promise.reject(new Error('Redis did not answer')),
  peek: () => Promise.reject(new Error('Redis did not answer')),
  giveBack: () => Promise.reject(new Error('Redis did not answer')),
}
const redis = redisUrl ? new RedisLimiter({ url: redisUrl, log, fallback }) : null
await redis?.connect()
afterAll(() => redis?.close())

const claim = (quota: number, windowSeconds = 60, key: string = randomUUID()): Claim => ({
  quota: { policy: 'tests', quota, windowSeconds },
  key,
})

const limiters: [string, Limiter][] = [
  ['memory', new MemoryLimiter()],
  ...(redis ? [['redis', redis] as [string, Limiter]] : []),
]

describe.each(limiters)('the limiter in %s', (name, limiter) => {
  test('allows the quota and refuses requests beyond it', async () => {
    const caller = claim(3)
    const verdicts: (Verdict | undefined)[] = []
    const startedAt = performance.now()
    for (let i = 0; i < 5; i++) verdicts.push((await limiter.take([caller]))[0])
    const passedSeconds = Math.ceil((performance.now() - startedAt) / 1_000)
    expect(verdicts.map((verdict) => verdict?.isAllowed)).toEqual([true, true, true, false, false])
    expect(verdicts.map((verdict) => verdict?.remaining)).toEqual([2, 1, 0, 0, 0])
    expect(verdicts[4]?.resetSeconds).toBeWithin(60 - passedSeconds, 61)
  })

  test('allows exactly the quota of simultaneous requests', async () => {
    const caller = claim(10)
    const verdicts = await Promise.all(Array.from({ length: 200 }, () => limiter.take([caller])))
    expect(verdicts.filter(([verdict]) => verdict?.isAllowed)).toHaveLength(10)
  })

  test('counts a request that one claim refuses for no claim', async () => {
    const full = claim(1)
    const other = claim(5)
    await limiter.take([full])
    await limiter.take([other, full])
    expect((await limiter.peek([other]))[0]?.remaining).toBe(5)
  })

  test('peeks without counting', async () => {
    const caller = claim(1)
    await limiter.peek([caller])
    await limiter.peek([caller])
    expect((await limiter.take([caller]))[0]?.isAllowed).toBe(true)
    expect((await limiter.peek([caller]))[0]?.isAllowed).toBe(false)
  })

  test('gives back the place of one request only', async () => {
    const caller = claim(2)
    const first = await limiter.take([caller])
    const second = await limiter.take([caller])
    expect((await limiter.take([caller]))[0]?.isAllowed).toBe(false)
    expect((await limiter.giveBack([caller], second))[0]?.remaining).toBe(1)
    expect((await limiter.giveBack([caller], second))[0]?.remaining).toBe(1)
    expect((await limiter.take([caller]))[0]?.remaining).toBe(0)
    await limiter.giveBack([caller], first)
    expect((await limiter.peek([caller]))[0]).toMatchObject({ isAllowed: true, remaining: 1 })
  })

  test('gives back all claims of a request together, also the last one of a caller', async () => {
    const [device, network] = [claim(1), claim(3)]
    const taken = await limiter.take([device, network])
    expect((await limiter.giveBack([device, network], taken)).map(({ remaining }) => remaining)).toEqual([1, 3])
    expect((await limiter.take([device, network])).map(({ remaining }) => remaining)).toEqual([0, 2])
  })

  test('never allows more than the quota, however many are given back at once', async () => {
    const caller = claim(10)
    let stored = 0
    const attempt = async (i: number) => {
      const verdicts = await limiter.take([caller])
      if (!verdicts[0]?.isAllowed) return
      // Real time: the work between take and giveBack varies.
      await Bun.sleep(i % 7)
      // Two of three requests fail, and one is stored.
      if (i % 3 > 0) await limiter.giveBack([caller], verdicts)
      else stored++
    }
    for (let round = 0; round < 12; round++) {
      await Promise.all(Array.from({ length: 40 }, (_, i) => attempt(round * 40 + i)))
      expect(stored).toBeLessThanOrEqual(10)
    }
    expect([stored, (await limiter.peek([caller]))[0]?.remaining]).toEqual([10, 0])
  })

  test('keeps callers apart', async () => {
    const one = claim(1)
    const two = claim(1)
    await limiter.take([one])
    expect((await limiter.take([two]))[0]?.isAllowed).toBe(true)
  })

  test('keeps callers apart who are named by the bytes of a hash, of which each of the first seven counts', async () => {
    const hash = crypto.getRandomValues(new Uint8Array(16))
    const named = (key: Uint8Array): Claim => ({ quota: { policy: 'tests', quota: 1, windowSeconds: 60 }, key })
    await limiter.take([named(hash)])
    expect((await limiter.take([named(hash.slice())]))[0]?.isAllowed).toBe(false)
    for (let i = 0; i < 7; i++) {
      const other = named(hash.with(i, (hash[i] ?? 0) ^ 1))
      expect((await limiter.take([other]))[0]?.isAllowed).toBe(true)
    }
  })

  test('keeps callers apart who are hidden: by a number in memory, by their hash where limits are shared', async () => {
    const hash = crypto.getRandomValues(new Uint8Array(16))
    // Above 0, which the table replaces by 1.
    const number = 2 ** 20 * (1 + (hash[0] ?? 0))
    let hashes = 0
    const hidden = (own: number, bytes: Uint8Array, within?: number): Claim => ({
      quota: { policy: 'hidden', quota: 1, windowSeconds: 60 },
      key: {
        number: own,
        hash() {
          hashes++
          return bytes
        },
      },
      within,
    })
    const isAllowed = async (caller: Claim) => (await limiter.take([caller]))[0]?.isAllowed
    expect(await isAllowed(hidden(number, hash))).toBe(true)
    expect(await isAllowed(hidden(number, hash.slice()))).toBe(false)
    expect(await isAllowed(hidden(number, hash, 7))).toBe(true)
    for (const bit of [0, 31, 32, 52]) {
      const byte = bit >> 3
      const other = hidden(number + 2 ** bit, hash.with(byte, (hash[byte] ?? 0) ^ 1))
      expect(await isAllowed(other)).toBe(true)
    }
    expect(hashes).toBe(name === 'memory' ? 0 : 7)
  })

  test.each([
    ['bytes', crypto.getRandomValues(new Uint8Array(16))],
    ['text', randomUUID()],
  ])('counts a caller named by %s apart for each number', async (_, key) => {
    const quota = { policy: 'tests', quota: 1, windowSeconds: 60 }
    const numbers = [undefined, 1, 2, 3, 2 ** 21, 2 ** 31, 2 ** 32 - 1]
    for (const within of numbers) expect((await limiter.take([{ quota, key, within }]))[0]?.isAllowed).toBe(true)
    for (const within of numbers) expect((await limiter.take([{ quota, key, within }]))[0]?.isAllowed).toBe(false)
  })

  test('has a sliding window: places become free one at a time, not all at once', async () => {
    const caller = claim(2, 3)
    await limiter.take([caller])
    // Real time: the window slides by the clock of Redis. It is so long that the next lines come in time.
    await Bun.sleep(1_500)
    await limiter.take([caller])
    expect((await limiter.take([caller]))[0]?.isAllowed).toBe(false)
    // Real time: the window slides by the clock of Redis.
    await Bun.sleep(1_600)
    expect((await limiter.take([caller]))[0]?.isAllowed).toBe(true)
    expect((await limiter.take([caller]))[0]?.isAllowed).toBe(false)
  })
})

describe('the limiter in memory', () => {
  test('never allows an eleventh request in any span as long as the window', () => {
    let now = 0
    const limiter = new MemoryLimiter(() => now)
    const caller = claim(10)
    const allowed: number[] = []
    for (let i = 0; i < 5_000; i++) {
      now += (i * 7_919) % 4_001
      if (limiter.take([caller])[0]?.isAllowed) allowed.push(now)
    }
    for (const [i, moment] of allowed.entries()) {
      const eleventh = allowed[i + 10]
      if (eleventh !== undefined) expect(eleventh - moment).toBeGreaterThan(60_000)
    }
    expect(allowed.length).toBeGreaterThan(1_000)
  })

  test('drops callers whose window has passed', () => {
    let now = 0
    const limiter = new MemoryLimiter(() => now)
    for (let i = 0; i < 1_000; i++) limiter.take([claim(10)])
    now = 61_000
    limiter.take([claim(10)])
    expect(limiter.size).toBe(1)
  })
})

describe('the limiter in memory, where there are many callers', () => {
  test('remembers each of them across the end of a window', () => {
    let now = 0
    const limiter = new MemoryLimiter(() => now)
    const callers = Array.from({ length: 20_000 }, () => claim(2))
    for (const caller of callers) {
      now += 3
      limiter.take([caller])
    }
    now = 60_000
    expect(callers.every((caller) => limiter.take([caller])[0]?.isAllowed)).toBe(true)
    expect(callers.some((caller) => limiter.take([caller])[0]?.isAllowed)).toBe(false)
    now = 60_001
    limiter.take([claim(2)])
    // The first time of each caller expires three milliseconds after that of the caller before.
    now = 60_000 + 30_000
    expect(callers.filter((caller) => limiter.peek([caller])[0]?.isAllowed)).toHaveLength(9_999)
    expect(
      callers.map((caller) => limiter.peek([caller])[0]?.remaining).every((left) => left === 0 || left === 1),
    ).toBe(true)
  })

  test('drops the oldest callers when there are too many, and never the latest', () => {
    const limiter = new MemoryLimiter(() => 0, 1_000)
    const callers = Array.from({ length: 5_500 }, () => claim(1))
    for (const caller of callers) limiter.take([caller])
    expect(limiter.size).toBeWithin(1_000, 2_001)
    expect(callers.slice(-1_000).some((caller) => limiter.peek([caller])[0]?.isAllowed)).toBe(false)
    expect(limiter.peek(callers.slice(0, 1))[0]?.isAllowed).toBe(true)
  })

  test('keeps the times of a caller who returns in the request that drops the oldest callers', () => {
    let now = 0
    const limiter = new MemoryLimiter(() => now++, 2)
    const [caller, ...others] = Array.from({ length: 4 }, () => claim(3))
    if (!caller) throw new Error('no caller')
    const remaining = () => limiter.take([caller])[0]?.remaining
    expect([remaining(), remaining()]).toEqual([2, 1])
    for (const other of others) limiter.take([other])
    expect([remaining(), limiter.take([caller])[0]?.isAllowed]).toEqual([0, false])
  })

  test('costs about the same for a quota of a hundred thousand as for a thousand', () => {
    const microseconds = (quota: number) => {
      let now = 0
      const limiter = new MemoryLimiter(() => now)
      const caller = claim(quota)
      const step = 61_000 / quota
      const takeAll = () => {
        for (let i = 0; i < quota; i++) {
          now += step
          limiter.take([caller])
        }
      }
      takeAll()
      const startedAt = performance.now()
      takeAll()
      return ((performance.now() - startedAt) * 1_000) / quota
    }
    const few = Math.max(1, ...Array.from({ length: 20 }, () => microseconds(1_000)))
    expect(microseconds(100_000)).toBeLessThan(20 * few)
  })

  test('agrees with a plain list of times when places are given back, and no window holds more than the quota', () => {
    const step = fc.record({ caller: fc.nat(3), after: fc.nat(400), givesBack: fc.nat(5) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 4 }), (steps, quota) => {
        let now = 0
        const limiter = new MemoryLimiter(() => now)
        let counted: { caller: number; at: number; verdicts: Verdict[] }[] = []
        for (const { caller, after, givesBack } of steps) {
          now += after
          const own = claim(quota, 1, `caller ${caller}`)
          const within = counted.filter((one) => one.caller === caller && one.at >= now - 1_000)
          const verdicts = limiter.take([own])
          if (verdicts[0]?.isAllowed) counted.push({ caller, at: now, verdicts })
          expect(within.length < quota || !verdicts[0]?.isAllowed).toBe(true)
          const failed = counted[counted.length - 1 - givesBack]
          if (!failed || givesBack > 2) continue
          limiter.giveBack([claim(quota, 1, `caller ${failed.caller}`)], failed.verdicts)
          counted = counted.filter((one) => one !== failed)
        }
      }),
    )
  })

  test('agrees with a plain list of times, for callers of every frequency', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ caller: fc.nat(4), after: fc.nat(400) }), { maxLength: 200 }),
        fc.integer({ min: 1, max: 4 }),
        (requests, quota) => {
          let now = 0
          const limiter = new MemoryLimiter(() => now)
          const counted: { caller: number; at: number }[] = []
          for (const { caller, after } of requests) {
            now += after
            const kept = counted.filter((one) => one.caller === caller && one.at >= now - 1_000)
            const [verdict] = limiter.take([claim(quota, 1, `caller ${caller}`)])
            expect(verdict?.isAllowed).toBe(kept.length < quota)
            if (kept.length < quota) counted.push({ caller, at: now })
          }
        },
      ),
    )
  })
})

test.if(redisUrl !== null)('while Redis is away, limits hold in the process', async () => {
  const away = new RedisLimiter({ url: 'redis://127.0.0.1:1', log, fallback: new MemoryLimiter() })
  const caller = claim(1)
  expect((await away.take([caller]))[0]?.isAllowed).toBe(true)
  expect((await away.take([caller]))[0]?.isAllowed).toBe(false)
  away.close()
})

test.if(redisUrl !== null)('a Redis that does not answer counts as away, and delays no request for long', async () => {
  const proxy = new TcpProxy(redisUrl ?? '')
  await proxy.open()
  let now = 0
  const limiter = new RedisLimiter({ url: proxy.url, log, fallback: new MemoryLimiter(), now: () => now })
  await limiter.connect()
  const caller = claim(3)
  expect((await limiter.take([caller]))[0]?.remaining).toBe(2)
  proxy.silence(true)
  const startedAt = performance.now()
  const verdicts = await Promise.all(Array.from({ length: 5 }, () => limiter.take([caller])))
  expect(verdicts.filter(([verdict]) => verdict?.isAllowed)).toHaveLength(3)
  expect(performance.now() - startedAt).toBeGreaterThan(400)
  let asked = 0
  proxy.cutAfter(() => ++asked === 0)
  proxy.silence(false)
  // For a second nobody waits for Redis, and after it one request does.
  expect((await limiter.take([caller]))[0]?.isAllowed).toBe(false)
  expect(asked).toBe(0)
  now += 1_001
  await limiter.take([caller])
  expect(asked).toBeGreaterThan(0)
  limiter.close()
  await proxy.close()
})
