import { iso } from '../../base/clock.ts'
import type { VoterEvent } from './poll-schema.ts'
import type { VoterRow } from './voters.ts'

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
