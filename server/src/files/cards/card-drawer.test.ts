import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Isolation } from '../../base/isolation/isolated-work.ts'
import { CardDrawer } from './card-drawer.ts'

// Processes take their time when the machine is busy.
setDefaultTimeout(60_000)
const withinMs = 60_000

const warnings: unknown[] = []
const isolation = new Isolation({ warn: (fields: unknown) => warnings.push(fields) } as never)
afterAll(() => isolation.close())

const svg = async () =>
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="63"><rect width="120" height="63" fill="#0a7d33"/><text x="4" y="40" font-size="30">Tea</text></svg>'

/** Each blur is drawn over all pixels. */
const blurred = async (times: number) => {
  const blurs = '<feGaussianBlur stdDeviation="300"/>'.repeat(times)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><filter id="a">${blurs}</filter><rect width="1200" height="630" filter="url(#a)"/></svg>`
}

describe('a card is drawn', () => {
  test('in a process of its own, without blocking the event loop', async () => {
    const drawer = new CardDrawer(isolation, { withinMs })
    const drawn = await drawer.draw(svg)
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    // Takes a fifth of a second of processor time: a plain card may be there before a busy machine gives this thread five turns.
    await drawer.draw(() => blurred(2))
    clearInterval(timer)
    expect(await new Bun.Image(drawn).metadata()).toMatchObject({ width: 120, height: 63, format: 'jpeg' })
    expect(turns).toBeGreaterThan(5)
    expect((await drawer.draw(svg)).length).toBe(drawn.length)
  })

  test('one at a time, also after a card that cannot be drawn, and one without its parts', async () => {
    const drawer = new CardDrawer(isolation, { withinMs })
    let making = 0
    const parts = async (text: string) => {
      expect(++making).toBe(1)
      // Real time: the work takes some, so that others wait.
      await Bun.sleep(5)
      making--
      return text
    }
    const good = await svg()
    const ends = await Promise.allSettled([
      drawer.draw(() => parts(good)),
      drawer.draw(() => parts('<svg')),
      drawer.draw(async () => Promise.reject(new Error('no picture'))),
      drawer.draw(() => parts(good)),
    ])
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  })

  test('or given up and logged, where it takes too long; the next one is drawn', async () => {
    const drawer = new CardDrawer(isolation, { cpuMs: 300, withinMs })
    warnings.length = 0
    await expect(drawer.draw(() => blurred(400))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      headers: { 'Retry-After': '60' },
    })
    expect(warnings).toEqual([{ work: 'share cards', reason: 'processor time' }])
    expect((await drawer.draw(svg)).length).toBeGreaterThan(0)
  })
})
