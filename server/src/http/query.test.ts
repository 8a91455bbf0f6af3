import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { checkQuery, queryRules, readQuery } from './paging.ts'

const query = z.object({ status: z.enum(['all', 'open']).default('all'), tag: z.string().max(5).optional() })
const strict = queryRules({ query, isPaged: true })
const lax = queryRules({ query, isOutside: true })

const codes = (search: string, rules = strict) =>
  checkQuery(query, readQuery({ search }, rules)).problems.map(({ path, code }) => `${path} ${code}`)

describe('a query', () => {
  test('is parsed by the schema', () => {
    expect(checkQuery(query, readQuery({ search: '?tag=t%C3%A9a' }, strict))).toEqual({
      value: { status: 'all', tag: 'téa' },
      problems: [],
    })
    expect(codes('?')).toEqual([])
    expect(codes('?&&limit=5&&')).toEqual([])
  })

  test('names each fault once', () => {
    expect(codes('?tag=a&tag=b&tag=c')).toEqual(['tag duplicate_parameter'])
    expect(codes('?tag=toolong&tag=b')).toEqual(['tag duplicate_parameter'])
    expect(codes('?stats=open&stats=all&tag=%00')).toEqual(['stats unknown_parameter', 'tag nul_character'])
    expect(codes('?status=')).toEqual(['status invalid_value'])
  })

  test('is read up to its 50th parameter', () => {
    const filler = 'x&'.repeat(49)
    expect(codes(`?${filler}tag=toolong`)).toEqual(['x unknown_parameter', 'tag too_big'])
    expect(codes(`?${filler}x&tag=toolong`)).toEqual([' too_many_parameters', 'x unknown_parameter'])
  })

  test('of a page is read for known parameters', () => {
    expect(codes(`?${'x&'.repeat(100)}tag=a&limit=0`, lax)).toEqual([])
    expect(codes('?tag=a&tag=b', lax)).toEqual(['tag duplicate_parameter'])
    expect(codes(`?${'x&'.repeat(49)}tag=toolong`, lax)).toEqual(['tag too_big'])
    expect(codes(`?${'x&'.repeat(50)}tag=toolong`, lax)).toEqual([])
  })
})
