import { gainsOf, type NewVote, sortedVotes } from '../vote-store.ts'

/** The parameters of the statement that adds a group's votes and updates its tallies. */
export function writeValues(votes: readonly NewVote[], now: number): unknown[] {
  const sorted = sortedVotes(votes)
  const gains = gainsOf(votes)
  return [
    sorted.map(({ ballot }) => ballot.pollKey),
    Buffer.concat(sorted.map(({ ballot }) => ballot.device)),
    sorted.map(({ ballot }) => ballot.option).join(''),
    sorted.map(({ position }) => position),
    now,
    gains.map(({ pollKey }) => pollKey),
    gains.map(({ a }) => a),
    gains.map(({ b }) => b),
  ]
}

export const respondentValues = (votes: readonly NewVote[], now: number): unknown[] => [
  votes.map(({ ballot }) => ballot.pollKey),
  Buffer.concat(votes.map(({ ballot }) => ballot.device)),
  now,
]
