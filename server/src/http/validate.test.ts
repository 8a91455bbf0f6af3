import { describe, expect, test } from 'bun:test'
import { type Checked, remembering } from './validate.ts'

describe('remembering', () => {
  const asked: string[] = []
  const check = remembering((text): Checked<{ readonly list: string[] }> => {
    asked.push(text)
    const problems = text.includes('bad') ? [{ path: '', code: 'bad', message: 'Bad.' }] : []
    return { value: { list: [text] }, problems }
  })
  const timesAsked = (text: string) => {
    asked.length = 0
    check(text)
    check(text)
    return asked.length
  }

  test('asks once about what was right, each time about what was wrong or long', () => {
    expect(timesAsked('good')).toBe(1)
    expect(timesAsked('bad')).toBe(2)
    expect(timesAsked('x'.repeat(129))).toBe(2)
    expect(check('good').value?.list).toEqual(['good'])
  })

  test('what is shared cannot be changed', () => {
    expect(() => check('mine').value?.list.push('yours')).toThrow()
    expect(check('mine').value?.list).toEqual(['mine'])
  })

  test('forgets before it grows too large, and goes on answering right', () => {
    for (let i = 0; i < 5_001; i++) check(`text ${i}`)
    expect(timesAsked('text 0')).toBe(1)
    expect(timesAsked('text 5000')).toBe(0)
  })
})
