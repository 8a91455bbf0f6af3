import { expect, test } from 'bun:test'
import { z } from 'zod'
import { checkForAll, isAccepted } from './validate.ts'

const schema = z.strictObject({ list: z.array(z.string()) })

test('what is shared by all who ask cannot be changed by one of them', () => {
  const checked = checkForAll(schema, { list: ['mine'] })
  expect(isAccepted(checked)).toBe(true)
  expect(() => checked.value?.list.push('yours')).toThrow()
  expect(checked.value).toEqual({ list: ['mine'] })
})

test('what is wrong is told and not accepted', () => {
  const checked = checkForAll(schema, { list: 'mine' })
  expect(isAccepted(checked)).toBe(false)
  expect(checked.problems.map(({ path }) => path)).toEqual(['list'])
})
