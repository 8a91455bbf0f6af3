import { describe, expect, test } from 'bun:test'
import { OnDemandLoop } from './on-demand-loop.ts'

// Real time: no time passes, but the loop gets a turn of the event loop.
const turn = () => Bun.sleep(0)

/** How a run behaves: what it does before its end, and how it ends. */
const WAYS = {
  'ends at once': async () => undefined,
  'throws before it is a promise': () => {
    throw new Error('refused')
  },
  'throws at once': async () => {
    throw new Error('refused')
  },
  'ends after a microtask': async () => await null,
  'throws after a microtask': async () => {
    await null
    throw new Error('refused')
  },
  'ends after a turn': turn,
  'throws after a turn': async () => {
    await turn()
    throw new Error('refused')
  },
} satisfies Record<string, () => Promise<unknown>>

type Way = keyof typeof WAYS
const NAMES = Object.keys(WAYS) as Way[]

/** A loop whose first runs behave as given; further runs end at once. */
function loopOf(ways: readonly Way[], within: (runs: number) => void = () => undefined) {
  const told = { runs: 0, atOnce: 0, mostAtOnce: 0, errors: 0 }
  const loop = new OnDemandLoop(
    () => {
      const way: () => Promise<unknown> = WAYS[ways[told.runs] ?? 'ends at once']
      told.runs++
      told.atOnce++
      told.mostAtOnce = Math.max(told.mostAtOnce, told.atOnce)
      const ended = () => {
        told.atOnce--
      }
      try {
        within(told.runs)
        return way().then(ended, (error) => {
          ended()
          throw error
        })
      } catch (error) {
        ended()
        throw error
      }
    },
    () => {
      told.errors++
    },
  )
  return { loop, told }
}

const failures = (ways: readonly Way[]): number => ways.filter((way) => way.startsWith('throws')).length

const pairs = NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const))

describe('a loop that is started on demand', () => {
  test.each(pairs)('one run %s, the next %s: a start after either run begins another', async (first, second) => {
    const ways = [first, second]
    const { loop, told } = loopOf(ways)
    for (let runs = 1; runs <= 3; runs++) {
      loop.start()
      expect(told.runs).toBe(runs)
      await loop.idle()
      expect(told.runs).toBe(runs)
    }
    expect(told).toEqual({ runs: 3, atOnce: 0, mostAtOnce: 1, errors: failures(ways) })
  })

  test.each(pairs)('one run %s, the next %s: starts within a run are followed by one more', async (first, second) => {
    const ways = [first, second]
    const { loop, told } = loopOf(ways, (runs) => {
      if (runs > 2) return
      loop.start()
      loop.start()
    })
    loop.start()
    await loop.idle()
    expect(told).toEqual({ runs: 3, atOnce: 0, mostAtOnce: 1, errors: failures(ways) })
  })

  test.each(NAMES)('a run %s: a start in any microtask around its end leads to another run', async (way) => {
    for (let microtasks = 0; microtasks < 12; microtasks++) {
      let work = 1
      let seen = 0
      const { loop, told } = loopOf([way], () => {
        seen = work
      })
      loop.start()
      for (let i = 0; i < microtasks; i++) await null
      work = 2
      loop.start()
      await loop.idle()
      expect([microtasks, seen, told.mostAtOnce]).toEqual([microtasks, 2, 1])
    }
  })

  test('idle also waits for a run that was started during the awaited run', async () => {
    const { loop, told } = loopOf(['ends after a turn', 'ends after a turn'])
    loop.start()
    const idle = loop.idle()
    loop.start()
    await idle
    expect(told).toMatchObject({ runs: 2, atOnce: 0 })
  })

  test('idle called in the first turn of a run waits for the run', async () => {
    const order: string[] = []
    const loop: OnDemandLoop = new OnDemandLoop(
      async () => {
        void loop.idle().then(() => order.push('idle'))
        await turn()
        order.push('ended')
      },
      () => undefined,
    )
    loop.start()
    await loop.idle()
    await turn()
    expect(order).toEqual(['ended', 'idle'])
  })

  const refuseToo = (error: unknown) => {
    throw error
  }

  test.each([
    ['that nobody hears of', undefined],
    ['that cannot be told', refuseToo],
  ])('an error %s is rejected, and the loop can be started again', async (_, onError) => {
    let runs = 0
    const loop = new OnDemandLoop(async () => {
      if (++runs === 1) throw new Error('refused')
    }, onError)
    loop.start()
    await expect(loop.idle()).rejects.toThrow('refused')
    loop.start()
    await loop.idle()
    expect(runs).toBe(2)
  })

  test('a thousand starts in one turn are two runs', async () => {
    const { loop, told } = loopOf(['ends after a turn'])
    for (let i = 0; i < 1_000; i++) loop.start()
    await loop.idle()
    expect(told.runs).toBe(2)
  })
})
