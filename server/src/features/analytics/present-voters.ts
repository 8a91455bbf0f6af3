import { iso } from '../../base/clock.ts'
import type { VoterEvent } from './poll-schema.ts'
import type { RespondentRow } from './respondent-list.ts'
import type { Respondent } from './schema.ts'
import type { VoterRow } from './voters.ts'

export const presentRespondent = (
  { device, votes }: RespondentRow,
  idOf: (device: Uint8Array) => string,
): Respondent => ({
  respondentId: idOf(device),
  startedAt: iso(Math.min(...votes.map(({ votedAt }) => votedAt))),
  totalVotes: votes.length,
  votes: votes.map(({ position, slug, option, votedAt }) => ({ position, slug, option, votedAt: iso(votedAt) })),
})

interface Names {
  ofDevice(device: Uint8Array): string
  /** For a vote of a forgotten device. */
  ofVote(position: number): string
}

export function presentVoter({ device, option, voted_at, position, forgotten_at }: VoterRow, names: Names): VoterEvent {
  const isForgotten = forgotten_at !== null && voted_at <= forgotten_at
  const respondentId = isForgotten ? names.ofVote(position) : names.ofDevice(device)
  return { respondentId, option, votedAt: iso(voted_at), position }
}
