import type { Campaign, CampaignProgress, PollListItem } from '../openapi.ts'
import type { VoteOptions, Voter } from '../voter.ts'
import { bodyOf, type CallOptions } from './http.ts'
import type { Page } from './list.ts'

// Requests for several polls. Functions, because `/embed.js` holds `Voter` and needs them only in a campaign or a feed.

/** A published campaign with its polls, in order. */
export const getCampaign = ({ http }: Voter, campaignId: string, options?: CallOptions): Promise<Campaign> =>
  http.call('GET /campaigns/{campaignId}', { params: { campaignId } }, options)

/** This device's progress in a campaign, or null before its first vote. */
export async function getProgress(
  voter: Voter,
  campaignId: string,
  options: VoteOptions = {},
): Promise<CampaignProgress | null> {
  const caller = await voter.knownCaller(options)
  return caller && voter.http.call('GET /campaigns/{campaignId}/progress', { params: { campaignId }, caller }, options)
}

/** One page of a brand's feed. */
export async function readFeed(
  { http }: Voter,
  brandSlug: string,
  cursor?: string,
  options?: CallOptions,
): Promise<Page<PollListItem>> {
  const outgoing = { params: { brandSlug }, query: { cursor } }
  return bodyOf(await http.send('GET /brands/{brandSlug}/polls', outgoing, options)) as Page<PollListItem>
}
