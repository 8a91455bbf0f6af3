import { describe, expect, test } from 'bun:test'
import { Slots } from './slots.ts'

describe('slots', () => {
  test('let so many in at a time, the others in their order', async () => {
    const slots = new Slots(2)
    const order: number[] = []
    let inside = 0
    let most = 0
    const work = (i: number) =>
      slots.during(async () => {
        order.push(i)
        most = Math.max(most, ++inside)
        await Bun.sleep(1)
        inside--
      })
    await Promise.all(Array.from({ length: 9 }, (_, i) => work(i)))
    expect([order, most]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8], 2])
  })

  test('are given back by work that fails', async () => {
    const slots = new Slots(1)
    await expect(slots.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect([slots.tryTake(), slots.tryTake()]).toEqual([true, false])
    slots.give()
    expect(slots.tryTake()).toBe(true)
  })

  test('pass by nobody who waits', async () => {
    const slots = new Slots(1)
    await slots.take()
    const waiting = slots.take()
    slots.give()
    expect(slots.tryTake()).toBe(false)
    await waiting
  })
})
