import { describe, expect, test } from 'bun:test'
import { CardDrawer } from './card-drawer.ts'

const svg = async () =>
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="63"><rect width="120" height="63" fill="#0a7d33"/><text x="4" y="40" font-size="30">Tea</text></svg>'

describe('a card is drawn', () => {
  test('beside the event loop, which goes on meanwhile; and the thread ends when there is nothing to draw', async () => {
    const drawer = new CardDrawer({ idleMs: 50 })
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const drawn = await drawer.draw(svg)
    clearInterval(timer)
    expect(await new Bun.Image(drawn).metadata()).toMatchObject({ width: 120, height: 63, format: 'jpeg' })
    expect(turns).toBeGreaterThan(5)
    expect(drawer.hasThread).toBe(true)
    while (drawer.hasThread) await Bun.sleep(10)
    expect((await drawer.draw(svg)).length).toBe(drawn.length)
  })

  test('one at a time, also after one that cannot be drawn, and one whose parts are not there', async () => {
    const drawer = new CardDrawer()
    let making = 0
    const parts = async (text: string) => {
      expect(++making).toBe(1)
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

  test('or given up, where it takes too long', async () => {
    const drawer = new CardDrawer({ mostMs: 0 })
    expect(drawer.draw(svg)).rejects.toThrow('cannot answer this now')
    expect(drawer.draw(svg)).rejects.toThrow('cannot answer this now')
    await Bun.sleep(300)
    expect(drawer.hasThread).toBe(false)
  })
})
