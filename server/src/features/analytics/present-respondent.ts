import { iso } from '../../base/clock.ts'
import type { RespondentRow } from './respondent-list.ts'
import type { Respondent } from './schema.ts'

export const presentRespondent = (
  { device, votes }: RespondentRow,
  idOf: (device: Uint8Array) => string,
): Respondent => ({
  respondentId: idOf(device),
  startedAt: iso(Math.min(...votes.map(({ votedAt }) => votedAt))),
  totalVotes: votes.length,
  votes: votes.map(({ position, slug, option, votedAt }) => ({ position, slug, option, votedAt: iso(votedAt) })),
})
