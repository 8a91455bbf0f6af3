import { describe, expect, test } from 'bun:test'
import type { LookupAddress } from 'node:dns'
import { NameLookups } from './name-lookups.ts'

const PUBLIC = { address: '8.8.8.8', family: 4 }
const PRIVATE = { address: '10.0.0.7', family: 4 }
const WITHIN_MS = 1_500
/** A slow look-up keeps the names of other brands waiting for so long. */
const BRIEF_MS = 500

/** Name servers that answer when the test says so. */
function lookups(withinMs = WITHIN_MS) {
  const asked: string[] = []
  const answers = new Map<string, (found: LookupAddress[]) => void>()
  const clock = { now: 0 }
  const names = new NameLookups({
    resolve: (host) =>
      new Promise((resolve) => {
        asked.push(host)
        answers.set(host, resolve)
      }),
    isCallable: (address) => address !== PRIVATE.address,
    withinMs,
    now: () => clock.now,
  })
  const answer = async (host: string, ...found: LookupAddress[]) => {
    answers.get(host)?.(found)
    // Real time: a moment for what follows from the answer.
    await Bun.sleep(5)
  }
  const stopping = new AbortController()
  const find = (brandKey: number, host: string) => names.find({ brandKey, host, signal: stopping.signal })
  return { find, asked, answer, clock, stopping }
}

describe('names of webhooks', () => {
  test('of one brand are resolved one at a time, and two over all', async () => {
    const { find, asked, answer } = lookups()
    const all = ['a', 'b', 'c'].map((host) => find(1, host))
    const others = [find(2, 'd'), find(3, 'e')]
    await answer('none')
    expect(asked).toEqual(['a', 'd'])
    await answer('d', PUBLIC)
    expect(asked).toEqual(['a', 'd', 'e'])
    await answer('a', PUBLIC)
    expect(asked).toEqual(['a', 'd', 'e', 'b'])
    await answer('e', PUBLIC)
    expect(asked).toEqual(['a', 'd', 'e', 'b'])
    await answer('b', PUBLIC)
    await answer('c', PUBLIC)
    expect(await Promise.all([...all, ...others])).toEqual(Array.from({ length: 5 }, () => [PUBLIC]))
  })

  test('are asked for once by all attempts of a brand that wait for the same answer, and again by the next', async () => {
    const { find, asked, answer } = lookups()
    const attempts = [find(1, 'a'), find(1, 'a')]
    await answer('none')
    expect(asked).toEqual(['a'])
    await answer('a', PUBLIC)
    expect(await Promise.all(attempts)).toEqual([[PUBLIC], [PUBLIC]])
    const next = find(1, 'a')
    await answer('none')
    expect(asked).toEqual(['a', 'a'])
    await answer('a', PUBLIC)
    await next
  })

  test('that are not answered let other brands go first after a moment, but not other names of their brand', async () => {
    const { find, asked } = lookups(3 * BRIEF_MS)
    const startedAt = performance.now()
    const slow = [find(1, 'a'), find(1, 'b'), find(2, 'c')]
    const third = find(3, 'd')
    while (!asked.includes('d')) await Bun.sleep(BRIEF_MS / 10)
    expect(performance.now() - startedAt).toBeLessThan(2.5 * BRIEF_MS)
    expect(asked).toEqual(['a', 'c', 'd'])
    expect(await Promise.all([...slow, third])).toEqual([null, null, null, null])
    expect(asked).toEqual(['a', 'c', 'd', 'b'])
  })

  test('that failed are not asked for again for a minute, by any brand', async () => {
    const { find, asked, answer, clock } = lookups(50)
    for (const [host, ...found] of [['missing'], ['internal', PRIVATE], ['both', PUBLIC, PRIVATE]] as const) {
      const first = find(1, host)
      while (!asked.includes(host)) await answer('none')
      await answer(host, ...found)
      expect(await first).toBeNull()
    }
    expect(asked).toEqual(['missing', 'internal', 'both'])
    clock.now = 59_999
    for (const host of ['missing', 'internal', 'both']) expect(await find(2, host)).toBeNull()
    expect(asked).toEqual(['missing', 'internal', 'both'])
    clock.now = 60_000
    const again = find(2, 'internal')
    await answer('none')
    await answer('internal', PUBLIC)
    expect(await again).toEqual([PUBLIC])
  })

  test('hold back the next name of a brand as long if they fail, so that it does not tell how soon they failed', async () => {
    const { find, asked, answer } = lookups(2 * BRIEF_MS)
    const startedAt = performance.now()
    const failing = find(1, 'internal')
    const next = find(1, 'own')
    await answer('none')
    await answer('internal', PRIVATE)
    while (!asked.includes('own')) await Bun.sleep(BRIEF_MS / 50)
    expect(performance.now() - startedAt).toBeGreaterThan(BRIEF_MS - 10)
    await answer('own', PUBLIC)
    expect(await next).toEqual([PUBLIC])
    expect(await failing).toBeNull()
    expect(performance.now() - startedAt).toBeGreaterThan(2 * BRIEF_MS - 10)
  })
  test('that still wait when the service stops are not asked for', async () => {
    const { find, asked, answer, stopping } = lookups()
    const all = [find(1, 'a'), find(1, 'b')]
    await answer('none')
    stopping.abort()
    await answer('a', PUBLIC)
    expect(await Promise.all(all)).toEqual([[PUBLIC], null])
    expect(asked).toEqual(['a'])
  })
})
