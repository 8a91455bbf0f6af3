import { expect, test } from 'bun:test'
import { codesCsv, linkOf, pastedCodes, shuffled } from './issued-codes.ts'

const URL = 'https://polls.example/p/aBcDeFgHiJkL'
const CODES = ['K7QM-2F8X-9RTA', '0000-1111-2222']
const READ = ['K7QM2F8X9RTA', '000011112222']

test('what was downloaded can be pasted to be revoked, with links and without', () => {
  for (const url of [URL, null]) expect(pastedCodes(codesCsv(CODES, url))).toEqual({ codes: READ, wrong: [] })
})

test('a code is read as the service reads it: without regard to case, hyphens, spaces and letters that look like digits', () => {
  for (const text of ['k7qm2f8x9rta', ' K7QM 2F8X 9RTA ', '"K7QM-2F8X-9RTA"', linkOf(URL, 'K7QM-2F8X-9RTA')])
    expect(pastedCodes(text).codes).toEqual(['K7QM2F8X9RTA'])
  expect(pastedCodes('oOoO-iLl1-2222').codes).toEqual(['000011112222'])
})

test('lines without a code are named, and a code counts once', () => {
  const pasted = 'name;code\nAnna;K7QM-2F8X-9RTA\n\nBen;none\nK7QM2F8X9RTA, 0000-1111-2222\nU7QM-2F8X-9RTA'
  expect(pastedCodes(pasted)).toEqual({ codes: READ, wrong: ['name;code', 'Ben;none', 'U7QM-2F8X-9RTA'] })
})

test('the file has a line for each code, and links only to a poll', () => {
  expect(codesCsv(CODES, null)).toBe('code\r\nK7QM-2F8X-9RTA\r\n0000-1111-2222\r\n')
  expect(codesCsv(CODES.slice(0, 1), URL)).toBe(
    'code,link\r\nK7QM-2F8X-9RTA,https://polls.example/p/aBcDeFgHiJkL#code=K7QM-2F8X-9RTA\r\n',
  )
})

test('shuffling keeps every item, and each of them comes to every place', () => {
  const items = [1, 2, 3]
  const orders = Array.from({ length: 300 }, () => shuffled(items))
  for (const order of orders) expect(order.toSorted()).toEqual(items)
  expect(new Set(orders.map(String)).size).toBe(6)
})
