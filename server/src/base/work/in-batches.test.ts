import { describe, expect, test } from 'bun:test'
import { inBatches } from './in-batches.ts'

describe('work in batches', () => {
  test('goes on until nothing is left, and says so', async () => {
    let left = 5
    expect(await inBatches(async () => --left > 0)).toBe(false)
    expect(left).toBe(0)
  })

  test('stops after half a second by its stopwatch, and says that more is left', async () => {
    let batches = 0
    let elapsed = 0
    const batch = async () => {
      batches++
      elapsed += 100
      return true
    }
    expect(await inBatches(batch, () => elapsed)).toBe(true)
    expect(batches).toBe(5)
  })

  test('does at least one batch, however long it takes', async () => {
    let elapsed = 0
    let batches = 0
    const slow = async () => {
      batches++
      elapsed += 60_000
      return true
    }
    expect(await inBatches(slow, () => elapsed)).toBe(true)
    expect(batches).toBe(1)
  })

  test('lets requests have their turns between two batches', async () => {
    const order: string[] = []
    let left = 3
    setImmediate(() => order.push('request'))
    await inBatches(async () => {
      order.push('batch')
      return --left > 0
    })
    expect(order.indexOf('request')).toBeLessThan(order.lastIndexOf('batch'))
  })

  test('fails as its batch fails', async () => {
    const failure = new Error('no database')
    await expect(inBatches(() => Promise.reject(failure))).rejects.toBe(failure)
  })
})
