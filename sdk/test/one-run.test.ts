import { describe, expect, test } from 'bun:test'
import { onDemand, shared } from '../src/wire/one-run.ts'

// Real time: no time passes, but all pending microtasks and callbacks run first.
const later = () => new Promise((resolve) => setTimeout(resolve, 0))

const WAYS = {
  'ends at once': async () => undefined,
  'fails at once': async () => {
    throw new Error('refused')
  },
  'ends after a microtask': async () => void (await null),
  'fails after a microtask': async () => {
    await null
    throw new Error('refused')
  },
  'ends later': async () => void (await later()),
  'fails later': async () => {
    await later()
    throw new Error('refused')
  },
  'throws before it is a promise': () => {
    throw new Error('refused')
  },
} satisfies Record<string, () => Promise<void>>

type Way = keyof typeof WAYS

const names = Object.keys(WAYS) as Way[]
const pairs = names.flatMap((first) => names.map((second) => [first, second] as const))
const fails = (way: Way) => !way.startsWith('ends')

describe('a run on demand', () => {
  test.each(pairs)('after a run that %s, and one that %s, another run can be started', async (...args) => {
    const ways = args.slice(0, 2) as Way[]
    let runs = 0
    const ask = onDemand<number>(async (results) => {
      runs++
      await WAYS[ways[runs - 1] ?? 'ends at once']()
      results.push(runs)
    })
    for (const [i, way] of [...ways, 'ends at once' as const].entries()) {
      const answer = await ask().catch(() => 'failed')
      expect(answer).toEqual(fails(way) ? 'failed' : [i + 1])
    }
    expect(runs).toBe(3)
  })

  test.each(names.filter((way) => !fails(way)))(
    '%s: who asks in any microtask around its end is heard',
    async (way) => {
      for (let microtasks = 0; microtasks < 14; microtasks++) {
        let [work, seen, atOnce, most] = [1, 0, 0, 0]
        const ask = onDemand<number>(async (results) => {
          seen = work
          most = Math.max(most, ++atOnce)
          await WAYS[way]()
          atOnce--
          results.push(seen)
        })
        void ask()
        for (let i = 0; i < microtasks; i++) await null
        work = 2
        expect([microtasks, (await ask()).at(-1), seen, most]).toEqual([microtasks, 2, 2, 1])
      }
    },
  )

  test('callers during a run share one more run, and get the results of both', async () => {
    let runs = 0
    const ask = onDemand<number>(async (results) => {
      await later()
      results.push(++runs)
    })
    const first = ask()
    await null
    await null
    expect(await Promise.all([first, ask(), ask()])).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
  })

  test('a run may start the next one', async () => {
    let runs = 0
    const ask: () => Promise<number[]> = onDemand<number>(async (results) => {
      if (++runs < 3) void ask()
      results.push(runs)
    })
    expect(await ask()).toEqual([1, 2, 3])
  })
})

describe('a shared run', () => {
  test.each(pairs)('after a run that %s, and one that %s, another run can be started', async (...args) => {
    const ways = args.slice(0, 2) as Way[]
    let runs = 0
    const ask = shared(() => {
      runs++
      return WAYS[ways[runs - 1] ?? 'ends at once']()
    })
    const asked = async () => ask()
    for (const way of [...ways, 'ends at once' as const]) {
      const answers = await Promise.allSettled([asked(), way.startsWith('throws') ? null : asked()])
      expect(answers[0]?.status).toBe(fails(way) ? 'rejected' : 'fulfilled')
    }
    expect(runs).toBe(3)
  })
})
