import { expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Deadlines, TookTooLong } from './deadlines.ts'

const inMs = (milliseconds: number) => ({ answerBy: performance.now() + milliseconds })
const never = () => Promise.withResolvers<string>()

test('a result in time is passed on, and so is a failure', async () => {
  const deadlines = new Deadlines()
  const late: string[] = []
  const discard = (value: string) => void late.push(value)
  expect(await deadlines.within(inMs(5_000), Promise.resolve('answer'), discard)).toBe('answer')
  await expect(deadlines.within(inMs(5_000), Promise.reject(new Error('no')), discard)).rejects.toThrow('no')
  expect(late).toEqual([])
})

test('work that takes longer is given up soon after its own deadline, and its late result is discarded', async () => {
  const deadlines = new Deadlines()
  const late: string[] = []
  const [slow, slower] = [never(), never()]
  const startedAt = performance.now()
  const ends: string[] = []
  const after = async (name: string, promise: Promise<string>, ms: number) => {
    const work = deadlines.within(inMs(ms), promise, (value) => void late.push(value))
    expect(await work.catch((error) => error)).toBeInstanceOf(TookTooLong)
    ends.push(name)
    expect(performance.now() - startedAt).toBeGreaterThan(ms)
  }
  // Told by the order in which timers end, which a stall of the process does not change.
  const marks = [500, 1_000].map((ms) => pause(ms).then(() => ends.push(`${ms} ms`)))
  await Promise.all([after('slow', slow.promise, 100), after('slower', slower.promise, 700), ...marks])
  expect(ends.indexOf('slow')).toBeLessThan(ends.indexOf('500 ms'))
  expect(ends.indexOf('slower')).toBeLessThan(ends.indexOf('1000 ms'))
  slow.resolve('too late')
  slower.reject(new Error('too late as well'))
  await Promise.resolve()
  expect(late).toEqual(['too late'])
})

test('time that is not counted does not bring the deadline nearer', async () => {
  const deadlines = new Deadlines()
  const bounded = { answerBy: Number.POSITIVE_INFINITY }
  const receiving = never()
  const answer = deadlines.within(bounded, receiving.promise, () => undefined)
  // Real time: the time passes without being counted.
  await Bun.sleep(600)
  receiving.resolve('received')
  expect(await answer).toBe('received')
})
