import { expect, test } from 'bun:test'
import { PortOrder } from './port-order.ts'

test('the last member takes the place of one that leaves', () => {
  const order = new PortOrder<string>()
  for (const name of ['a', 'b', 'c', 'd']) order.join(name)
  order.leave('b')
  expect(['a', 'd', 'c'].map((name) => order.placeOf(name))).toEqual([0, 1, 2].map((index) => ({ index, of: 3 })))
  order.leave('c')
  order.leave('unknown')
  order.join('e')
  expect(['a', 'd', 'e'].map((name) => order.placeOf(name))).toEqual([0, 1, 2].map((index) => ({ index, of: 3 })))
})
