import { walkVotes } from '../src/features/campaigns/respondents/walk-votes.ts'
import type { OwnedCampaignData } from './campaigns.ts'
import { everyPage } from './polls.ts'
import type { TestBrand, TestService } from './service.ts'

export interface RespondentData {
  respondentId: string
  startedAt: string
  totalVotes: number
  votes: { position: number; slug: string; option: string; votedAt: string }[]
}

type Owner = Pick<TestBrand, 'token'>

export const responses = (service: TestService, { token }: Owner, campaignId: string, limit = 100) =>
  everyPage<RespondentData>(service, `brands/me/campaigns/${campaignId}/responses`, { ask: { token }, limit })

export async function progressOf(service: TestService, { token }: Owner, campaignId: string) {
  const { body } = await service.get<OwnedCampaignData>(`brands/me/campaigns/${campaignId}`, { token })
  return body.data.responsesProgress
}

/** Like the worker, until all votes have been walked. */
export async function walkAll({ deps, db }: TestService): Promise<void> {
  for (;;) {
    await walkVotes(deps.engine)
    const left = await db
      .selectFrom('campaign_polls')
      .select('poll_key')
      .whereRef('walked_to', '<', 'walk_end')
      .execute()
    if (left.length === 0) return
  }
}
