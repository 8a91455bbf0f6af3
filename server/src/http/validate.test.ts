import { expect, test } from 'bun:test'
import { z } from 'zod'
import { checkForAll, isAccepted } from './validate.ts'

const schema = z.strictObject({ list: z.array(z.string()) })

test('a shared default cannot be changed by one request', () => {
  const checked = checkForAll(schema, { list: ['mine'] })
  expect(isAccepted(checked)).toBe(true)
  expect(() => checked.value?.list.push('yours')).toThrow()
  expect(checked.value).toEqual({ list: ['mine'] })
})

test('at most fifty problems are reported, each place once', () => {
  const rows = z.array(z.strictObject({ a: z.string().min(3).regex(/^x/) }))
  const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`b${i}`, 0]))
  const { problems } = checkForAll(rows, new Array(40).fill({ ...unknown, a: '' }))
  expect(problems).toHaveLength(50)
  expect(new Set(problems.map(({ path }) => path)).size).toBe(50)
})

test('an invalid value is reported and not accepted', () => {
  const checked = checkForAll(schema, { list: 'mine' })
  expect(isAccepted(checked)).toBe(false)
  expect(checked.problems.map(({ path }) => path)).toEqual(['list'])
})
