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

test.each([
  [z.string(), 1, 'invalid_type Must be a string.'],
  [z.int(), 1.5, 'invalid_type Must be a whole number.'],
  [z.boolean(), 'true', 'invalid_type Must be true or false.'],
  [z.array(z.string()), {}, 'invalid_type Must be a list.'],
  [z.strictObject({}), [], 'invalid_type Must be an object.'],
  [z.enum(['A', 'B']), 'C', 'invalid_value Must be one of A, B.'],
  [z.literal('PUT'), 'GET', 'invalid_value Must be PUT.'],
  [z.string().min(1), '', 'too_short Must have at least 1 character.'],
  [z.string().max(2), 'abc', 'too_long Must have at most 2 characters.'],
  [z.int().min(1), 0, 'too_small Must be at least 1.'],
  [z.int().max(9), 10, 'too_big Must be at most 9.'],
  [z.array(z.int()).min(1), [], 'too_small Must have at least 1 value.'],
  [z.string().regex(/^a$/), 'b', 'invalid_format Must match /^a$/.'],
  [z.string({ error: 'Must be ours.' }), 1, 'invalid_type Must be ours.'],
])('a rule without a message of its own says what the field must be (%#)', (rule, value, expected) => {
  const { problems } = checkForAll(z.object({ field: rule }), { field: value })
  expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([expected])
})
