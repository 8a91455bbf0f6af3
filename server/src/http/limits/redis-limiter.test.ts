import { describe, expect, test } from 'bun:test'
import { Silence, within } from './redis-limiter.ts'

describe('an answer within a time', () => {
  test('is passed on, and so is a failure', async () => {
    expect(await within(1_000, Promise.resolve(1), 'It')).toBe(1)
    expect(within(1_000, Promise.reject(new Error('no')), 'It')).rejects.toThrow('no')
  })

  test('is a failure if it does not come, and a later one is ignored', async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const failure = await within(1, promise, 'The neighbour').catch((error) => error)
    expect(failure).toBeInstanceOf(Silence)
    expect(failure.message).toBe('The neighbour did not answer in time')
    reject(new Error('later'))
  })
})
