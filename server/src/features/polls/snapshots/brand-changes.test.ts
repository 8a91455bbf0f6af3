import { describe, expect, test } from 'bun:test'
import { BrandChanges } from './poll-snapshots.ts'

describe('the changes of brands', () => {
  test('give the time of the last change of each brand', () => {
    const changes = new BrandChanges()
    changes.note(7)
    changes.note(8)
    expect([changes.of(7), changes.of(8), changes.of(9), changes.count]).toEqual([1, 2, 0, 2])
    changes.note(null)
    expect([changes.of(7), changes.of(9)]).toEqual([3, 3])
  })

  test('never give a time before the last change of a brand, however few are remembered', () => {
    const changes = new BrandChanges(3)
    const last = new Map<number, number>()
    for (let i = 0; i < 500; i++) {
      const brandKey = (i * 7) % 23
      changes.note(brandKey)
      last.set(brandKey, changes.count)
      for (const [key, at] of last) expect(changes.of(key)).toBeGreaterThanOrEqual(at)
    }
  })

  test('keep the time of a brand apart from the changes of others for a while', () => {
    const changes = new BrandChanges(10)
    changes.note(1)
    const before = changes.of(1)
    for (let brandKey = 2; brandKey < 12; brandKey++) changes.note(brandKey)
    expect(changes.of(1)).toBe(before)
  })
})
