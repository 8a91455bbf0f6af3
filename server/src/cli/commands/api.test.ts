import { expect, test } from 'bun:test'
import { bodyFrom, readFields } from './api.ts'

const body = (...words: string[]) => JSON.parse(JSON.stringify(bodyFrom(readFields(words))))

test('a field is text unless it looks like JSON', () => {
  expect(body('title=Tea or coffee?', 'private=true', 'max=12', 'ratio=0.5', 'none=null', 'tags=["a","b"]')).toEqual({
    title: 'Tea or coffee?',
    private: true,
    max: 12,
    ratio: 0.5,
    none: null,
    tags: ['a', 'b'],
  })
  expect(body('year="2026"', 'code=007', 'phone=+49', 'empty=', 'sum=a=b', 'long=12345678901234567890')).toEqual({
    year: '2026',
    code: '007',
    phone: '+49',
    empty: '',
    sum: 'a=b',
    long: '12345678901234567890',
  })
})

test('dots nest', () => {
  expect(body('optionA.label=Tea', 'optionA.imageUrl=null', 'optionB.label=Coffee')).toEqual({
    optionA: { label: 'Tea', imageUrl: null },
    optionB: { label: 'Coffee' },
  })
})

test('names of prototypes are names like any other', () => {
  const text = JSON.stringify(bodyFrom(readFields(['__proto__.x=1', 'constructor=2'])))
  expect(text).toBe('{"__proto__":{"x":1},"constructor":2}')
  expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('x')
})

test.each([
  [['title'], '"title" is not a field'],
  [['=x'], '"=x" is not a field'],
  [['a=1', 'a=2'], '"a" is given twice'],
  [['a.b=1', 'a=2'], '"a" is given twice'],
  [['a=1', 'a.b=2'], '"a" in "a.b" already has a value that is not an object'],
  [['a..b=1'], '"a..b" has an empty part'],
  [['a.=1'], '"a." has an empty part'],
  [['tags=[a'], 'begins like JSON and is not'],
])('%j is refused', (words, said) => {
  expect(() => body(...words)).toThrow(said)
})
