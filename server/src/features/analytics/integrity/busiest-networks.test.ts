import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BusiestNetworks } from './poll-hour.ts'

const counted = (networks: Iterable<number>): BusiestNetworks => {
  const busiest = new BusiestNetworks()
  for (const network of networks) busiest.add(network)
  return busiest
}

test('is exact for up to a hundred networks', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(99), { maxLength: 2_000 }), (networks) => {
      const votes = [...Map.groupBy(networks, (network) => network).values()].map(({ length }) => length)
      votes.sort((a, b) => b - a)
      const { largest, topTen } = counted(networks)
      expect(largest).toBe(votes[0] ?? 0)
      expect(topTen).toBe(votes.slice(0, 10).reduce((sum, each) => sum + each, 0))
    }),
  )
})

test('finds the one large network among any number of small ones, wherever its votes stand', () => {
  const networks = Array.from({ length: 20_000 }, (_, i) => (i % 4 === 0 ? 7 : 1_000 + i))
  const { largest, topTen } = counted(networks)
  expect(largest).toBeGreaterThan(4_500)
  expect(largest).toBeLessThanOrEqual(5_000)
  expect(topTen).toBeLessThan(5_050)
})

test('never takes many small networks for large ones', () => {
  const { largest, topTen } = counted(Array.from({ length: 50_000 }, (_, i) => i))
  expect(largest).toBe(1)
  expect(topTen).toBe(10)
})
