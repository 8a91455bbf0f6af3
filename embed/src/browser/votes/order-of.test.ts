import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { orderOf } from './order-of.ts'

const KEY = 'tossup.orders'
const place = globalThis as { localStorage?: Storage; tossupOrders?: Record<string, 'AB' | 'BA'> }
let kept: Map<string, string>

const option = { label: 'Tea', imageUrl: null, imageAlt: null, fit: 'cover', focusX: 0.5, focusY: 0.5 } as const
const pollOf = (id: string = randomUUID()) => ({ id, optionA: { ...option, shuffled: true as const } })

beforeEach(() => {
  kept = new Map()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  place.localStorage = storage as unknown as Storage
})
afterEach(() => {
  delete place.localStorage
})

test('of 10,000 draws, about half begin with each option', () => {
  const drawn = Array.from({ length: 10_000 }, () => orderOf(pollOf()))
  const ofB = drawn.filter((order) => order === 'BA').length
  // Five standard deviations: false alarms once in 1.7 million runs.
  expect(Math.abs(ofB - 5_000)).toBeLessThan(250)
  expect(drawn.filter((order) => order === 'AB')).toHaveLength(10_000 - ofB)
})

test('a poll keeps its order: on this page, and at the next visit', () => {
  const { id } = pollOf()
  const first = orderOf(pollOf(id))
  expect(Array.from({ length: 20 }, () => orderOf(pollOf(id)))).toEqual(new Array(20).fill(first))
  expect(kept.get(KEY)).toBe(` ${id}:${first}`)
  const other = randomUUID()
  kept.set(KEY, `${kept.get(KEY)} ${other}:BA`)
  expect(orderOf(pollOf(other))).toBe('BA')
})

test('an order that the page has drawn before its first paint is taken and kept', () => {
  const { id } = pollOf()
  Object.assign(place.tossupOrders ?? {}, { [id]: 'BA' })
  expect(orderOf(pollOf(id))).toBe('BA')
  expect(kept.get(KEY)).toBe(` ${id}:BA`)
})

test('the newest 400 polls and more are kept, in at most 20,000 characters', () => {
  const ids = Array.from({ length: 1_000 }, () => randomUUID())
  for (const id of ids) orderOf(pollOf(id))
  const text = kept.get(KEY) ?? ''
  expect(text).toHaveLength(20_000)
  expect(ids.slice(-400).every((id) => text.includes(`${id}:`))).toBe(true)
})

test('a poll with one order for all draws and stores nothing', () => {
  expect(orderOf({ id: randomUUID(), optionA: option })).toBeUndefined()
  expect([...kept]).toEqual([])
})

test('without a storage an order lasts as long as the page', () => {
  delete place.localStorage
  const poll = pollOf()
  const first = orderOf(poll)
  expect(Array.from({ length: 20 }, () => orderOf(poll))).toEqual(new Array(20).fill(first))
})
