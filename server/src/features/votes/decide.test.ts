import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Ballot, CastVote, PollState } from '../../db/vote-store.ts'
import { decide } from './decide.ts'

const NOW = 1_000
const POLLS = [1, 2]

const poll: PollState = {
  opens_at: null,
  closes_at: null,
  archived_at: null,
  results_visibility: 'always',
  option_a: 3,
  option_b: 4,
  version: 7,
  campaign_count: 0,
  code_list_key: null,
}

/** Devices that begin with the same bytes, so that only the whole of them tells them apart. */
const device = fc
  .tuple(fc.constantFrom(0, 1), fc.constantFrom(0, 1), fc.constantFrom(0, 1))
  .map(([first, fifth, last]) => new Uint8Array(16).with(0, first).with(4, fifth).with(15, last))

const ballots = fc.array(
  fc.record({ pollKey: fc.constantFrom(...POLLS, 3), device, option: fc.constantFrom('A' as const, 'B' as const) }),
  { maxLength: 30 },
)

const voterOf = ({ pollKey, device }: Ballot): string => `${pollKey} ${Buffer.from(device).toString('hex')}`

test('the first ballot of each device on each poll wins, and the counts are those of the winners', () => {
  fc.assert(
    fc.property(ballots, fc.nat(), (group, voted) => {
      const earlier: CastVote = { option: 'B', votedAt: 1 }
      const old = group[voted % Math.max(group.length, 1)]
      const isOld = (ballot: Ballot): boolean => old !== undefined && voterOf(ballot) === voterOf(old)
      const polls = new Map(POLLS.map((key) => [key, poll]))
      const existing = group.map((ballot) => (isOld(ballot) ? earlier : null))
      const decision = decide(group, { now: NOW, polls, existing, forgottenAt: () => null })

      const won = new Map<string, Ballot>()
      const expected = group.map((ballot) => {
        if (!polls.has(ballot.pollKey)) return { kind: 'missing' }
        if (isOld(ballot)) return { kind: 'already', existing: earlier }
        const first = won.get(voterOf(ballot))
        if (first) return { kind: 'already', existing: { option: first.option, votedAt: NOW } }
        won.set(voterOf(ballot), ballot)
        return { kind: 'accepted', vote: { option: ballot.option, votedAt: NOW } }
      })
      expect(decision.outcomes).toMatchObject(expected)
      expect(decision.votes.map(({ ballot }) => ballot)).toEqual([...won.values()])
      for (const key of POLLS) {
        const own = [...won.values()].filter(({ pollKey }) => pollKey === key)
        const positions = decision.votes.filter(({ ballot }) => ballot.pollKey === key).map(({ position }) => position)
        expect(positions).toEqual(own.map((_, i) => 8 + i))
        const a = own.filter(({ option }) => option === 'A').length
        const counts = { option_a: 3 + a, option_b: 4 + own.length - a, version: 8, counted_at: NOW }
        expect(decision.counted.get(key)).toEqual(own.length > 0 ? counts : undefined)
      }
    }),
  )
})
