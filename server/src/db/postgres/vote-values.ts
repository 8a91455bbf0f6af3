import { gainsOf, type NewVote, sortedVotes } from '../vote-store.ts'

/** For the statement that adds the votes of a group and what they change. */
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
